// Package bellcord holds the vocabulary of an agent runtime in which stop means
// stopped: sessions, prompts, turns' events, stops and their receipts, questions,
// usage, and the Store contract. It holds data and small methods on it.
//
// Package hub runs turns, package lifecycle has the rules of a turn's life, and
// package history builds conversations from events.
//
// The package imports nothing outside the standard library.
package bellcord
