package bellcord

import (
	"encoding/json"
	"fmt"
	"time"
)

// Event is one entry of a session's log. Seq counts from 1 within the session,
// without gaps. Readers receive an event only after it is durable.
type Event struct {
	Session SessionID `json:"session"`
	Seq     int64     `json:"seq"`
	Turn    TurnID    `json:"turn,omitempty"` // empty for an event of the session itself
	Time    time.Time `json:"time"`
	Body    Body      `json:"-"`
}

// Body is the content of an event: one of the event types of this package, such
// as TextDelta or TurnEnded. The set is closed. Kind returns the name of the
// type in JSON and in the store.
type Body interface{ Kind() string }

// Events of a turn's lifecycle.
type (
	// TurnAccepted means that the turn was accepted. Text is the user's prompt.
	TurnAccepted struct {
		Prompt
	}
	// PromptEdited means that the prompt's text was changed while the turn was
	// queued.
	PromptEdited struct {
		Text string `json:"text"`
	}
	// TurnStarted means that the turn left the queue and its agent is running.
	TurnStarted struct{}
	// StopRequested means that a stop was requested. The turn is stopping, not yet stopped.
	StopRequested struct {
		Cause Cause `json:"cause"`
	}
	// TurnEnded is the turn's one end, with its receipt. It is the turn's last
	// event.
	TurnEnded struct {
		Receipt Receipt `json:"receipt"`
	}
)

// Events of an agent's work.
type (
	// StepStarted means that a request is sent to the model. EstimatedInput is
	// an estimate of its input tokens, used when a stop cuts off the exact
	// number.
	StepStarted struct {
		Step           int    `json:"step"`
		Model          string `json:"model,omitempty"`
		EstimatedInput int64  `json:"estimated_input_tokens,omitempty"`
		Price          *Price `json:"price,omitempty"` // the model's price; nil if it has none configured
	}
	// AttachmentLoaded contains the text that a link of the prompt resolved to
	// when the turn started. It is sent to the model together with the prompt.
	AttachmentLoaded struct {
		Link Link   `json:"link"`
		Text string `json:"text"`
	}
	// UsageReported contains the usage that the model reported before the end
	// of the step. It is used when a stop cuts off the final report.
	UsageReported struct {
		Usage Usage `json:"usage"`
	}
	// ThinkingDelta is a fragment of the model's thinking.
	ThinkingDelta struct {
		Text string `json:"text"`
	}
	// ThinkingSigned means that the thinking since the previous signature is
	// complete. The thinking and its signature are sent back only to the model
	// that signed it.
	ThinkingSigned struct {
		Signature json.RawMessage `json:"signature"`
	}
	// TextDelta is a fragment of the model's answer.
	TextDelta struct {
		Text string `json:"text"`
	}
	// ToolCallRequested means that the model requested a tool call, with
	// complete arguments. ArgumentError is set if the arguments could not be
	// parsed; such a call is never started.
	ToolCallRequested struct {
		Call          string          `json:"call"`
		Name          string          `json:"name"`
		Title         string          `json:"title,omitempty"`     // for display; empty if the agent provides none
		ToolKind      string          `json:"tool_kind,omitempty"` // category such as read, edit or execute; empty if the agent provides none
		Arguments     json.RawMessage `json:"arguments"`
		Signature     json.RawMessage `json:"signature,omitempty"` // as in ThinkingSigned, for models that sign their calls
		ArgumentError string          `json:"argument_error,omitempty"`
	}
	// ToolCallStarted is durable before the call has its first effect (law 26).
	ToolCallStarted struct {
		Call string `json:"call"`
	}
	// ToolOutputDelta is a fragment of a running call's output. Omitted is the
	// number of bytes left out before it; the text contains a note about them.
	ToolOutputDelta struct {
		Call    string `json:"call"`
		Text    string `json:"text"`
		Omitted int64  `json:"omitted,omitempty"`
	}
	// ToolCallEnded contains the call's result exactly as the model receives
	// it.
	ToolCallEnded struct {
		Call      string      `json:"call"`
		Outcome   CallOutcome `json:"outcome" enum:"not_started,finished,stopped,unknown"`
		Failed    bool        `json:"failed,omitempty"`
		Result    string      `json:"result"`
		Processes *Processes  `json:"processes,omitempty"` // the processes that the call started
	}
	// QuestionOpened means that the turn waits for a user's answer.
	QuestionOpened struct {
		Question Question `json:"question"`
	}
	// QuestionAnswered means that a user chose an answer. A question that was
	// withdrawn by a stop has no such event; the receipt lists it.
	QuestionAnswered struct {
		Question string `json:"question"`
		Choice   string `json:"choice"`
		By       string `json:"by,omitempty"`
	}
	// ModelRetryScheduled means that a request to the model failed and is
	// retried after RetryIn.
	ModelRetryScheduled struct {
		Attempt int           `json:"attempt"`
		RetryIn time.Duration `json:"retry_in_ms"`
		Reason  string        `json:"reason"`
	}
	// StepEnded means that the model's answer has ended.
	StepEnded struct {
		Finish Finish `json:"finish" enum:"stop,tool_calls,max_output,refused,context_full,stopped,failed,other"`
		Usage  *Usage `json:"usage,omitempty"`
	}
)

