package bellcord

import (
	"encoding/json"
	"fmt"
	"time"
)

// Event is one entry of a session's log. Seq counts from 1 within the session,
// without holes; an event is shown to nobody before it is durable.
type Event struct {
	Session SessionID `json:"session"`
	Seq     int64     `json:"seq"`
	Turn    TurnID    `json:"turn,omitempty"` // empty for what concerns the session alone
	Time    time.Time `json:"time"`
	Body    Body      `json:"-"`
}

// Body is what happened: one of the event types of this package, such as TextDelta
// or TurnEnded. The set is closed.
type Body interface{ Kind() string }

// Of a turn's life.
type (
	// TurnAccepted means that the turn was accepted. Text is what the person said.
	TurnAccepted struct {
		Prompt
	}
	// PromptEdited means that the text was changed while the turn waited.
	PromptEdited struct {
		Text string `json:"text"`
	}
	// TurnStarted means that the turn left the queue and its agent runs.
	TurnStarted struct{}
	// StopRequested means that a stop was requested. The turn is stopping, not yet stopped.
	StopRequested struct {
		Cause Cause `json:"cause"`
	}
	// TurnEnded is the turn's one end, with its receipt. Nothing of the turn follows.
	TurnEnded struct {
		Receipt Receipt `json:"receipt"`
	}
)

// Of an agent's work.
type (
	// StepStarted means that a request goes to the model. EstimatedInput is an
	// estimate of its tokens, used when a stop cuts off the exact number.
	StepStarted struct {
		Step           int    `json:"step"`
		Model          string `json:"model,omitempty"`
		EstimatedInput int64  `json:"estimated_input_tokens,omitempty"`
		Price          *Price `json:"price,omitempty"` // of the model, where it is known
	}
	// AttachmentLoaded is what a link of the prompt led to when the turn began. The model
	// is told it with the prompt.
	AttachmentLoaded struct {
		Link Link   `json:"link"`
		Text string `json:"text"`
	}
	// UsageReported is what the model has said of the step's usage before its end. It
	// counts where a stop cuts off the rest.
	UsageReported struct {
		Usage Usage `json:"usage"`
	}
	// ThinkingDelta is a piece of the model's thinking.
	ThinkingDelta struct {
		Text string `json:"text"`
	}
	// ThinkingSigned means that the thinking since the last signature is complete.
	// Only the model that made the signature gets its thinking back, with it.
	ThinkingSigned struct {
		Signature json.RawMessage `json:"signature"`
	}
	// TextDelta is a piece of the model's answer.
	TextDelta struct {
		Text string `json:"text"`
	}
	// ToolCallRequested means that the model asked for a tool, with complete arguments.
	// ArgumentError is set when they could not be parsed; such a call is never started.
	ToolCallRequested struct {
		Call          string          `json:"call"`
		Name          string          `json:"name"`
		Title         string          `json:"title,omitempty"`     // for people, where the agent gives one
		ToolKind      string          `json:"tool_kind,omitempty"` // what sort of tool: read, edit, execute …, where the agent says
		Arguments     json.RawMessage `json:"arguments"`
		Signature     json.RawMessage `json:"signature,omitempty"` // as of thinking, where a model seals its calls
		ArgumentError string          `json:"argument_error,omitempty"`
	}
	// ToolCallStarted is durable before the call has its first effect (law 26).
	ToolCallStarted struct {
		Call string `json:"call"`
	}
	// ToolOutputDelta is a piece of a running call's output. Omitted is the number of
	// bytes that were left out before it; the text says so, too.
	ToolOutputDelta struct {
		Call    string `json:"call"`
		Text    string `json:"text"`
		Omitted int64  `json:"omitted,omitempty"`
	}
	// ToolCallEnded is the call's result as the model will receive it.
	ToolCallEnded struct {
		Call      string      `json:"call"`
		Outcome   CallOutcome `json:"outcome" enum:"not_started,finished,stopped,unknown"`
		Failed    bool        `json:"failed,omitempty"`
		Result    string      `json:"result"`
		Processes *Processes  `json:"processes,omitempty"` // that came from it
	}
	// QuestionOpened means that the turn waits for a person.
	QuestionOpened struct {
		Question Question `json:"question"`
	}
	// QuestionAnswered means that a person chose. A question closed by a stop has no answer; the
	// receipt lists it.
	QuestionAnswered struct {
		Question string `json:"question"`
		Choice   string `json:"choice"`
		By       string `json:"by,omitempty"`
	}
	// ModelRetryScheduled means that the model could not be reached; the next try comes
	// after RetryIn.
	ModelRetryScheduled struct {
		Attempt int           `json:"attempt"`
		RetryIn time.Duration `json:"retry_in_ms"`
		Reason  string        `json:"reason"`
	}
	// StepEnded means that the model's answer is complete.
	StepEnded struct {
		Finish Finish `json:"finish" enum:"stop,tool_calls,max_output,refused,context_full,stopped,failed,other"`
		Usage  *Usage `json:"usage,omitempty"`
	}
)

