// Package chaos is the chaos suite: three real nodes on a real PostgreSQL and
// three real NATS servers, all of which are killed, paused, cut off and
// restarted by a seeded schedule while clients prompt, stop and watch. What the
// clients were told is then compared with what the database has, by an audit
// and, turn by turn, by a search for an order in which every answer is true.
//
//	go test ./laws/chaos -run TestChaos -chaos=3m
//	go test ./laws/chaos -run TestEveryMutationIsCaught -mutations=all
//
// A node reaches PostgreSQL and NATS through gates that the suite opens and
// shuts; the audit reaches the database without one. A witness made of triggers
// sits in the database and notes who writes what, which is how a write of a node
// that has been fenced off is seen even where it does no visible harm.
//
// An audit that never fails proves nothing: TestEveryMutationIsCaught breaks one
// rule of the engine at a time and has to see it found.
package chaos