// Finish is the reason why a model's answer ended.
type Finish string

// The finish reasons. FinishOther stands for a reason of a model's API that
// Bellcord does not distinguish.
const (
	FinishStop        Finish = "stop" // the answer is complete
	FinishToolCalls   Finish = "tool_calls"
	FinishMaxOutput   Finish = "max_output"   // the answer reached its maximum length
	FinishRefused     Finish = "refused"      // by the model or by a filter of its API
	FinishContextFull Finish = "context_full" // the request did not fit into the context window
	FinishStopped     Finish = "stopped"      // by a stop or by the external agent
	FinishFailed      Finish = "failed"
	FinishOther       Finish = "other"
)

// Events of requests that are not part of the conversation: for a summary or
// for a title. A request that was cut off ends with an estimate, or has no end
// event and is counted by its estimate.
type (
	// SideRequestStarted means that a request outside the conversation is sent
	// to a model.
	SideRequestStarted struct {
		Purpose        string `json:"purpose" enum:"compaction,title"`
		Model          string `json:"model,omitempty"`
		EstimatedInput int64  `json:"estimated_input_tokens,omitempty"`
		Price          *Price `json:"price,omitempty"`
	}
	// SideRequestEnded contains the usage of a request outside the conversation.
	SideRequestEnded struct {
		Purpose string `json:"purpose" enum:"compaction,title"`
		Usage   Usage  `json:"usage"`
	}
)

// Events of the conversation as a whole. Each change is one event and therefore
// atomic.
type (
	// ConversationCompacted means that the summary replaces all messages before
	// the event FromSeq. Nothing is deleted: the messages remain in the log.
	ConversationCompacted struct {
		Summary string `json:"summary"`
		FromSeq int64  `json:"from_seq"`
	}
	// ConversationCleared means that a new conversation starts after this
	// event. A turn that is still running is not part of it.
	ConversationCleared struct{}
)

// AgentSessionOpened means that an external agent works for the session.
// AgentSession is the agent's session id, with which it can be resumed.
type AgentSessionOpened struct {
	Agent        string `json:"agent"`
	AgentSession string `json:"agent_session"`
}

// ProcessConfirmed means that a process listed as unconfirmed on a receipt has
// ended. It is an event of the session, because the turn that started the
// process has ended; the receipt of that turn does not change.
type ProcessConfirmed struct {
	Turn    TurnID  `json:"turn"`
	Call    string  `json:"call"`
	Process Process `json:"process"` // as on the receipt, with the way it ended
}

