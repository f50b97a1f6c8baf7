package bellcord

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// End is the final state of a turn. It is written once.
type End string

// The ends. EndLost means that the process that ran the turn died.
const (
	EndDone    End = "done"
	EndStopped End = "stopped"
	EndFailed  End = "failed"
	EndLost    End = "lost"
)

// CallOutcome is the outcome of a tool call.
type CallOutcome string

// The outcomes of a call (law 25). CallUnknown means that the call was started
// and its end was not observed, for example because its process died.
const (
	CallNotStarted CallOutcome = "not_started"
	CallFinished   CallOutcome = "finished"
	CallStopped    CallOutcome = "stopped"
	CallUnknown    CallOutcome = "unknown"
)

// Receipt is the record of a turn's end. Every stop returns it and every
// TurnEnded event contains it: how and why the turn ended, which output was
// kept and which processes remain.
type Receipt struct {
	Turn       TurnID    `json:"turn"`
	Session    SessionID `json:"session"`
	End        End       `json:"end" enum:"done,stopped,failed,lost"`
	Cause      *Cause    `json:"cause,omitempty"` // the first stop requested, also if completion won
	RaceWinner Winner    `json:"race_winner" enum:"stop,completion"`
	Error      string    `json:"error,omitempty"`  // set for a failed turn
	Prompt     string    `json:"prompt,omitempty"` // text of a turn that never started

	Times Times `json:"times"`

	Calls              Calls        `json:"calls"`
	Processes          Processes    `json:"processes"`
	Changes            *Changes     `json:"changes,omitempty"`             // to files; nil if no call could change any, or if they are not recorded
	Sandbox            *Sandbox     `json:"sandbox,omitempty"`             // of the turn's commands; nil if none ran or no sandbox is configured
	WithdrawnQuestions []string     `json:"withdrawn_questions,omitempty"` // questions closed without an answer
	Queue              QueueAction  `json:"queue,omitempty"`               // action for the turns queued behind a stopped turn
	HeldTurns          []TurnID     `json:"held_turns,omitempty"`          // queued turns that the stop held
	DroppedTurns       []TurnID     `json:"dropped_turns,omitempty"`       // queued turns that the stop dropped
	Usage              Usage        `json:"usage"`
	UsageByModel       []ModelUsage `json:"usage_by_model,omitempty"` // Usage split by model
	Kept               Kept         `json:"kept"`
	Incomplete         Incomplete   `json:"incomplete,omitempty" enum:"max_output,refused,empty"` // set if the model's last answer has ended and is not a complete text
	AgentAbandoned     bool         `json:"agent_abandoned,omitempty"`                            // the agent ignored the cancellation; its later writes are rejected

	// LogHead is the head of the session's log before the turn's end. Keep a
	// copy elsewhere to prove later that the log was not rewritten. It is nil
	// if the store does not chain its events.
	LogHead *LogHead `json:"log_head,omitempty"`

	// EndNotDurable is set only on a reply given while the store could not be
	// written: the work has ended, but the end is not durable yet.
	EndNotDurable bool `json:"end_not_durable,omitempty"`
}

// Equal reports whether two receipts have the same JSON.
func (r Receipt) Equal(other Receipt) bool {
	one, err := json.Marshal(r)
	two, failed := json.Marshal(other)
	return err == nil && failed == nil && bytes.Equal(one, two)
}

// Incomplete is the reason why the last answer of a model is not a complete text.
type Incomplete string

// The reasons.
const (
	IncompleteMaxOutput Incomplete = "max_output" // it reached its maximum length
	IncompleteRefused   Incomplete = "refused"    // by the model or by a filter of its API
	IncompleteEmpty     Incomplete = "empty"      // it has no text
)

var incompleteTexts = map[Incomplete]string{
	IncompleteMaxOutput: "cut off at the output limit", IncompleteRefused: "refused by the model", IncompleteEmpty: "the answer is empty",
}

// IncompleteText describes for people what is missing in the answer of a turn that
// is done, for example "cut off at the output limit". It is empty if the answer is
// complete.
func (r Receipt) IncompleteText() string {
	if r.End != EndDone {
		return ""
	}
	return incompleteTexts[r.Incomplete]
}

// Winner is the winner of a race between a stop and the turn's completion.
type Winner string

// The winners (law 8).
const (
	StopWon       Winner = "stop"
	CompletionWon Winner = "completion"
)

// Times contains the times of a turn; zero for an event that did not happen.
type Times struct {
	Accepted         time.Time `json:"accepted,omitzero"`
	Started          time.Time `json:"started,omitzero"`
	StopRequested    time.Time `json:"stop_requested,omitzero"`     // the stop was received
	StreamClosed     time.Time `json:"stream_closed,omitzero"`      // the connection to the model was closed
	LastProcessEnded time.Time `json:"last_process_ended,omitzero"` // the last process of the turn had ended
	Settled          time.Time `json:"settled,omitzero"`            // no work remained; written by the commit that makes it durable
}

