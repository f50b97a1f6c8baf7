package bellcord

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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
	AgentAbandoned     bool         `json:"agent_abandoned,omitempty"` // the agent ignored the cancellation; its later writes are rejected

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
// confirms, a ProcessConfirmed event follows. Background processes were
// declared to outlive the turn; they are ended with the session.
type Processes struct {
	Ended       []Process `json:"ended,omitempty"`
	Survivors   []Process `json:"survivors,omitempty"`
	Unconfirmed []Process `json:"unconfirmed,omitempty"`
	Proof       string    `json:"proof,omitempty"` // pid_namespace, cgroup_empty, process_scan, job_object or editor_reported
	Background  []Process `json:"background,omitempty"`
}

// proofs lists the proofs, the weakest first.
var proofs = []string{"editor_reported", "process_scan", "job_object", "cgroup_empty", "pid_namespace"}

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
	"job_object": "job object empty", "editor_reported": "as the editor reported",
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

// ResultText returns the result that the model receives for a call with the
// given outcome: for an unfinished call, the output so far and whether it may
// have had effects (law 25).
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
