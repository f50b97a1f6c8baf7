package bellcord

import (
	"encoding/json"
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
// as TextDelta or TurnEnded, by value. A program records what is its own as a
// CustomEvent. Later versions can add types; a kind that this version does not have
// is read as an UnknownEvent. Kind returns the name of the type in JSON and in the
// store.
type Body interface {
	Kind() string
	isBody()
}

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
	// ContextAdded contains text that Bellcord added to the conversation, for
	// the model and in the name of no person. Reason is "text_call" for the note
	// that a tool call written as text was not run, "mode" for the note about a
	// new permission mode, or "instructions" for the instructions of a directory,
	// which are in the file Path.
	ContextAdded struct {
		Reason string `json:"reason" enum:"text_call,mode,instructions"`
		Path   string `json:"path,omitempty"`
		Text   string `json:"text"`
	}
	// UsageReported contains the usage that the model reported before the end
	// of the step. It is used when a stop cuts off the final report. Context is
	// set if a hosted agent reported how full its context is.
	UsageReported struct {
		Usage   Usage       `json:"usage"`
		Context *ContextUse `json:"context,omitempty"`
	}
	// ThinkingDelta is a fragment of the model's thinking. Message is the
	// hosted agent's id of the message that the fragment belongs to, and Meta
	// contains members outside of its protocol.
	ThinkingDelta struct {
		Text    string          `json:"text"`
		Message string          `json:"message,omitempty"`
		Meta    json.RawMessage `json:"meta,omitempty"`
	}
	// ThinkingSigned means that the thinking since the previous signature is
	// complete. The thinking and its signature are sent back only to the model
	// that signed it.
	ThinkingSigned struct {
		Signature json.RawMessage `json:"signature"`
	}
	// TextDelta is a fragment of the model's answer. Message and Meta are as in
	// ThinkingDelta.
	TextDelta struct {
		Text    string          `json:"text"`
		Message string          `json:"message,omitempty"`
		Meta    json.RawMessage `json:"meta,omitempty"`
	}
	// ToolCallRequested means that the model requested a tool call, with
	// complete arguments. ArgumentError is set if the arguments could not be
	// parsed; such a call is never started. ArgumentsPending is set if a hosted
	// agent announced the call without its arguments: Arguments is an empty
	// object, and a ToolCallUpdated contains the arguments. Original is the call
	// as the model wrote it, if the name or the arguments were repaired. Models
	// get the original back.
	ToolCallRequested struct {
		Call             string          `json:"call"`
		Name             string          `json:"name"`
		Title            string          `json:"title,omitempty"`     // for display; empty if the agent provides none
		ToolKind         string          `json:"tool_kind,omitempty"` // category such as read, edit or execute; empty if the agent provides none
		Arguments        json.RawMessage `json:"arguments"`
		Signature        json.RawMessage `json:"signature,omitempty"` // as in ThinkingSigned, for models that sign their calls
		ArgumentError    string          `json:"argument_error,omitempty"`
		ArgumentsPending bool            `json:"arguments_pending,omitempty"`
		Original         *OriginalCall   `json:"original,omitempty"`
		CallView
	}
	// ToolCallUpdated changes how a call is shown, until the call ends. Fields
	// that are present replace the earlier values. Hosted agents change any
	// field of their calls. The built-in agent sets only Content, to the changes
	// that a call has made to files.
	ToolCallUpdated struct {
		Call      string          `json:"call"`
		Title     string          `json:"title,omitempty"`
		ToolKind  string          `json:"tool_kind,omitempty"`
		Arguments json.RawMessage `json:"arguments,omitempty"`
		CallView
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
	// it, with the images that the model sees. RawOutput is the result as a hosted agent's tool returned it.
	ToolCallEnded struct {
		Call      string          `json:"call"`
		Outcome   CallOutcome     `json:"outcome" enum:"not_started,finished,stopped,unknown"`
		Failed    bool            `json:"failed,omitempty"`
		Result    string          `json:"result"`
		Images    []Image         `json:"images,omitempty"`
		RawOutput json.RawMessage `json:"raw_output,omitempty"`
		Processes *Processes      `json:"processes,omitempty"` // the processes that the call started
	}
	// PlanUpdated contains the agent's whole plan, which replaces the earlier
	// one.
	PlanUpdated struct {
		Entries []PlanEntry `json:"entries" nullable:"false"`
	}
	// AgentUpdate is an update of a hosted agent that no other kind of event
	// represents, as the agent sent it. AgentSession is set if the update
	// belongs to another session of the agent, such as that of a sub-agent.
	AgentUpdate struct {
		AgentSession string          `json:"agent_session,omitempty"`
		Update       json.RawMessage `json:"update"`
	}
	// CustomEvent is an event of the program that has the hub, such as the progress of
	// its own agent. Name says what it is. Bellcord keeps it and shows it to nobody.
	CustomEvent struct {
		Name string          `json:"name"`
		Data json.RawMessage `json:"data,omitempty"` // at most MaxAgentUpdate bytes
	}
	// QuestionOpened means that the turn waits for a user's answer.
	QuestionOpened struct {
		Question Question `json:"question"`
	}
	// QuestionAnswered means that a user chose an answer, with Values for the
	// fields of the question, or that the agent withdrew the question (choice
	// "withdrawn"). A question that was withdrawn by a stop has no such event;
	// the receipt lists it.
	QuestionAnswered struct {
		Question string                     `json:"question"`
		Choice   string                     `json:"choice"`
		Values   map[string]json.RawMessage `json:"values,omitempty"`
		Reason   string                     `json:"reason,omitempty"` // for a rejection
		By       string                     `json:"by,omitempty"`
	}
	// AnswerForwarded contains a user's answer from another process than the one
	// that runs the turn. It is an event of the session. If the answer is in time,
	// QuestionAnswered follows.
	AnswerForwarded struct {
		Turn   TurnID           `json:"turn"`
		Answer QuestionAnswered `json:"answer"`
		Scopes []Scope          `json:"scopes,omitempty"` // of the person who answered
	}
	// ModelRetryScheduled means that a request to the model failed and is
	// retried after RetryIn.
	ModelRetryScheduled struct {
		Attempt int           `json:"attempt"`
		RetryIn time.Duration `json:"retry_in_ms"`
		Reason  string        `json:"reason"`
	}
	// FilesScanned means that the turn waits for a scan of the session's
	// directory, which keeps its files for an undo. Files and Bytes count what
	// was read so far. The event occurs only if a scan takes long, and is then
	// repeated. Done means that the turn no longer waits; after a stop, this
	// last event is missing.
	FilesScanned struct {
		Files int64 `json:"files"`
		Bytes int64 `json:"bytes"`
		Done  bool  `json:"done,omitempty"`
	}
	// StepEnded means that the model's answer has ended. AgentReply contains the
	// members of a hosted agent's reply that no other field represents.
	StepEnded struct {
		Finish     Finish          `json:"finish" enum:"stop,tool_calls,max_output,refused,context_full,stopped,failed,other"`
		Usage      *Usage          `json:"usage,omitempty"`
		AgentReply json.RawMessage `json:"agent_reply,omitempty"`
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
	// ConversationRewound means that the conversation goes on as it was before
	// Turn: the turns that started from FromSeq until this event are not part of
	// it. They remain in the log, and their changes to files stay. If TakenBack is
	// set, the last rewind that was not taken back no longer applies.
	ConversationRewound struct {
		Turn      TurnID `json:"turn,omitempty"`
		FromSeq   int64  `json:"from_seq,omitempty"` // of the turn's TurnStarted event
		TakenBack bool   `json:"taken_back,omitempty"`
	}
)

// AgentSessionOpened means that an external agent works for the session.
// AgentSession is the agent's session id, with which it can be resumed.
type AgentSessionOpened struct {
	Agent        string `json:"agent"`
	AgentSession string `json:"agent_session"`
}

// MessageImported is a message of the user in a conversation that a hosted agent
// had before the session existed. The events of the answer follow it. Updates
// are the parts of the message as the agent sent them, if they contain more than
// text.
type MessageImported struct {
	Text    string            `json:"text"`
	Updates []json.RawMessage `json:"updates,omitempty"`
}

// ProcessConfirmed means that a process listed as unconfirmed on a receipt has
// ended. It is an event of the session, because the turn that started the
// process has ended; the receipt of that turn does not change.
type ProcessConfirmed struct {
	Turn    TurnID  `json:"turn"`
	Call    string  `json:"call"`
	Process Process `json:"process"` // as on the receipt, with the way it ended
}

// ChangesRecorded contains the changes of a turn whose receipt marks them as
// pending, or that has no changes because its process died. It is an event of the
// session, because the turn has ended.
type ChangesRecorded struct {
	Turn    TurnID  `json:"turn"`
	Changes Changes `json:"changes"`
}

// ProcessesRecovered contains the processes of a turn whose process died, as the
// next Bellcord process on the machine found and ended them. It is an event of the
// session, because the turn has ended. If a turn has several, their processes
// add up; several with the same Recovery are one.
type ProcessesRecovered struct {
	Turn      TurnID    `json:"turn"`
	Recovery  string    `json:"recovery"` // its id
	Processes Processes `json:"processes"`
}

// Undone means that files were set to their state before the given turns. If
// Redone is set, it means that the effect of the undo with that id was reversed.
// Paths that something else has changed since are left alone.
type Undone struct {
	Undo   string   `json:"undo"` // its id
	Turns  []TurnID `json:"turns" nullable:"false"`
	Redone string   `json:"redone,omitempty"`
	By     string   `json:"by,omitempty"`     // user that requested it
	Source string   `json:"source,omitempty"` // frontend that received it
	UndoResult
}

// SessionUpdated means that the session's title, model, mode, effort or
// directories changed. Fields that are zero did not change.
type SessionUpdated struct {
	Dir   string `json:"dir,omitempty"`
	Title string `json:"title,omitempty"`
	Model string `json:"model,omitempty"`
	Mode  string `json:"mode,omitempty"`

	Effort         string    `json:"effort,omitempty"`
	AdditionalDirs *[]string `json:"additional_dirs,omitempty"` // all of them; empty if there are none any more
}
