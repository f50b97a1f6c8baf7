package api

import "github.com/bellcord/bellcord"

// Where names the part of a session that a search found.
type Where string

// The parts that are searched.
const (
	InTitle  Where = "title"
	InPrompt Where = "prompt"
	InAnswer Where = "answer"
	InDir    Where = "dir"
)

// SessionState is the state of a session's unended turns, by which a search
// selects sessions.
type SessionState string

// The states of sessions. A session can be in several of the first three.
const (
	SessionRunning SessionState = "running" // a turn runs, or is queued and runs next
	SessionWaiting SessionState = "waiting" // a turn waits for an answer of the user
	SessionHeld    SessionState = "held"    // a stop holds prompts
	SessionEnded   SessionState = "ended"   // all turns have ended
)

// StateOf returns the state that an unended turn gives its session. A queued turn
// that is not held runs by itself, and so does a stopping one until it has ended.
func StateOf(t Turn) SessionState {
	switch {
	case t.State == Waiting:
		return SessionWaiting
	case t.Held:
		return SessionHeld
	}
	return SessionRunning
}

// Piece is a part of a text. Matches are separate pieces.
type Piece struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty" doc:"the piece is one of the words of the query"`
}

// Hit is a session that a search found.
type Hit struct {
	Session bellcord.Session `json:"session"`
	Where   Where            `json:"where" enum:"title,prompt,answer,dir" doc:"the part of the session that contains the words"`
	Turn    bellcord.TurnID  `json:"turn,omitempty" doc:"the turn of the prompt or the answer"`
	Pieces  []Piece          `json:"pieces" nullable:"false" doc:"the text around the first match, in pieces; it is plain text, not markup"`
}

// Hits is the response to GET /v1/search, the most recently updated session
// first.
type Hits struct {
	Hits     []Hit `json:"hits" nullable:"false"`
	Complete bool  `json:"complete" doc:"false if there may be more: the limit or the time limit was reached"`

	NextCursor string `json:"next_cursor,omitempty" doc:"pass it as ?before= to search the older sessions; empty if the search is complete"`
}
