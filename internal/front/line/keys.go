package line

import (
	"strings"
	"time"
)

// Press is an operation that a user requests with a key.
type Press int

// The presses. A letter marks an answer, Enter confirms the marked one, and any
// other key removes the mark.
const (
	PressStop Press = iota + 1
	PressForce
	PressLeave
	PressYes
	PressAlways
	PressNo
	MarkYes
	MarkAlways
	MarkNo
	Unmark
)

// Situation is the state that decides what a key means.
type Situation struct {
	Running  bool      // a turn runs, waits for an answer or stops
	Question string    // the open question, or ""
	Shown    time.Time // when it was shown
}

const (
	// EscapeWait is how long an Esc may be the beginning of another key's
	// sequence, such as that of an arrow.
	EscapeWait = 50 * time.Millisecond
	// Settling is how long a question must have been on the screen, and how
	// long no key may have been pressed, before a key can answer it.
	Settling = 700 * time.Millisecond
	// again is the longest time between two Ctrl-Cs that count as a repetition.
	again = 2 * time.Second
)

const ctrlC, ctrlD, esc = 0x03, 0x04, 0x1b

// sequence is the position in a key's sequence of bytes.
type sequence int

const (
	none      sequence = iota
	escaped            // after Esc: a press, or the beginning of more
	control            // Esc [ : up to a final byte
	singleKey          // Esc O : one more byte
)

// Keys converts the bytes of a terminal in raw mode to presses. Esc stops.
// Ctrl-C stops, forces when repeated within two seconds, and leaves after that;
// it leaves at once when nothing runs. Ctrl-D and q leave. Keys has no clock:
// the caller passes the time.
type Keys struct {
	within     sequence
	since      time.Time // time of the last byte of an unfinished sequence
	interrupts int       // number of Ctrl-Cs in a row
	last       time.Time // time of the last one
	typed      time.Time // time of the last byte
	marked     Press     // the answer that Enter confirms; 0 if none is marked
	question   string    // the question of that answer
}

// Type handles bytes in the order of their arrival.
func (k *Keys) Type(bytes []byte, at time.Time, s Situation) []Press {
	presses := k.Lapse(at, s)
	// Only a single key after a pause can be an answer.
	answers := len(bytes) == 1 && k.within == none && s.Question != "" &&
		at.Sub(s.Shown) >= Settling && at.Sub(k.typed) >= Settling
	k.typed = at
	for _, b := range bytes {
		if answer := k.readReply(b, s, answers); answer != 0 {
			presses = append(presses, answer)
			if answer != Unmark {
				continue
			}
		}
		presses = append(presses, k.key(b, at, s)...)
	}
	return presses
}

// Pending reports whether Lapse must be called when EscapeWait has passed.
func (k *Keys) Pending() bool { return k.within != none }

// Lapse handles the passing of time: an Esc that nothing followed is a press.
func (k *Keys) Lapse(at time.Time, s Situation) []Press {
	if k.within == none || at.Sub(k.since) < EscapeWait {
		return nil
	}
	lone := k.within == escaped || k.within == singleKey // singleKey: only "O" followed
	k.within = none
	if lone {
		return k.escape(s)
	}
	return nil
}

// TurnEnded makes the next Ctrl-C count as the first, because it is meant for
// another turn.
func (k *Keys) TurnEnded() { k.interrupts = 0 }

// key handles one byte and returns the presses that are certain now.
func (k *Keys) key(b byte, at time.Time, s Situation) []Press {
	switch k.within {
	case escaped:
		return k.behindEscape(b, at, s)
	case control:
		k.since = at
		if b >= 0x40 && b <= 0x7e {
			k.within = none
		}
		return nil
	case singleKey:
		k.within = none
		if strings.IndexByte(singleKeys, b) < 0 { // Esc, then text such as "Oh"
			return append(k.escape(s), k.plain(b, at, s)...)
		}
		return nil
	case none:
	}
	return k.plain(b, at, s)
}

// singleKeys are the bytes that complete Esc O: arrows, function keys, keypad.
const singleKeys = "ABCDEFHMPQRSXIjklmnopqrstuvwxy0123456789"

// behindEscape handles the byte after an Esc. Esc [ and Esc O begin other keys.
// Before any other byte, the Esc is a press and the byte another one: both
// arrived together, and a stop is never lost. Alt has no other meaning here.
func (k *Keys) behindEscape(b byte, at time.Time, s Situation) []Press {
	k.since = at
	switch b {
	case '[':
		k.within = control
		return nil
	case 'O':
		k.within = singleKey
		return nil
	case ctrlC: // Ctrl-C stops, too
		k.within = none
		return k.plain(b, at, s)
	case esc:
		return k.escape(s) // the second one may begin another key
	}
	k.within = none
	return append(k.escape(s), k.plain(b, at, s)...)
}

// escape returns the press of an Esc.
func (k *Keys) escape(s Situation) []Press {
	if s.Running {
		return []Press{PressStop}
	}
	return nil
}

func (k *Keys) plain(b byte, at time.Time, s Situation) []Press {
	switch b {
	case esc:
		k.within, k.since = escaped, at
	case ctrlC:
		return []Press{k.interrupt(at, s)}
	case ctrlD, 'q', 'Q':
		return []Press{PressLeave}
	}
	return nil
}

// answer contains the press that marks an answer and the one that confirms it.
type answer struct{ mark, give Press }

var letters = map[byte]answer{'y': {MarkYes, PressYes}, 'a': {MarkAlways, PressAlways}, 'n': {MarkNo, PressNo}}

// readReply handles a byte for the open question: it marks an answer, confirms
// the marked one or removes the mark. It returns 0 for any other byte.
func (k *Keys) readReply(b byte, s Situation, answers bool) Press {
	marked := k.marked
	k.marked = 0
	switch {
	case marked != 0 && k.question == s.Question && (b == '\r' || b == '\n'):
		return marked
	case marked != 0:
		return Unmark
	case answers:
		if a, is := letters[b|0x20]; is {
			k.marked, k.question = a.give, s.Question
			return a.mark
		}
	}
	return 0
}

func (k *Keys) interrupt(at time.Time, s Situation) Press {
	if !s.Running {
		return PressLeave
	}
	if at.Sub(k.last) > again {
		k.interrupts = 0
	}
	k.interrupts++
	k.last = at
	return [...]Press{PressStop, PressForce, PressLeave}[min(k.interrupts, 3)-1]
}
