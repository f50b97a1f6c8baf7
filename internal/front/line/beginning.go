package line

import "github.com/bellcord/bellcord"

// beginning holds back what a log has of the time before the turn that a watch
// begins with. Who watches is not told the whole story, but knows it.
type beginning struct {
	turn bellcord.TurnID // the one to begin with; "" for the last that started
	held []bellcord.Event
	open bool
	past func(bellcord.Event) // is told what is never shown
}

// admit returns the events that can be shown now that another one has come.
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

// caughtUp returns what was held back, when the log has come to its present end.
func (b *beginning) caughtUp() []bellcord.Event {
	if b.open || b.turn != "" { // a turn that was named is yet to come
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

// waits reports whether a body is of the time before its turn started.
func waits(body bellcord.Body) bool {
	switch body.(type) {
	case bellcord.TurnAccepted, bellcord.PromptEdited:
		return true
	}
	return false
}