// SessionUpdated means that the session's title, model, mode or directory changed.
type SessionUpdated struct {
	Dir   string `json:"dir,omitempty"`
	Title string `json:"title,omitempty"`
	Model string `json:"model,omitempty"`
	Mode  string `json:"mode,omitempty"`
}

// Kind implements Body.
func (TurnAccepted) Kind() string { return "turn_accepted" }

// Kind implements Body.
func (PromptEdited) Kind() string { return "prompt_edited" }

// Kind implements Body.
func (TurnStarted) Kind() string { return "turn_started" }

// Kind implements Body.
func (StopRequested) Kind() string { return "stop_requested" }

// Kind implements Body.
func (TurnEnded) Kind() string { return "turn_ended" }

// Kind implements Body.
func (StepStarted) Kind() string { return "step_started" }

// Kind implements Body.
func (ThinkingDelta) Kind() string { return "thinking_delta" }

// Kind implements Body.
func (TextDelta) Kind() string { return "text_delta" }

// Kind implements Body.
func (ToolCallRequested) Kind() string { return "tool_call_requested" }

// Kind implements Body.
func (ToolCallStarted) Kind() string { return "tool_call_started" }

// Kind implements Body.
func (ToolOutputDelta) Kind() string { return "tool_output_delta" }

// Kind implements Body.
func (ToolCallEnded) Kind() string { return "tool_call_ended" }

// Kind implements Body.
func (QuestionOpened) Kind() string { return "question_opened" }

// Kind implements Body.
func (QuestionAnswered) Kind() string { return "question_answered" }

// Kind implements Body.
func (ModelRetryScheduled) Kind() string { return "model_retry_scheduled" }

// Kind implements Body.
func (StepEnded) Kind() string { return "step_ended" }

// Kind implements Body.
func (SessionUpdated) Kind() string { return "session_updated" }

// Kind implements Body.
func (AgentSessionOpened) Kind() string { return "agent_session_opened" }

// Kind implements Body.
func (AttachmentLoaded) Kind() string { return "attachment_loaded" }

// Kind implements Body.
func (UsageReported) Kind() string { return "usage_reported" }

// Kind implements Body.
func (ThinkingSigned) Kind() string { return "thinking_signed" }

// Kind implements Body.
func (SideRequestStarted) Kind() string { return "side_request_started" }

// Kind implements Body.
func (SideRequestEnded) Kind() string { return "side_request_ended" }

// Kind implements Body.
func (ConversationCompacted) Kind() string { return "conversation_compacted" }

// Kind implements Body.
func (ConversationCleared) Kind() string { return "conversation_cleared" }

// Kind implements Body.
func (ProcessConfirmed) Kind() string { return "process_confirmed" }

// DecodeBody decodes the stored JSON of a body of the given kind. It returns an
// error for an unknown kind.
func DecodeBody(kind string, data []byte) (Body, error) {
	decode, known := bodies[kind]
	if !known {
		return nil, fmt.Errorf("unknown event kind %q", kind)
	}
	body, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("decoding %s event: %w", kind, err)
	}
	return body, nil
}

// bodyType is one type of body: its zero value and its decoder.
type bodyType struct {
	zero   Body
	decode func([]byte) (Body, error)
}

func bodyOf[B Body]() bodyType {
	var zero B
	return bodyType{zero, decodeAs[B]}
}

// bodyTypes are all types of bodies, in the order of the documentation. A new kind
// of event is a type with a Kind method and an entry here; docs/events.md and the
// OpenAPI document follow.
var bodyTypes = []bodyType{
	bodyOf[TurnAccepted](), bodyOf[PromptEdited](), bodyOf[TurnStarted](), bodyOf[StopRequested](), bodyOf[TurnEnded](),
	bodyOf[StepStarted](), bodyOf[AttachmentLoaded](), bodyOf[UsageReported](), bodyOf[ThinkingDelta](), bodyOf[ThinkingSigned](),
	bodyOf[TextDelta](), bodyOf[ToolCallRequested](), bodyOf[ToolCallStarted](), bodyOf[ToolOutputDelta](), bodyOf[ToolCallEnded](),
	bodyOf[QuestionOpened](), bodyOf[QuestionAnswered](), bodyOf[ModelRetryScheduled](), bodyOf[StepEnded](),
	bodyOf[SideRequestStarted](), bodyOf[SideRequestEnded](), bodyOf[ConversationCompacted](), bodyOf[ConversationCleared](),
	bodyOf[AgentSessionOpened](), bodyOf[ProcessConfirmed](), bodyOf[SessionUpdated](),
}

