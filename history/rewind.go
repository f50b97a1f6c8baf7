package history

import (
	"slices"

	"github.com/bellcord/bellcord"
)

// span is a part of the log that a rewind removed from the conversation.
type span struct{ from, until int64 }

// rewinds are the rewinds of a conversation that were not taken back.
type rewinds []span

// add applies an event.
func (r *rewinds) add(ev bellcord.Event) {
	switch b := ev.Body.(type) {
	case bellcord.ConversationCleared:
		*r = nil
	case bellcord.ConversationRewound:
		switch {
		case !b.TakenBack:
			*r = append(*r, span{b.FromSeq, ev.Seq})
		case len(*r) > 0:
			*r = (*r)[:len(*r)-1]
		}
	}
}

// skips reports whether an event is not part of the conversation. Prompts that
// were only accepted in a span can start after it. The ends of turns have no
// message, and undone files stay undone.
func (r rewinds) skips(ev bellcord.Event) bool {
	switch ev.Body.(type) {
	case bellcord.TurnAccepted, bellcord.PromptEdited, bellcord.TurnEnded, bellcord.Undone:
		return false
	}
	return r.cover(ev.Seq)
}

func (r rewinds) cover(seq int64) bool {
	return slices.ContainsFunc(r, func(s span) bool { return s.from <= seq && seq < s.until })
}

// Place finds a turn in the conversation of a session, from all events of the
// session.
type Place struct {
	turn  bellcord.TurnID
	seq   int64
	spans rewinds
}

// NewPlace returns a Place for the turn, without events.
func NewPlace(turn bellcord.TurnID) *Place { return &Place{turn: turn} }

// Read applies an event of the session.
func (p *Place) Read(ev bellcord.Event) {
	p.spans.add(ev)
	switch ev.Body.(type) {
	case bellcord.ConversationCleared:
		p.seq = 0
	case bellcord.TurnStarted:
		if ev.Turn == p.turn {
			p.seq = ev.Seq
		}
	}
}

// Seq returns the number of the turn's TurnStarted event, or
// ErrNotInConversation.
func (p *Place) Seq() (int64, error) {
	if p.seq == 0 || p.spans.cover(p.seq) {
		return 0, bellcord.ErrNotInConversation
	}
	return p.seq, nil
}

// Rewound reports whether a rewind can be taken back.
func (p *Place) Rewound() bool { return len(p.spans) > 0 }
