// Package lifecycle contains the rules of a turn: which of several stops applies,
// which writes a turn accepts in which state, when a limit is reached, and what a
// receipt contains. The stores, the hub and the model checker in laws/machine
// apply these rules.
//
// All functions are pure: they read no clock, do no I/O and start no goroutine.
package lifecycle
