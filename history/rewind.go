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
