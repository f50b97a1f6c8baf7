package line

import "github.com/bellcord/bellcord"

// beginning holds back the events before the turn that a watch begins with.
// They are not shown, but they update the state of the watch.
type beginning struct {
	turn bellcord.TurnID // the turn to begin with; "" for the last that started
	held []bellcord.Event
	open bool
	past func(bellcord.Event) // called with events that are never shown
}

// admit takes the next event of the log and returns the events that can be
// shown now.
func (b *beginning) admit(ev bellcord.Event) []bellcord.Event {
	_, starts := ev.Body.(bellcord.TurnStarted)
	switch {
	case b.open:
		return []bellcord.Event{ev}
	case b.turn != "":
		if ev.Turn == b.turn && !waits(ev.Body) {
			b.open = true
			return []bellcord.Event{ev}
		}
		b.past(ev)
	case starts:
		b.reset()
		b.held = append(b.held, ev)
	case len(b.held) > 0:
		b.held = append(b.held, ev)
	default:
		b.past(ev)
	}
	return nil
}

// caughtUp returns the events that were held back, once the end of the log is
// reached.
func (b *beginning) caughtUp() []bellcord.Event {
	if b.open || b.turn != "" { // a named turn is still to come
		return nil
	}
	held := b.held
	b.open, b.held = true, nil
	if len(held) > 0 {
		b.turn = held[0].Turn
	}
	return held
}

func (b *beginning) reset() {
	for _, ev := range b.held {
		b.past(ev)
	}
	b.held = b.held[:0]
}

// waits reports whether a body comes before the start of its turn.
func waits(body bellcord.Body) bool {
	switch body.(type) {
	case bellcord.TurnAccepted, bellcord.PromptEdited:
		return true
	}
	return false
}
