package bellcord

import (
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"
)

// Session is one conversation and the place it works in. Its events are in the
// log; this is only what is needed to list it and to start a turn in it.
type Session struct {
	ID      SessionID `json:"id"`
	Dir     string    `json:"dir"`             // absolute; tools work here, whatever the process's own directory is
	Owner   string    `json:"owner,omitempty"` // "" for none: only an admin reaches the session over HTTP
	Title   string    `json:"title,omitempty"` // the first words of the first prompt until somebody says better
	Agent   string    `json:"agent,omitempty"` // who does the work; "" is our own
	Model   string    `json:"model,omitempty"` // provider/model
	Mode    string    `json:"mode,omitempty"`  // how much is allowed without asking; the agent knows the words
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
}

// MaxPromptText is how many bytes the text of a prompt may have. A history is
// sent to the model with each step, so a longer text belongs into a file.
const MaxPromptText = 1 << 20

// ErrPromptTooLong refuses a prompt whose text has more than MaxPromptText bytes.
var ErrPromptTooLong = errors.New("the prompt is longer than 1 MiB: put the rest into a file and name the file in the prompt")

// Prompt is what a front hands to the hub.
type Prompt struct {
	Turn     TurnID     `json:"-"` // the caller's id, or empty for one of ours
	Text     string     `json:"text"`
	Images   []Image    `json:"images,omitempty"`
	Links    []Link     `json:"links,omitempty"`
	Task     Task       `json:"task,omitempty" enum:"compact"`
	WhenBusy BusyPolicy `json:"when_busy,omitempty" enum:"queue,reject,replace"`

	// Limits; 0 = none. Reaching one stops the turn, with its own cause.
	Deadline       time.Duration `json:"deadline_ms,omitempty"`       // from the start of the turn
	MaxSteps       int           `json:"max_steps,omitempty"`         // most model requests
	MaxTokens      int64         `json:"max_tokens,omitempty"`        // of the turn
	MaxCostNanoUSD int64         `json:"max_cost_nano_usd,omitempty"` // of the turn, in billionths of a dollar
	SessionLimit   SpendingLimit `json:"session_budget,omitzero"`     // of all the session's turns together

	OnDisconnect OnDisconnect `json:"on_disconnect,omitempty" enum:"continue,stop"`
}

// MarshalJSON writes the deadline in milliseconds, rounded up.
func (p Prompt) MarshalJSON() ([]byte, error) {
	type plain Prompt
	wire := plain(p)
	wire.Deadline = inMilliseconds(p.Deadline)
	return json.Marshal(wire)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (p *Prompt) UnmarshalJSON(data []byte) error {
	type plain Prompt
	wire := plain(*p)
	wire.Deadline = 0
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	wire.Deadline *= time.Millisecond
	*p = Prompt(wire)
	return nil
}

// inMilliseconds returns a number of milliseconds in the place of a duration,
// rounded up: a short limit must not become none.
func inMilliseconds(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1) / time.Millisecond
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
	TaskAnswer  Task = "" // the text is a prompt
	TaskCompact Task = "compact"
)

// SpendingLimit is what may be spent; 0 = no limit.
type SpendingLimit struct {
	MaxTokens      int64 `json:"max_tokens,omitempty"`
	MaxCostNanoUSD int64 `json:"max_cost_nano_usd,omitempty"`
}

// BusyPolicy says what a prompt does when its session is busy.
type BusyPolicy string

// The policies. Replace stops what runs and what waits, and runs this instead;
// of several replacements the last one wins.
const (
	BusyQueue   BusyPolicy = "queue" // the default
	BusyReject  BusyPolicy = "reject"
	BusyReplace BusyPolicy = "replace"
)

// OnDisconnect says whether a turn outlives the client that asked for it.
type OnDisconnect string

// A disconnect is not a stop unless the caller chose so for this turn (law 34).
const (
	ContinueOnDisconnect OnDisconnect = "continue" // the default
	StopOnDisconnect     OnDisconnect = "stop"
)

// mostTitle is how long a title made from a prompt may be, in characters.
const mostTitle = 60

// FirstWords is the title of a session that nobody has named: the beginning of
// its first prompt.
func FirstWords(prompt string) string {
	title, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	if utf8.RuneCountInString(title) > mostTitle {
		title = string([]rune(title)[:mostTitle-1]) + "…"
	}
	return title
}

// Bounds of what one turn may put on record. They keep a model or a tool that
// does not end from filling the store and every later prompt of the session.
const (
	DefaultOutput = 1 << 20 // bytes of a call's output, unless hub.Options says otherwise
	MaxArguments  = 1 << 20 // bytes of a call's arguments
	MaxAnswer     = 8 << 20 // bytes of text and thinking in one step
)
