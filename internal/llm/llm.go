// Package llm holds the words that agents and model providers share: what is
// asked of a model, what it answers, and which of its failures may pass.
package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/bellcord/bellcord"
)

// Model answers requests. Ask streams what the model says and thinks to emit,
// as bellcord.Said and bellcord.Thought, in order, and returns once the answer
// is complete. When ctx ends it closes the connection at once and returns
// ctx's cause. An answer that was cut off is an error, never a short answer.
type Model interface {
	Ask(ctx context.Context, req Request, emit func(bellcord.Body) error) (Reply, error)
}

// Request is one step's question to the model.
type Request struct {
	Model    string // as the provider names it
	System   string
	Messages []bellcord.Message
	Tools    []Tool
}

// Tool is what a model is told of a tool.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments: an object
}

// Reply is what is known when the answer is complete, besides what was streamed.
type Reply struct {
	Finish string // stop | tool_calls | length | content_filter
	Calls  []Call
	Usage  *bellcord.Usage // nil when the model did not tell
}

// Call is a tool call as the model wrote it; Args is not yet parsed.
type Call struct {
	ID   string
	Name string
	Args string
}

// Unavailable is a failure that may pass: too many requests, a server that is
// down or could not be reached. After is how long the server asked us to wait.
type Unavailable struct {
	Status int // 0 when no answer came
	After  time.Duration
	Err    error
}

func (u *Unavailable) Error() string {
	if u.Status == 0 {
		return fmt.Sprintf("no answer from the model: %v", u.Err)
	}
	return fmt.Sprintf("model unavailable (status %d): %v", u.Status, u.Err)
}

func (u *Unavailable) Unwrap() error { return u.Err }

// EstimateTokens is the rule of thumb for what a request costs, used where a
// stop cuts off the model's own number.
func (r Request) EstimateTokens() int64 {
	n := len(r.System)
	for _, m := range r.Messages {
		n += len(m.Text)
		for _, c := range m.Calls {
			n += len(c.Name) + len(c.Args)
		}
	}
	for _, t := range r.Tools {
		n += len(t.Description) + len(t.Schema)
	}
	return int64(n+3) / 4
}
