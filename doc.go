// Package bellcord is the core of an agent runtime in which stop means stopped.
//
// A front hands the Hub a prompt and at once has a Turn; the hub runs one turn
// at a time per session; an Agent does the work and emits events; the Log is
// the one ordered record that every front reads; the only thing that can be
// stopped is the turn.
//
//	fronts ── Prompt, Stop, Answer ──▶ Hub ── Run(ctx) ──▶ Agent
//	   ▲                                │                    │
//	   │                              Turn ◀──── Emit ───────┘
//	   │                                │
//	   └────── Events(after seq) ────  Log ──▶ Store
//
// # The stop
//
// Every stop, whoever asks and from wherever, is one call of Hub.Stop. It
// cancels the turn's one context with a Cause, at once, and has the request
// recorded beside. The agent's work ends because its context did. When the
// agent has returned, or has been abandoned after the grace, the turn's end is
// written by one compare-and-set in the store, with a Receipt that says what
// stopped, what was kept and what was left behind. Nothing of the turn can be
// written after that.
//
// # What is kept
//
// What an agent emits is durable before anybody is shown it, so a stop has
// nothing to save. Conversations are built from the log when they are needed
// (ReadHistory); what a stop or a crash left open is completed there, with the
// truth, so that a model accepts it.
//
// The package imports nothing outside the standard library.
package bellcord
