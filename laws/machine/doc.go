// Package machine is the rules of turns, leases, fences and stops as a pure
// state machine: no goroutine, no clock, no I/O. Whoever has not read the SQL
// can read the rules here.
//
// A World holds a database, three nodes, a bus, watchers and an auditor. The
// database applies the product's own rules, package lifecycle; every op on it
// happens whole or not at all. Every node does what the hub does with the answers.
// Steps are drawn from a seed: prompts, stops, edits, words,
// tools, commits and the answers that get lost, crashes, pauses, partitions,
// a bus that loses, doubles and reorders. After the last step everything is
// healed, and all must settle.
//
// The auditor keeps its own books, from what was asked, accepted, acknowledged
// and shown, and never asks the rules under test what they think. What it
// holds against them is the list of invariants in auditor.go.
//
// The same seed is the same run. A Rules value has a switch for each rule. The
// rules of the database are switched off by falsifying what lifecycle sees or
// returns (decide.go). With one of them off, or two that make up for each other, the
// auditor must find a violation, which is how the checks prove that they can fail.
//
// Two things guard most writes, and the tests say which one suffices alone. The
// fence protects the record: with it, a claim may even forget the lease. The
// lease protects the world outside, which no store can fence off: without it, a
// tool starts for a turn that another node has ended.
//
// What is left out: sessions are not made or deleted during a run, a stop names one
// turn (never a scope), budgets are not looked at, turns behind a stopped
// one go on (the fate "next"), no run is as long as an early stop is kept, and no
// rule reads a node's wall clock, which may therefore jump. One thing is kinder
// than life: between a node's look at its lease and the start of a tool there is
// no time in which it could be paused.
package machine
