package bellcord

import (
	"strings"
	"time"
)

// End is how a turn ended. It is written once.
type End string

// The ends. Lost means that the process which ran the turn died.
const (
	EndDone    End = "done"
	EndStopped End = "stopped"
	EndFailed  End = "failed"
	EndLost    End = "lost"
)

// CallOutcome is what became of a tool call.
type CallOutcome string

// The fates of a call (law 25). Unknown: it was started and nobody lived to see
// its end.
const (
	CallNotStarted CallOutcome = "not_started"
	CallFinished   CallOutcome = "finished"
	CallStopped    CallOutcome = "stopped"
	CallUnknown    CallOutcome = "unknown"
)

// Receipt is what every stop returns and what every turn's end carries: what
// ended, why, what was kept and what was left behind.
type Receipt struct {
	Turn       TurnID    `json:"turn"`
	Session    SessionID `json:"session"`
	End        End       `json:"end" enum:"done,stopped,failed,lost"`
	Cause      *Cause    `json:"cause,omitempty"` // the first stop that was asked for, also where completion won
	RaceWinner Winner    `json:"race_winner" enum:"stop,completion"`
	Error      string    `json:"error,omitempty"` // of a failed turn
	Prompt     string    `json:"prompt,omitempty"`

	Times Times `json:"times"`

	Calls              Calls        `json:"calls"`
	Processes          Processes    `json:"processes"`
	WithdrawnQuestions []string     `json:"withdrawn_questions,omitempty"` // closed without an answer
	Queue              QueueAction  `json:"queue,omitempty"`               // the fate of what waited behind a stopped turn
	HeldTurns          []TurnID     `json:"held_turns,omitempty"`
	DroppedTurns       []TurnID     `json:"dropped_turns,omitempty"`
	Usage              Usage        `json:"usage"`
	UsageByModel       []ModelUsage `json:"usage_by_model,omitempty"` // the same by model
	Kept               Kept         `json:"kept"`
	AgentAbandoned     bool         `json:"agent_abandoned,omitempty"` // the agent ignored its context; its later writes are refused

	// LogHead is the head of the session's log before the turn's end, as the store
	// had it. Keep it elsewhere to prove later that the log was not rewritten. It
	// is nil for a store that does not chain its events.
	LogHead *LogHead `json:"log_head,omitempty"`

	// EndNotDurable is set only on an answer given while the store could not be
	// written: the work has ended, its end is not durable yet.
	EndNotDurable bool `json:"end_not_durable,omitempty"`
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
	Accepted         time.Time `json:"accepted,omitzero"`
	Started          time.Time `json:"started,omitzero"`
	StopRequested    time.Time `json:"stop_requested,omitzero"`     // the stop was received
	StreamClosed     time.Time `json:"stream_closed,omitzero"`      // the model's connection was closed
	LastProcessEnded time.Time `json:"last_process_ended,omitzero"` // the last process of the turn was gone
	Settled          time.Time `json:"settled,omitzero"`            // no work remained; written by the commit that makes it durable
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
	How  string `json:"how,omitempty" enum:"exited,terminated,killed,running,not_started"`
}

// Processes that came from a turn's calls and were ended, and those that
// outlived the attempt: there must be none. Proof says how that is known.
// Unconfirmed ones belong to another program, such as an editor, which has not
// confirmed that they ended: they may still run. A ProcessConfirmed event
// follows when it does.
// Background ones were declared to outlive the turn; they end with the session.
type Processes struct {
	Ended       []Process `json:"ended,omitempty"`
	Survivors   []Process `json:"survivors,omitempty"`
	Unconfirmed []Process `json:"unconfirmed,omitempty"`
	Proof       string    `json:"proof,omitempty"` // cgroup | scan | job
	Background  []Process `json:"background,omitempty"`
}

// Add adds the processes of another call.
func (p *Processes) Add(more Processes) {
	p.Ended = append(p.Ended, more.Ended...)
	p.Survivors = append(p.Survivors, more.Survivors...)
	p.Unconfirmed = append(p.Unconfirmed, more.Unconfirmed...)
	if more.Proof != "" {
		p.Proof = more.Proof
	}
}

// Kept is what of a turn's output is in the record.
type Kept struct {
	TextBytes     int64 `json:"text_bytes"`     // bytes of the answer
	ThinkingBytes int64 `json:"thinking_bytes"` // bytes of thinking
	FinishedCalls int   `json:"finished_calls"` // finished calls
}

// ResultText tells the model the truth about a call that did not finish: what
// is known of its effects and what it had put out (law 25).
func ResultText(fate CallOutcome, output string) string {
	var text string
	switch fate {
	case CallNotStarted:
		return "[not started: the turn was stopped before this call ran; it had no effect]"
	case CallStopped:
		text = "[stopped while running; it may have had effects]"
	case CallUnknown:
		text = "[outcome unknown: the call started, but its end was not observed; it may have had effects]"
	case CallFinished:
		return output
	}
	if strings.TrimSpace(output) != "" {
		text = "[output so far]\n" + output + "\n" + text
	}
	return text
}
