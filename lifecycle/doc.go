// Package lifecycle holds the rules of a turn's life: which of several stops
// counts, which writes a turn accepts in which state, when a limit is used up, and
// what a receipt says. The stores apply these rules, and so do the hub and the
// model checker in laws/machine.
//
// The package is pure: it has no clock, does no I/O and starts no goroutine.
package lifecycle
