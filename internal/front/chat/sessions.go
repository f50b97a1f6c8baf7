package chat

import (
	"time"

	"github.com/bellcord/bellcord"
)

// Listed is a session in the list of sessions.
type Listed struct {
	bellcord.Session
	State SessionState
	Since time.Time // when its running turn was accepted; zero if none is running
}

// SessionState is the state of a session: of its turn that has not ended, or else
// the end of its last turn. It is "" if that is unknown.
type SessionState string

// The states of sessions. A bellcord.End is also one.
const (
	SessionRunning  SessionState = "running"
	SessionWaiting  SessionState = "waiting" // for an answer of the user
	SessionStopping SessionState = "stopping"
	SessionQueued   SessionState = "queued"
	SessionHeld     SessionState = "held"
)

// Found is a session that contains the words of a search.
type Found struct {
	Session Listed
	Text    string // around the match, if that is in a prompt or an answer
}

// glyph returns the sign of a state.
func (s SessionState) glyph() string {
	switch s {
	case SessionRunning, SessionState(bellcord.EndDone):
		return "●"
	case SessionWaiting:
		return "?"
	case SessionStopping, SessionState(bellcord.EndStopped):
		return "■"
	case SessionHeld:
		return "‖"
	case SessionState(bellcord.EndFailed), SessionState(bellcord.EndLost):
		return "✗"
	case SessionQueued:
	}
	return "○"
}

// stateWords describes the state of a session: how long its turn has been running,
// or when the session was last changed.
func (l Listed) stateWords(now time.Time) string {
	switch l.State {
	case SessionRunning:
		return "running " + elapsed(now.Sub(l.Since))
	case SessionWaiting:
		return "waiting for you"
	case SessionStopping:
		return "stopping…"
	case SessionQueued, SessionHeld:
		return string(l.State)
	case "":
		return l.Updated.Local().Format("15:04")
	}
	return string(l.State) + " " + l.Updated.Local().Format("15:04")
}
