// Package machine models the rules of turns, leases, fences and stops as a pure
// state machine: no goroutine, no clock, no I/O. It documents the
// rules independently of the SQL.
//
// A World contains a database, three nodes, a bus, watchers and an auditor. The
// database applies the rules of package lifecycle, which the product also uses;
// every op on it is atomic. Every node handles the answers like the hub. Steps
// are drawn from a seed: prompts, stops, edits, words, tools, commits, lost
// answers, crashes, pauses, partitions, and a bus that loses, duplicates and
// reorders messages. After the last step all faults are healed, and every turn
// must settle.
//
// The auditor keeps separate records of everything that was requested, accepted,
// acknowledged and shown, and never uses the rules under test. It checks the
// invariants in auditor.go.
//
// A seed always produces the same run. A Rules value has a switch for each rule.
// A rule of the database is switched off by falsifying the input or the result of
// lifecycle (decide.go). If a rule is off, or two rules that compensate for each
// other, the auditor must find a violation. This proves that the checks can fail.
//
// Two mechanisms protect most writes, and the tests show which one is sufficient.
// The fence protects the record: with it, a claim does not even need the lease.
// The lease protects effects outside the store, which a fence cannot prevent:
// without it, a tool starts for a turn that another node has ended.
//
// The model has limits. Sessions are not created or deleted during a run. A stop
// of a scope (a session, an owner, everything) always takes queued turns, too.
// Budgets are not checked. Turns behind a stopped
// one continue (QueueNext). No run is longer than the lifetime of an early stop.
// No rule reads a node's wall clock, so it may jump. One simplification is
// optimistic: a node cannot be paused between the check of its lease and the
// start of a tool.
package machine