// Calls lists the calls of a turn by outcome. Finished calls are only counted.
type Calls struct {
	Finished   int       `json:"finished"`
	Stopped    []CallRef `json:"stopped,omitempty"`
	NotStarted []CallRef `json:"not_started,omitempty"`
	Unknown    []CallRef `json:"unknown,omitempty"`
}

// CallRef identifies a call.
type CallRef struct {
	Call string `json:"call"`
	Name string `json:"name"`
}

// Process is a process that a turn started.
type Process struct {
	PID  int    `json:"pid"`
	Name string `json:"name,omitempty"`
	How  string `json:"how,omitempty" enum:"exited,terminated,killed,running,not_started"`
}

// Processes lists the processes that a turn's calls started.
//
// Ended processes have ended. Survivors were still running after Bellcord tried
// to end them; the list must be empty. Proof is the method by which this was
// verified. Unconfirmed processes belong to another program, such as an editor,
// that has not confirmed their end: they may still be running. When it
// confirms, a ProcessConfirmed event follows. Background processes were declared
// to outlive the turn, or a hosted agent keeps them; they are ended with the session.
//
// Unknown is set on the receipt of a turn whose process died: the lists are not
// complete. When Bellcord has checked the machine and ended what was left, a
// ProcessesRecovered event follows. ReceiptNow returns the receipt with it.
type Processes struct {
	Ended       []Process `json:"ended,omitempty"`
	Survivors   []Process `json:"survivors,omitempty"`
	Unconfirmed []Process `json:"unconfirmed,omitempty"`
	// Proof is pid_namespace, cgroup_empty, process_scan, job_object,
	// machine_restarted or editor_reported.
	Proof      string              `json:"proof,omitempty"`
	Background []Process           `json:"background,omitempty"`
	Unknown    ProcessesUnknownWhy `json:"unknown,omitempty" enum:"not_checked,container_gone"`
	Node       string              `json:"node,omitempty"` // the node that ran a turn with Unknown, if it has a name
}

// ProcessesUnknownWhy is the reason why the processes of a turn are not known.
type ProcessesUnknownWhy string

// The reasons: nothing has checked the machine since the process of the turn
// died, or the container in which they ran is not the one of this process.
const (
	ProcessesNotChecked    ProcessesUnknownWhy = "not_checked"
	ProcessesContainerGone ProcessesUnknownWhy = "container_gone"
)

// UnknownText describes for people why the processes are not known, for example
// "not known: node a is gone, and its machine was not checked since". It is empty
// if they are known.
func (p Processes) UnknownText() string {
	switch {
	case p.Unknown == "":
		return ""
	case p.Unknown == ProcessesContainerGone:
		return "not known: the container in which they ran is gone"
	case p.Node != "":
		return "not known: node " + p.Node + " is gone, and its machine was not checked since"
	default:
		return "not known yet: not checked since Bellcord ended"
	}
}

// proofs lists the proofs, the weakest first.
var proofs = []string{"editor_reported", "process_scan", "job_object", "cgroup_empty", "pid_namespace", "machine_restarted"}

// Add adds the processes of another call. The proof of the sum is the weaker one
// of the two.
func (p *Processes) Add(more Processes) {
	p.Ended = append(p.Ended, more.Ended...)
	p.Survivors = append(p.Survivors, more.Survivors...)
	p.Unconfirmed = append(p.Unconfirmed, more.Unconfirmed...)
	if p.Proof == "" || more.Proof != "" && slices.Index(proofs, more.Proof) < slices.Index(proofs, p.Proof) {
		p.Proof = more.Proof
	}
}

// proofTexts maps Processes.Proof to the words for it.
var proofTexts = map[string]string{
	"pid_namespace": "PID namespace ended", "cgroup_empty": "cgroup empty", "process_scan": "no process found",
	"job_object": "job object empty", "editor_reported": "as the editor reported", "machine_restarted": "machine restarted",
}

// EndedText describes the ended processes and the proof for people, for example
// "3 processes ended, cgroup empty". It is empty if no process was ended.
func (p Processes) EndedText() string {
	if len(p.Ended) == 0 {
		return ""
	}
	text := fmt.Sprintf("%d processes ended", len(p.Ended))
	if len(p.Ended) == 1 {
		text = "1 process ended"
	}
	if proof := proofTexts[p.Proof]; proof != "" {
		text += ", " + proof
	}
	return text
}

// Kept counts the output of a turn that is in the log.
type Kept struct {
	TextBytes     int64 `json:"text_bytes"`
	ThinkingBytes int64 `json:"thinking_bytes"`
	FinishedCalls int   `json:"finished_calls"`
}
