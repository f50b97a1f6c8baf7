package fakemodel

import (
	"errors"
	"unicode/utf8"
)

// errCut ends a reply whose script wants the connection broken.
var errCut = errors.New("reply cut by its script")

// speaker says a reply in one wire format, in a stream or as a whole.
type speaker interface {
	// headers sends what precedes the body.
	headers()
	// open begins the reply.
	open() error
	// say adds one beat; so far is the usage including it.
	say(b beat, soFar usage) error
	// finish ends the reply properly.
	finish(reason finishReason, total usage) error
	// breakOff sends what is still to be seen of a reply that stops here. A
	// stream has shown all it had; a reply in one piece shows a part of itself.
	breakOff() error
}

// finishReason says in no particular format why a reply is over.
type finishReason int

const (
	finishStop finishReason = iota
	finishTools
	finishLength
	finishRefused
)

// usage counts tokens. in includes those that were read from a cache or written
// to it.
type usage struct{ in, out, cacheRead, cacheWrite int }

// play performs a script from the first byte to the last.
func (x *exchange) play(sc script, t turn, voice speaker) error {
	if sc.hangs {
		return x.hang()
	}
	if sc.hangsAfterHeaders {
		voice.headers()
		if err := x.flush(); err != nil {
			x.undelivered("")
			return err
		}
		return x.hang()
	}
	if err := voice.open(); err != nil {
		return err
	}
	chars := 0
	for _, b := range sc.beats(t) {
		if err := x.pause(b.wait); err != nil {
			return err
		}
		chars += utf8.RuneCountInString(b.text)
		if err := voice.say(b, sc.usage.soFar(t.chars, chars)); err != nil {
			return err
		}
	}
	return x.conclude(sc, voice, sc.usage.total(t.chars, chars))
}

func (x *exchange) conclude(sc script, voice speaker, total usage) error {
	switch sc.end {
	case endHang:
		return x.hang()
	case endCut, endCutClean:
		x.brokenOff()
		if err := voice.breakOff(); err != nil {
			return err
		}
		if sc.end == endCut {
			return errCut
		}
		return nil
	case endProperly:
	}
	return voice.finish(sc.reason(), total)
}

// usageRule is what the markers say about usage.
type usageRule struct {
	off     bool
	running bool
	fixed   bool // by [usage IN OUT], to the numbers below
	in, out int

	cacheRead, cacheWrite int // by [cache READ WRITE], of the input
}

func (r usageRule) total(charsIn, charsOut int) usage {
	u := usage{in: tokens(charsIn), out: tokens(charsOut), cacheRead: r.cacheRead, cacheWrite: r.cacheWrite}
	if r.fixed {
		u.in, u.out = r.in, r.out
	}
	u.in = max(u.in, u.cacheRead+u.cacheWrite)
	return u
}

// soFar never exceeds what [usage] sets as the total: running numbers only grow.
func (r usageRule) soFar(charsIn, charsOut int) usage {
	u := r.total(charsIn, charsOut)
	u.out = min(tokens(charsOut), u.out)
	return u
}

// tokens estimates, and never says that some text was free.
func tokens(chars int) int { return (chars + 3) / 4 }
