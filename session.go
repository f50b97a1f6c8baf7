package bellcord

import (
	"encoding/json"
	"errors"
	"time"
)

// Session is one conversation and the directory it works in. It contains only
// what is needed to list the session and to start a turn; the content is in the
// session's events.
type Session struct {
	ID    SessionID `json:"id"`
	Dir   string    `json:"dir"`             // absolute path without symbolic links; the working directory of all tools
	Owner string    `json:"owner,omitempty"` // "" if the session has no owner: only an admin can access it over HTTP
	Title string    `json:"title,omitempty"` // the first words of the first prompt until it is set
	// AutoTitle reports whether the title was made from a prompt or by an agent.
	// Clearing the conversation removes such a title, and keeps one that a person
	// has set.
	AutoTitle bool `json:"-"`

	Agent string `json:"agent,omitempty"` // name of the external agent; "" for the built-in one
	Model string `json:"model,omitempty"` // provider/model
	Mode  string `json:"mode,omitempty"`  // permission mode, as defined by the agent

	// AdditionalDirs are such paths of directories that file tools may access like
	// Dir. Relative paths always refer to Dir.
	AdditionalDirs []string `json:"additional_dirs,omitempty"`
	// Effort is how much the model reasons: a value of its provider, or "" or
	// DefaultEffort for the configured one.
	Effort string `json:"effort,omitempty"`

	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
}

// DefaultEffort selects the configured reasoning effort of a model again.
const DefaultEffort = "default"

// MaxPromptText is the maximum length of a prompt's text, with its files, in
// bytes. The history is sent to the model with each step, so longer texts belong
// in a file.
const MaxPromptText = 1 << 20

// ErrPromptTooLong is returned for a prompt with more than MaxPromptText bytes
// of text and files.
var ErrPromptTooLong = errors.New("the prompt is longer than 1 MiB: put the rest into a file and name the file in the prompt")

// Prompt is a request for a turn, as a frontend passes it to the hub.
type Prompt struct {
	Turn     TurnID     `json:"-"` // id chosen by the caller; if empty, one is generated
	Text     string     `json:"text"`
	Images   []Image    `json:"images,omitempty"`
	Files    []File     `json:"files,omitempty"` // text files; see FullText
	Links    []Link     `json:"links,omitempty"`
	Task     Task       `json:"task,omitempty" enum:"compact,import,command,unprompted"`
	WhenBusy BusyPolicy `json:"when_busy,omitempty" enum:"queue,reject,replace"`

	// Blocks is the prompt as the client composed it, if Text, Images and Links
	// do not represent it completely. A hosted agent receives the blocks; Text
	// contains all of them as text.
	Blocks []Block `json:"blocks,omitempty"`

	// Limits of the turn; 0 means no limit. Reaching a limit stops the turn
	// with a cause of that kind.
	Deadline       time.Duration `json:"deadline_ms,omitempty"`       // from the start of the turn
	MaxSteps       int           `json:"max_steps,omitempty"`         // maximum number of model requests
	MaxTokens      int64         `json:"max_tokens,omitempty"`        // maximum number of tokens of the turn
	MaxCostNanoUSD int64         `json:"max_cost_nano_usd,omitempty"` // maximum cost of the turn in billionths of a dollar
	SessionBudget  SpendingLimit `json:"session_budget,omitzero"`     // limit for all turns of the session together

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

// inMilliseconds returns d as a number of milliseconds, rounded up so that a
// short limit does not become 0, which means no limit.
func inMilliseconds(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1) / time.Millisecond
}

// Link is a resource that the prompt's text refers to.
type Link struct {
	Name string `json:"name,omitempty"`
	URI  string `json:"uri"`
}

// Task is the purpose of a turn.
type Task string

// The tasks. A compaction is a turn, so it can be stopped and has a receipt,
// but it is not part of the conversation.
const (
	TaskAnswer  Task = "" // the text is a prompt
	TaskCompact Task = "compact"
	TaskImport  Task = "import" // records the conversation that a hosted agent already has
	// TaskCommand runs a command without the model: the text is CommandPrefix and
	// the command. Rules and modes that deny commands apply; no question is asked.
	// The command and its output become part of the conversation.
	TaskCommand Task = "command"
	// TaskUnprompted is work that a hosted agent has begun without a prompt, for
	// example when a background command has ended. Its text describes it and is not
	// sent to the agent. The work is under way before the turn is accepted: the turn
	// precedes all queued ones, and a stop in the queue ends the work, too.
	TaskUnprompted Task = "unprompted"
)

// CommandPrefix begins the text of a TaskCommand.
const CommandPrefix = "!"

// SpendingLimit limits tokens and cost; 0 means no limit.
type SpendingLimit struct {
	MaxTokens      int64 `json:"max_tokens,omitempty"`
	MaxCostNanoUSD int64 `json:"max_cost_nano_usd,omitempty"`
}

// BusyPolicy determines what happens to a prompt while its session is busy.
type BusyPolicy string

// The policies. BusyReject rejects the prompt. BusyReplace stops the running
// and the queued turns and runs the prompt instead; of several replacements the
// last one wins.
const (
	BusyQueue   BusyPolicy = "queue" // the default
	BusyReject  BusyPolicy = "reject"
	BusyReplace BusyPolicy = "replace"
)

// OnDisconnect determines whether a turn continues after its client
// disconnects.
type OnDisconnect string

// The choices. A disconnect is not a stop unless the caller chose
// StopOnDisconnect for the turn (law 34).
const (
	ContinueOnDisconnect OnDisconnect = "continue" // the default
	StopOnDisconnect     OnDisconnect = "stop"
)

// Limits for the output of one turn. They prevent an endless answer or tool
// output from filling the store and every later request of the session.
const (
	DefaultOutput = 1 << 20 // bytes of a call's output, unless hub.Options sets another limit
	MaxImages     = 8 << 20 // bytes of the images in the result of a call
	MaxArguments  = 1 << 20 // bytes of a call's arguments
	MaxAnswer     = 8 << 20 // bytes of text and thinking in one step

	MaxAgentUpdate  = 64 << 10 // bytes of one AgentUpdate
	MaxAgentUpdates = 1 << 20  // bytes of all AgentUpdate events of a turn
)
