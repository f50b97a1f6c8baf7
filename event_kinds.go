package bellcord

import (
	"encoding/json"
	"fmt"
)

// DecodeBody decodes the stored JSON of a body of the given kind. A kind that this
// version does not have is decoded as an UnknownEvent.
func DecodeBody(kind string, data []byte) (Body, error) {
	decode, known := bodies[kind]
	if !known {
		return decodeUnknown(kind, data)
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
	bodyOf[StepStarted](), bodyOf[AttachmentLoaded](), bodyOf[ContextAdded](), bodyOf[UsageReported](),
	{ThinkingDelta{}, decodeThinking},
	bodyOf[ThinkingSigned](),
	{TextDelta{}, decodeText},
	bodyOf[ToolCallRequested](), bodyOf[ToolCallUpdated](), bodyOf[ToolCallStarted](), bodyOf[ToolOutputDelta](), bodyOf[ToolCallEnded](),
	bodyOf[PlanUpdated](), bodyOf[AgentUpdate](), bodyOf[CustomEvent](),
	bodyOf[QuestionOpened](), bodyOf[QuestionAnswered](), bodyOf[AnswerForwarded](), bodyOf[ModelRetryScheduled](), bodyOf[FilesScanned](), bodyOf[StepEnded](),
	bodyOf[SideRequestStarted](), bodyOf[SideRequestEnded](), bodyOf[ConversationCompacted](), bodyOf[ConversationCleared](), bodyOf[ConversationRewound](),
	bodyOf[AgentSessionOpened](), bodyOf[MessageImported](),
	bodyOf[ProcessConfirmed](), bodyOf[ChangesRecorded](), bodyOf[ProcessesRecovered](), bodyOf[Undone](), bodyOf[SessionUpdated](),
}

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
func (ToolCallUpdated) Kind() string { return "tool_call_updated" }

// Kind implements Body.
func (PlanUpdated) Kind() string { return "plan_updated" }

// Kind implements Body.
func (AgentUpdate) Kind() string { return "agent_update" }

// Kind implements Body.
func (CustomEvent) Kind() string { return "custom" }

// Kind implements Body.
func (MessageImported) Kind() string { return "message_imported" }

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
func (AnswerForwarded) Kind() string { return "answer_forwarded" }

// Kind implements Body.
func (ModelRetryScheduled) Kind() string { return "model_retry_scheduled" }

// Kind implements Body.
func (FilesScanned) Kind() string { return "files_scanned" }

// Kind implements Body.
func (StepEnded) Kind() string { return "step_ended" }

// Kind implements Body.
func (SessionUpdated) Kind() string { return "session_updated" }

// Kind implements Body.
func (AgentSessionOpened) Kind() string { return "agent_session_opened" }

// Kind implements Body.
func (AttachmentLoaded) Kind() string { return "attachment_loaded" }

// Kind implements Body.
func (ContextAdded) Kind() string { return "context_added" }

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

// Kind implements Body.
func (ChangesRecorded) Kind() string { return "changes_recorded" }

// Kind implements Body.
func (ProcessesRecovered) Kind() string { return "processes_recovered" }

// Kind implements Body.
func (Undone) Kind() string { return "undone" }

// Kind implements Body.
func (ConversationRewound) Kind() string { return "conversation_rewound" }

func (UnknownEvent) isBody()          {}
func (TurnAccepted) isBody()          {}
func (PromptEdited) isBody()          {}
func (TurnStarted) isBody()           {}
func (StopRequested) isBody()         {}
func (TurnEnded) isBody()             {}
func (StepStarted) isBody()           {}
func (ThinkingDelta) isBody()         {}
func (TextDelta) isBody()             {}
func (ToolCallRequested) isBody()     {}
func (ToolCallUpdated) isBody()       {}
func (PlanUpdated) isBody()           {}
func (AgentUpdate) isBody()           {}
func (CustomEvent) isBody()           {}
func (MessageImported) isBody()       {}
func (ToolCallStarted) isBody()       {}
func (ToolOutputDelta) isBody()       {}
func (ToolCallEnded) isBody()         {}
func (QuestionOpened) isBody()        {}
func (QuestionAnswered) isBody()      {}
func (AnswerForwarded) isBody()       {}
func (ModelRetryScheduled) isBody()   {}
func (FilesScanned) isBody()          {}
func (StepEnded) isBody()             {}
func (SessionUpdated) isBody()        {}
func (AgentSessionOpened) isBody()    {}
func (AttachmentLoaded) isBody()      {}
func (ContextAdded) isBody()          {}
func (UsageReported) isBody()         {}
func (ThinkingSigned) isBody()        {}
func (SideRequestStarted) isBody()    {}
func (SideRequestEnded) isBody()      {}
func (ConversationCompacted) isBody() {}
func (ConversationCleared) isBody()   {}
func (ProcessConfirmed) isBody()      {}
func (ChangesRecorded) isBody()       {}
func (ProcessesRecovered) isBody()    {}
func (Undone) isBody()                {}
func (ConversationRewound) isBody()   {}