// ReservedKinds are kinds that later versions will use. No body has one of them.
var ReservedKinds = []string{"tool_call_updated", "plan_updated", "agent_update", "changes_recorded", "undone"}

var bodies = func() map[string]func([]byte) (Body, error) {
	all := make(map[string]func([]byte) (Body, error), len(bodyTypes))
	for _, b := range bodyTypes {
		all[b.zero.Kind()] = b.decode
	}
	return all
}()

// Bodies returns the zero value of every type of body, in the order of the
// documentation.
func Bodies() []Body {
	all := make([]Body, len(bodyTypes))
	for i, b := range bodyTypes {
		all[i] = b.zero
	}
	return all
}

func decodeAs[B Body](data []byte) (Body, error) {
	var b B
	err := json.Unmarshal(data, &b)
	return b, err
}

// MarshalJSON writes the event with its body's kind and fields as "kind" and
// "body".
func (e Event) MarshalJSON() ([]byte, error) {
	type plain Event
	return json.Marshal(struct {
		plain
		Kind string `json:"kind"`
		Body Body   `json:"body"`
	}{plain(e), e.Body.Kind(), e.Body})
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (e *Event) UnmarshalJSON(data []byte) error {
	type plain Event
	var wire struct {
		plain
		Kind string          `json:"kind"`
		Body json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	body, err := DecodeBody(wire.Kind, wire.Body)
	*e = Event(wire.plain)
	e.Body = body
	return err
}

// MarshalJSON writes RetryIn in milliseconds, rounded up.
func (b ModelRetryScheduled) MarshalJSON() ([]byte, error) {
	type plain ModelRetryScheduled
	b.RetryIn = inMilliseconds(b.RetryIn)
	return json.Marshal(plain(b))
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (b *ModelRetryScheduled) UnmarshalJSON(data []byte) error {
	type plain ModelRetryScheduled
	if err := json.Unmarshal(data, (*plain)(b)); err != nil {
		return err
	}
	b.RetryIn *= time.Millisecond
	return nil
}

// JoinBodies joins two consecutive bodies if no information is lost: two text
// fragments, two thinking fragments, or two output fragments of the same call.
func JoinBodies(a, b Body) (Body, bool) {
	switch a := a.(type) {
	case TextDelta:
		if b, ok := b.(TextDelta); ok {
			return TextDelta{a.Text + b.Text}, true
		}
	case ThinkingDelta:
		if b, ok := b.(ThinkingDelta); ok {
			return ThinkingDelta{a.Text + b.Text}, true
		}
	case ToolOutputDelta:
		if b, ok := b.(ToolOutputDelta); ok && a.Call == b.Call {
			return ToolOutputDelta{a.Call, a.Text + b.Text, a.Omitted + b.Omitted}, true
		}
	}
	return nil, false
}

// Joined returns the events with consecutive fragments of a stream joined into
// one event, which has the sequence number of the last fragment. It is used for
// replays.
func Joined(events []Event) []Event {
	var out []Event
	for _, ev := range events {
		if n := len(out); n > 0 && out[n-1].Turn == ev.Turn {
			if both, ok := JoinBodies(out[n-1].Body, ev.Body); ok {
				out[n-1].Seq, out[n-1].Body = ev.Seq, both
				continue
			}
		}
		out = append(out, ev)
	}
	return out
}
