package bellcord

import "time"

// Session is one conversation and the place it works in. Its events are in the
// log; this is only what is needed to list it and to start a turn in it.
type Session struct {
	ID      SessionID `json:"id"`
	Dir     string    `json:"dir"`             // absolute; tools work here, whatever the process's own directory is
	Owner   string    `json:"owner,omitempty"` // whose it is; "" for whoever has the machine
	Title   string    `json:"title,omitempty"` // the first words of the first prompt until somebody says better
	Agent   string    `json:"agent,omitempty"` // who does the work; "" is our own
	Model   string    `json:"model,omitempty"` // provider/model
	Mode    string    `json:"mode,omitempty"`  // how much is allowed without asking; the agent knows the words
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
}

// Prompt is what a front hands to the hub.
type Prompt struct {
	Turn   TurnID  `json:"-"` // the caller's id, or empty for one of ours
	Text   string  `json:"text"`
	Images []Image `json:"images,omitempty"`
	Links  []Link  `json:"links,omitempty"`
	Task   Task    `json:"task,omitempty"`
	Policy Policy  `json:"policy,omitempty"`

	// Limits; 0 = none. Reaching one stops the turn, with its own cause.
	Deadline time.Duration `json:"deadline,omitempty"` // from the start of the turn
	Steps    int           `json:"steps,omitempty"`    // most model requests
	Tokens   int64         `json:"tokens,omitempty"`   // of the turn
	Cost     int64         `json:"cost,omitempty"`     // of the turn, in billionths of a dollar
	Session  Allowance     `json:"session,omitzero"`   // of all the session's turns together

	OnDisconnect OnDisconnect `json:"on_disconnect,omitempty"`
}

// Link is something that the person pointed at; the text names it.
type Link struct {
	Name string `json:"name,omitempty"`
	URI  string `json:"uri"`
}

// Task says what a turn is for.
type Task string

// The tasks. A compaction is control: it is a turn, so that it can be stopped
// and has a receipt, but no part of the conversation.
const (
	Answer  Task = "" // the text is a prompt
	Compact Task = "compact"
)

// Allowance is what may be spent; 0 = no limit.
type Allowance struct {
	Tokens int64 `json:"tokens,omitempty"`
	Cost   int64 `json:"cost,omitempty"`
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
