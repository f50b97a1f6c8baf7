package line

import "time"

// Press is what a person wants who watches a session.
type Press int

// The presses.
const (
	PressStop Press = iota + 1
	PressForce
	PressLeave
	PressYes
	PressAlways
	PressNo
)

// Situation is what keys are pressed in: it decides what they mean.
type Situation struct {
	Running bool // a turn runs, or waits for a person, or stops
	Asked   bool // a question is open
}

const (
	// EscapeWait is how long an Esc may be the beginning of another key's
	// sequence: arrows and their kin send it first.
	EscapeWait = 50 * time.Millisecond
	// again is how soon a Ctrl-C has to follow another one to mean more.
	again = 2 * time.Second
)

const ctrlC, ctrlD, esc = 0x03, 0x04, 0x1b

// sequence is where in a key's sequence of bytes we are.
type sequence int

const (
	none      sequence = iota
	escaped            // an Esc came: a press, or the beginning of more
	control            // Esc [ : up to a final byte
	singleKey          // Esc O : one more byte
)

// Keys turns the bytes of a terminal in raw mode into presses. Esc stops. Ctrl-C
// stops, forces when it follows within two seconds, and leaves after that; it
// leaves at once when nothing runs. Ctrl-D and q leave. It knows no clock: who
// reads says what time it is.
type Keys struct {
	within     sequence
	since      time.Time // of the last byte of an unfinished sequence
	interrupts int       // Ctrl-Cs that belong together
	last       time.Time // of them
}

// Type takes bytes as they come.
func (k *Keys) Type(bytes []byte, at time.Time, s Situation) []Press {
	presses := k.Lapse(at, s)
	for _, b := range bytes {
		if p := k.key(b, at, s); p != 0 {
			presses = append(presses, p)
		}
	}
	return presses
}

// Pending reports whether Lapse is to be called when EscapeWait has passed.
func (k *Keys) Pending() bool { return k.within != none }

// Lapse takes note that time has passed: an Esc that nothing followed was one.
func (k *Keys) Lapse(at time.Time, s Situation) []Press {
	if k.within == none || at.Sub(k.since) < EscapeWait {
		return nil
	}
	lone := k.within == escaped
	k.within = none
	if lone && s.Running {
		return []Press{PressStop}
	}
	return nil
}

// TurnEnded makes the next Ctrl-C a first one: it is meant for another turn.
func (k *Keys) TurnEnded() { k.interrupts = 0 }

// key takes one byte; 0 when it is no press, or none yet.
func (k *Keys) key(b byte, at time.Time, s Situation) Press {
	switch k.within {
	case escaped:
		return k.behindEscape(b, at, s)
	case control:
		k.since = at
		if b >= 0x40 && b <= 0x7e {
			k.within = none
		}
		return 0
	case singleKey:
		k.within = none
		return 0
	case none:
	}
	return k.plain(b, at, s)
}

// behindEscape knows Esc [ and Esc O as the beginnings of keys, and Esc with a
// letter as a key with Alt. What cannot be either leaves the Esc a press.
func (k *Keys) behindEscape(b byte, at time.Time, s Situation) Press {
	k.since = at
	switch b {
	case '[':
		k.within = control
	case 'O':
		k.within = singleKey
	case ctrlC, ctrlD: // means at least as much
		k.within = none
		return k.plain(b, at, s)
	case esc:
		if s.Running {
			return PressStop // and the second one may begin another key
		}
	default:
		k.within = none
	}
	return 0
}

func (k *Keys) plain(b byte, at time.Time, s Situation) Press {
	switch b {
	case esc:
		k.within, k.since = escaped, at
	case ctrlC:
		return k.interrupt(at, s)
	case ctrlD, 'q', 'Q':
		return PressLeave
	}
	if !s.Asked {
		return 0
	}
	switch b {
	case 'y', 'Y':
		return PressYes
	case 'a', 'A':
		return PressAlways
	case 'n', 'N':
		return PressNo
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
