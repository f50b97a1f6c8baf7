package history

import (
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/clip"
)

// Turn is a turn that has started.
type Turn struct {
	ID    bellcord.TurnID
	Seq   int64 // of its TurnStarted event
	Task  bellcord.Task
	Words string // the first words of its prompt
}

// Turns lists the turns of a session, from all events of the session. The zero
// value has no events.
type Turns struct {
	waiting map[bellcord.TurnID]Turn
	started []Turn
	cleared int64 // the conversation began after this event
	spans   rewinds
}

// Read applies an event of the session.
func (t *Turns) Read(ev bellcord.Event) {
	t.spans.add(ev)
	switch b := ev.Body.(type) {
	case bellcord.ConversationCleared:
		t.cleared = ev.Seq
	case bellcord.TurnAccepted:
		t.wait(Turn{ID: ev.Turn, Task: b.Task, Words: clip.FirstWords(b.Text)})
	case bellcord.PromptEdited:
		t.wait(Turn{ID: ev.Turn, Task: t.waiting[ev.Turn].Task, Words: clip.FirstWords(b.Text)})
	case bellcord.TurnStarted:
		started := t.waiting[ev.Turn]
		started.ID, started.Seq = ev.Turn, ev.Seq
		t.started = append(t.started, started)
		delete(t.waiting, ev.Turn)
	case bellcord.TurnEnded:
		delete(t.waiting, ev.Turn)
	}
}

func (t *Turns) wait(turn Turn) {
	if t.waiting == nil {
		t.waiting = map[bellcord.TurnID]Turn{}
	}
	t.waiting[turn.ID] = turn
}

// Started returns all turns that have started, the oldest first.
func (t *Turns) Started() []Turn { return slices.Clone(t.started) }

// Conversation returns the turns of the conversation, the oldest first: those that
// were neither cleared nor rewound.
func (t *Turns) Conversation() []Turn {
	return slices.DeleteFunc(slices.Clone(t.started), func(one Turn) bool { return one.Seq < t.cleared || t.spans.cover(one.Seq) })
}

// Find returns a turn of the conversation, or ErrNotInConversation.
func (t *Turns) Find(id bellcord.TurnID) (Turn, error) {
	for _, one := range t.Conversation() {
		if one.ID == id {
			return one, nil
		}
	}
	return Turn{}, bellcord.ErrNotInConversation
}

// Rewound reports whether a rewind can be taken back.
func (t *Turns) Rewound() bool { return len(t.spans) > 0 }
