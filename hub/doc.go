// Package hub schedules the turns of AI agents: one at a time per session. Every
// request enters through the Hub (Prompt, Stop, Answer, Drain), an Agent does the
// work and emits events, and every reader follows the log.
//
//	fronts ── Prompt, Stop, Answer ──▶ Hub ── Run(ctx) ──▶ Agent
//	   ▲                                │                    │
//	   │                              Turn ◀──── Emit ───────┘
//	   │                                │
//	   └────── Events(after seq) ────  Log ──▶ Store
//
// # The stop
//
// Every stop is one call of Hub.Stop, whatever its source. It immediately cancels
// the turn's only context with a Cause; the request is recorded in parallel. The
// agent's work ends because its context has ended. When the agent has returned,
// or has been abandoned after the grace period, one compare-and-set in the store
// writes the turn's end, with a Receipt that lists what stopped, what was kept
// and what was left behind. After that, every write of the turn is rejected.
//
// # What is kept
//
// Events are durable before any reader receives them, so a stop has nothing to
// save. Package history builds conversations from the log when they are needed.
package hub
