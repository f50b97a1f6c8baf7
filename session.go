package bellcord

import "time"

// Session is one conversation and the place it works in. Its events are in the
// log; this is only what is needed to list it and to start a turn in it.
type Session struct {
	ID      SessionID `json:"id"`
	Dir     string    `json:"dir"`             // absolute; tools work here, whatever the process's own directory is
	Title   string    `json:"title,omitempty"` // the first words of the first prompt until somebody says better
	Model   string    `json:"model,omitempty"` // provider/model
	Mode    string    `json:"mode,omitempty"`  // how much is allowed without asking; the agent knows the words
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
}

// Prompt is what a front hands to the hub.
type Prompt struct {
	Turn   TurnID `json:"-"` // the caller's id, or empty for one of ours
	Text   string `json:"text"`
	Policy Policy `json:"policy,omitempty"`

	Deadline time.Duration `json:"deadline,omitempty"` // from the start of the turn; 0 = none
	Tokens   int64         `json:"tokens,omitempty"`   // budget for the turn; 0 = none
	Steps    int           `json:"steps,omitempty"`    // most model requests for the turn; 0 = none

	OnDisconnect OnDisconnect `json:"on_disconnect,omitempty"`
}

// Policy says what a prompt does when its session is busy.
type Policy string

// The policies. Replace stops what runs and what waits, and runs this instead;
// of several replacements the last one wins.
const (
	Queue   Policy = "queue" // the default
	Reject  Policy = "reject"
	Replace Policy = "replace"
)

// OnDisconnect says whether a turn outlives the client that asked for it.
type OnDisconnect string

// A disconnect is not a stop unless the caller chose so for this turn (law 34).
const (
	ContinueOnDisconnect OnDisconnect = "continue" // the default
	StopOnDisconnect     OnDisconnect = "stop"
)
