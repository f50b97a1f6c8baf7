package chat

import (
	"time"

	"github.com/bellcord/bellcord"
)

// Notices returns what has happened since the last call and matters to a user who
// does not look at the terminal: a turn waits for an answer, or has ended. A notice
// contains the title of the session and no command or answer, because it can be
// shown on a locked screen. Events from before the session was shown cause none.
func (m *Model) Notices() []string {
	notices := m.notices
	m.notices = nil
	return notices
}

// notice adds the notice about an event, if it needs one.
func (m *Model) notice(ev bellcord.Event) {
	if m.replaying || m.plain {
		return
	}
	words := ""
	switch b := ev.Body.(type) {
	case bellcord.QuestionOpened:
		words = "waiting for you"
	case bellcord.TurnEnded:
		if !b.Receipt.Times.Started.IsZero() {
			words = endWords(b.Receipt)
		}
	}
	if words == "" {
		return
	}
	if m.session.Title != "" {
		words += " · " + m.session.Title
	}
	m.notices = append(m.notices, "Bellcord: "+harmless(oneLine(words)))
}

// endWords describes the end of a turn without its error.
func endWords(r bellcord.Receipt) string {
	took := r.Times.Settled.Sub(r.Times.Started).Round(time.Second)
	switch r.End {
	case bellcord.EndStopped:
		return "stopped after " + seconds(took)
	case bellcord.EndFailed, bellcord.EndLost:
		return string(r.End)
	case bellcord.EndDone:
	}
	return "done " + elapsed(took)
}
