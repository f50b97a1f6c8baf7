package sqlite_test

// gaps lists the requirements of the suite that this store does not meet, with
// the reason.
var gaps = map[string]string{
	"a call's arguments come back byte for byte": "the body's JSON compacts a RawMessage and escapes <, > and & in it: the same value, and the same bytes at every later reading, which is what prompt caches need",

	"an event of the session alone, committed twice, is there once": "an append without a turn has nothing to be recognised by; such events say how things are, and twice is no harm",

	"a replayed op is answered with the events that it added": "the answer to a replay leaves the events out; the log looks for the session's end instead",
}
