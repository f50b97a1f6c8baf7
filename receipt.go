package bellcord

import "time"

// End is how a turn ended. It is written once.
type End string

// The ends. Lost means that the process which ran the turn died.
const (
	Done    End = "done"
	Stopped End = "stopped"
	Failed  End = "failed"
	Lost    End = "lost"
)

// Fate is what became of a tool call.
type Fate string

// The fates of a call (law 25). Unknown: it was started and nobody lived to see
// its end.
const (
	NotStarted  Fate = "not_started"
	Finished    Fate = "finished"
	CallStopped Fate = "stopped"
	Unknown     Fate = "unknown"
)

// Receipt is what every stop returns and what every turn's end carries: what
// ended, why, what was kept and what was left behind.
type Receipt struct {
	Turn    TurnID    `json:"turn"`
	Session SessionID `json:"session"`
	End     End       `json:"end"`
	Cause   *Cause    `json:"cause,omitempty"` // the first stop that was asked for, also where completion won
	Won     Winner    `json:"won"`
	Error   string    `json:"error,omitempty"` // of a failed turn
	Prompt  string    `json:"prompt,omitempty"`

	Times Times `json:"times"`

	Calls     Calls     `json:"calls"`
	Processes Processes `json:"processes"`
	Questions []string  `json:"questions,omitempty"` // closed without an answer
	Queue     QueueFate `json:"queue,omitempty"`     // the fate of what waited behind a stopped turn
	Held      []TurnID  `json:"held,omitempty"`
	Dropped   []TurnID  `json:"dropped,omitempty"`
	Usage     Usage     `json:"usage"`
	Spent     []Spent   `json:"spent,omitempty"` // the same by model
	Kept      Kept      `json:"kept"`
	Abandoned bool      `json:"abandoned,omitempty"` // the agent ignored its context; its later writes are refused

	// Unsettled is set only on an answer given while the store could not be
	// written: the work has ended, its end is not durable yet.
	Unsettled bool `json:"unsettled,omitempty"`
}

// Winner names who won the race between a stop and the turn's own end.
type Winner string

// The winners (law 8).
const (
	StopWon       Winner = "stop"
	CompletionWon Winner = "completion"
)

// Times of a turn; zero where a thing did not happen.
type Times struct {
	Accepted     time.Time `json:"accepted,omitzero"`
	Started      time.Time `json:"started,omitzero"`
	Requested    time.Time `json:"requested,omitzero"`     // the stop was received
	StreamClosed time.Time `json:"stream_closed,omitzero"` // the model's connection was closed
	ProcessGone  time.Time `json:"process_gone,omitzero"`  // the last process of the turn was gone
	Settled      time.Time `json:"settled,omitzero"`       // no work remained; written by the commit that makes it durable
}

// Calls of the turn by fate: a count of those that finished, and the rest by name.
type Calls struct {
	Finished   int       `json:"finished"`
	Stopped    []CallRef `json:"stopped,omitempty"`
	NotStarted []CallRef `json:"not_started,omitempty"`
	Unknown    []CallRef `json:"unknown,omitempty"`
}

// CallRef names a call.
type CallRef struct {
	Call string `json:"call"`
	Name string `json:"name"`
}

// Process is one that a turn started.
type Process struct {
	PID  int    `json:"pid"`
	Name string `json:"name,omitempty"`
	How  string `json:"how,omitempty"` // exited | asked | forced | running
}

// Processes that came from a turn's calls and were ended, and those that
// outlived the attempt: there must be none. Proof says how that is known.
// Background ones were declared to outlive the turn; they end with the session.
type Processes struct {
	Ended      []Process `json:"ended,omitempty"`
	Survivors  []Process `json:"survivors,omitempty"`
	Proof      string    `json:"proof,omitempty"` // cgroup | scan | job
	Background []Process `json:"background,omitempty"`
}

func (p *Processes) add(more Processes) {
	p.Ended = append(p.Ended, more.Ended...)
	p.Survivors = append(p.Survivors, more.Survivors...)
	if more.Proof != "" {
		p.Proof = more.Proof
	}
}

// Kept is what of a turn's output is in the record.
type Kept struct {
	Text    int64 `json:"text"`    // bytes of the answer
	Thought int64 `json:"thought"` // bytes of thinking
	Results int   `json:"results"` // finished calls
}
