// Package probe grades how an agent stops, against the laws and from outside:
// it speaks the agent's own protocol, reads the process table, and asks the fake
// model what it was sent and when it was left.
//
// Each check runs in a fresh process of the agent. The process is contained, so
// that nothing of it outlives its check, but nobody touches what came from it
// while it lives: what an agent forgets is counted before it is ended. Every
// wait is bounded, and a bound that was reached is a finding.
//
// Agents are met as they are: unknown updates, requests that are not offered,
// noise on stderr and long lines are no findings.
package probe
