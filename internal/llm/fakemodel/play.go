package fakemodel

import (
	"errors"
	"unicode/utf8"
)

// errCut ends a reply if its script breaks the connection.
var errCut = errors.New("reply cut by its script")

// speaker sends a reply in one wire format, as a stream or as a whole.
type speaker interface {
	// headers sends the headers.
	headers()
	// open begins the reply.
	open() error
	// add adds one beat; soFar is the usage including it.
	add(b beat, soFar usage) error
	// finish ends the reply regularly.
	finish(reason finishReason, total usage) error
	// breakOff sends the visible rest of a reply that ends here. A stream has
	// sent everything already; a whole reply sends a part of its body.
	breakOff() error
}

// finishReason is the reason for the end of a reply, independent of the format.
type finishReason int

const (
	finishStop finishReason = iota
	finishTools
	finishLength
	finishRefused
)

// usage contains token counts. in includes tokens read from and written to the
// cache.
type usage struct{ in, out, cacheRead, cacheWrite int }

// play sends the whole reply of a script.
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
		if err := voice.add(b, sc.usage.soFar(t.chars, chars)); err != nil {
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

// usageRule is the effect of the markers on reported usage.
type usageRule struct {
	off     bool
	running bool
	fixed   bool // by [usage IN OUT], to the numbers below
	in, out int

	cacheRead, cacheWrite int // by [cache READ WRITE], part of the input
}

func (r usageRule) total(charsIn, charsOut int) usage {
	u := usage{in: tokens(charsIn), out: tokens(charsOut), cacheRead: r.cacheRead, cacheWrite: r.cacheWrite}
	if r.fixed {
		u.in, u.out = r.in, r.out
	}
	u.in = max(u.in, u.cacheRead+u.cacheWrite)
	return u
}

// soFar returns the usage up to now. It never exceeds the total set by [usage],
// so running numbers only grow.
func (r usageRule) soFar(charsIn, charsOut int) usage {
	u := r.total(charsIn, charsOut)
	u.out = min(tokens(charsOut), u.out)
	return u
}

// tokens estimates the number of tokens, rounded up.
func tokens(chars int) int { return (chars + 3) / 4 }