// Finish is the reason why a model's answer ended.
type Finish string

// The reasons. FinishOther is a reason of a model's API that Bellcord does not
// distinguish.
const (
	FinishStop        Finish = "stop" // the answer is complete
	FinishToolCalls   Finish = "tool_calls"
	FinishMaxOutput   Finish = "max_output"   // a limit of the answer's length
	FinishRefused     Finish = "refused"      // by the model or by a filter of its API
	FinishContextFull Finish = "context_full" // the request did not fit into the context window
	FinishStopped     Finish = "stopped"      // by a stop, or by the hosted agent
	FinishFailed      Finish = "failed"
	FinishOther       Finish = "other"
)

// Of requests that are not part of the conversation: a summary, a title. One
// that was cut off ends with an estimate, or has no end and counts as one.
type (
	// SideRequestStarted means that such a request goes to a model.
	SideRequestStarted struct {
		Purpose        string `json:"purpose" enum:"compaction,title"`
		Model          string `json:"model,omitempty"`
		EstimatedInput int64  `json:"estimated_input_tokens,omitempty"`
		Price          *Price `json:"price,omitempty"`
	}
	// SideRequestEnded reports the usage of the request.
	SideRequestEnded struct {
		Purpose string `json:"purpose" enum:"compaction,title"`
		Usage   Usage  `json:"usage"`
	}
)

// Of the conversation as a whole. One event each: there is no half of it.
type (
	// ConversationCompacted means that the summary replaces all messages before the
	// event FromSeq. Nothing is deleted: the log still has them.
	ConversationCompacted struct {
		Summary string `json:"summary"`
		FromSeq int64  `json:"from_seq"`
	}
	// ConversationCleared means that a new conversation starts after this event. A turn
	// that still runs is not part of it.
	ConversationCleared struct{}
)

// AgentSessionOpened means that another agent does the session's work, in a session of its
// own that it can go on with.
type AgentSessionOpened struct {
	Agent        string `json:"agent"`
	AgentSession string `json:"agent_session"`
}

// ProcessConfirmed means that a process listed as unconfirmed on a receipt has
// ended. It belongs to the session, because the turn that started the process
// has ended; the receipt of that turn does not change.
type ProcessConfirmed struct {
	Turn    TurnID  `json:"turn"`
	Call    string  `json:"call"`
	Process Process `json:"process"` // as the receipt names it, with how it ended
}

// SessionUpdated means that the session's title, model, mode or directory changed.
type SessionUpdated struct {
	Dir   string `json:"dir,omitempty"`
	Title string `json:"title,omitempty"`
	Model string `json:"model,omitempty"`
	Mode  string `json:"mode,omitempty"`
}

