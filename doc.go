// Package bellcord defines the vocabulary of an agent runtime in which a stop
// is guaranteed to take effect: sessions, prompts, the events of turns, stops
// and their receipts, questions, usage, and the Store contract. It contains
// data types and small methods on them.
//
// Package hub runs turns, package lifecycle implements the state machine of a
// turn, and package history builds conversations from events.
//
// The package imports nothing outside the standard library.
package bellcord
