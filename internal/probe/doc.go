// Package probe grades how an agent stops, against the laws and from the
// outside: it uses the agent's protocol, the process table, and the request log
// of the fake model.
//
// Each check runs a new process of the agent. The process is contained, so that
// none of its descendants outlives the check, but nothing is ended while the
// agent is running: the processes that the agent leaves behind are counted
// first. Every wait has a time limit, and reaching it is a finding.
//
// An agent can also be reached over WebSocket. Its processes are not visible
// then, so the checks that count them are skipped.
//
// Each line that an ACP agent prints on stdout must be a message. Unknown
// updates, unsupported requests, output on stderr and long lines are not
// findings.
package probe
