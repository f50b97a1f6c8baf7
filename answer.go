package bellcord

import (
	"encoding/json"
)

// TurnAnswer is what an agent said and asked for in a turn, as one value. It is
// the same for every end of the turn: a turn that was stopped, failed or was lost
// has what came before.
type TurnAnswer struct {
	Text     string          `json:"text" doc:"of the last message; empty where that has none"`
	Messages []AnswerMessage `json:"messages" doc:"in order; a new one begins with each request to the model, and with text or thinking after a call"`
}

// AnswerMessage is one message of an agent: its thinking, its text, then its calls.
type AnswerMessage struct {
	Model    string       `json:"model,omitempty" doc:"provider/model, where it is known"`
	Thinking string       `json:"thinking,omitempty"`
	Text     string       `json:"text,omitempty"`
	Calls    []AnswerCall `json:"calls,omitempty"`
}

// AnswerCall is a tool call and how it ended. Its output is among the events.
type AnswerCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Outcome   CallOutcome     `json:"outcome,omitempty" enum:"not_started,finished,stopped,unknown" doc:"not given before the call or its turn has ended"`
	Failed    bool            `json:"failed,omitempty"`
}
