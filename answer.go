package bellcord

import (
	"encoding/json"
)

// TurnAnswer is the agent's output in a turn as one value: its text, thinking
// and tool calls. It is available for every end; for a turn that was stopped,
// failed or was lost it contains the output up to that point.
type TurnAnswer struct {
	Text     string          `json:"text" doc:"of the last message; empty where that has none"`
	Messages []AnswerMessage `json:"messages" nullable:"false" doc:"in order; a new one begins with each request to the model, and with text or thinking after a call"`
}

// AnswerMessage is one message of an agent: its thinking, its text, then its calls.
type AnswerMessage struct {
	Model    string       `json:"model,omitempty" doc:"provider/model, where it is known"`
	Thinking string       `json:"thinking,omitempty"`
	Text     string       `json:"text,omitempty"`
	Calls    []AnswerCall `json:"calls,omitempty"`
}

// AnswerCall is a tool call and its outcome. The call's output is in the
// session's events.
type AnswerCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Outcome   CallOutcome     `json:"outcome,omitempty" enum:"not_started,finished,stopped,unknown" doc:"not given before the call or its turn has ended"`
	Failed    bool            `json:"failed,omitempty"`
}