func (TurnAccepted) Kind() string        { return "turn_accepted" }
func (PromptEdited) Kind() string        { return "prompt_edited" }
func (TurnStarted) Kind() string         { return "turn_started" }
func (StopRequested) Kind() string       { return "stop_requested" }
func (TurnEnded) Kind() string           { return "turn_ended" }
func (StepStarted) Kind() string         { return "step_started" }
func (ThinkingDelta) Kind() string       { return "thinking_delta" }
func (TextDelta) Kind() string           { return "text_delta" }
func (ToolCallRequested) Kind() string   { return "tool_call_requested" }
func (ToolCallStarted) Kind() string     { return "tool_call_started" }
func (ToolOutputDelta) Kind() string     { return "tool_output_delta" }
func (ToolCallEnded) Kind() string       { return "tool_call_ended" }
func (QuestionOpened) Kind() string      { return "question_opened" }
func (QuestionAnswered) Kind() string    { return "question_answered" }
func (ModelRetryScheduled) Kind() string { return "model_retry_scheduled" }
func (StepEnded) Kind() string           { return "step_ended" }
func (SessionUpdated) Kind() string      { return "session_updated" }

func (AgentSessionOpened) Kind() string    { return "agent_session_opened" }
func (AttachmentLoaded) Kind() string      { return "attachment_loaded" }
func (UsageReported) Kind() string         { return "usage_reported" }
func (ThinkingSigned) Kind() string        { return "thinking_signed" }
func (SideRequestStarted) Kind() string    { return "side_request_started" }
func (SideRequestEnded) Kind() string      { return "side_request_ended" }
func (ConversationCompacted) Kind() string { return "conversation_compacted" }
func (ConversationCleared) Kind() string   { return "conversation_cleared" }

func (ProcessConfirmed) Kind() string { return "process_confirmed" }

// DecodeBody is the inverse of a body's Kind and JSON, for stores.
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

var bodies = map[string]func([]byte) (Body, error){
	"turn_accepted": decodeAs[TurnAccepted], "prompt_edited": decodeAs[PromptEdited], "turn_started": decodeAs[TurnStarted],
	"stop_requested": decodeAs[StopRequested], "turn_ended": decodeAs[TurnEnded],
	"step_started": decodeAs[StepStarted], "thinking_delta": decodeAs[ThinkingDelta],
	"text_delta": decodeAs[TextDelta], "tool_call_requested": decodeAs[ToolCallRequested],
	"tool_call_started": decodeAs[ToolCallStarted], "tool_output_delta": decodeAs[ToolOutputDelta],
	"tool_call_ended": decodeAs[ToolCallEnded], "question_opened": decodeAs[QuestionOpened],
	"question_answered": decodeAs[QuestionAnswered], "model_retry_scheduled": decodeAs[ModelRetryScheduled],
	"step_ended": decodeAs[StepEnded], "session_updated": decodeAs[SessionUpdated],
	"agent_session_opened": decodeAs[AgentSessionOpened], "attachment_loaded": decodeAs[AttachmentLoaded], "usage_reported": decodeAs[UsageReported], "thinking_signed": decodeAs[ThinkingSigned],
	"side_request_started": decodeAs[SideRequestStarted], "side_request_ended": decodeAs[SideRequestEnded],
	"conversation_compacted": decodeAs[ConversationCompacted], "conversation_cleared": decodeAs[ConversationCleared],
	"process_confirmed": decodeAs[ProcessConfirmed],
}

func decodeAs[B Body](data []byte) (Body, error) {
	var b B
	err := json.Unmarshal(data, &b)
	return b, err
}

// MarshalJSON puts the body's kind and fields beside the event's own.
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

// MarshalJSON writes the pause in milliseconds, rounded up.
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

// JoinBodies returns the two bodies as one where that loses nothing: pieces of one
// stream that waited for the same commit.
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

// Joined returns the events with neighbours that are pieces of one stream made
// one, under the sequence number of the last: for replays.
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
