// Package chaos contains the chaos suite: three real nodes, a real PostgreSQL
// and three real NATS servers are killed, paused, cut off and restarted by a
// seeded schedule while clients prompt, stop and watch. Afterwards the
// responses that the clients received are compared with the database, by an
// audit and by a linearizability check of each turn.
//
//	go test ./laws/chaos -run TestChaos -chaos=3m
//	go test ./laws/chaos -run TestMutations_EachBrokenRule_IsCaught -mutations=all
//
// With -clocks, the wall clocks of the nodes differ by 10 or 20 s and change when a
// node restarts, and the audit also checks the stops of sessions.
//
// The nodes connect to PostgreSQL and NATS through gates that the suite opens
// and closes; the audit connects directly. Triggers in the database, the
// witness, record which node makes each write. They detect a write of a fenced
// node even if it does no visible harm.
//
// The suite is itself tested: TestMutations_EachBrokenRule_IsCaught breaks one rule of the
// engine at a time, and the audit must report it.
package chaos
