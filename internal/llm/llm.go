// Package llm holds the words that agents and model providers share: what is
// asked of a model, what it answers, and which of its failures may pass.
package llm

import (
	"context"
	"encoding/json"

	"github.com/bellcord/bellcord"
)

// Model answers requests. Ask calls emit for each part of the answer, in order:
// bellcord.TextDelta and bellcord.ThinkingDelta, bellcord.ThinkingSigned where a
// block of thinking is complete, bellcord.UsageReported where usage is reported
// early. It calls emit on the caller's goroutine and never after ctx has ended.
// When ctx ends, Ask closes the connection at once, also while emit runs, and
// returns ctx's cause as soon as emit returns. An error of emit ends the request
// and is returned unchanged. An answer that was cut off is an error, never a
// short answer; a failure is a *Failure.
type Model interface {
	Ask(ctx context.Context, req Request, emit func(bellcord.Body) error) (Reply, error)
}

// Provider is where models are.
type Provider interface {
	Model
	// Models lists what the server offers, as it orders it.
	Models(ctx context.Context) ([]string, error)
	// AfterClose says what is billed when a stop closes the connection.
	AfterClose() AfterClose
	// Close closes the connections that no request uses.
	Close()
}

// AfterClose is what a provider does with an answer whose reader has gone.
type AfterClose string

// What is known of it, and where from: see docs/models.md.
const (
	BillingStops   AfterClose = "stops"   // what was generated until then is billed
	BillingGoesOn  AfterClose = "goes on" // the whole answer is, though nobody reads it
	BillingUnknown AfterClose = "unknown" // it depends on the server behind the address
)

// Request is one step's question to the model. The messages are as
// bellcord.Repair and bellcord.ForModel leave them.
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
	Finish bellcord.Finish
	Calls  []Call
	Usage  *bellcord.Usage // nil when the model did not tell
}

// Call is a tool call as the model wrote it; Args is not yet parsed.
type Call struct {
	ID   string
	Name string
	Args string
	Seal json.RawMessage // where the model seals its calls
}

// EstimateTokens is the rule of thumb for what a request costs, used where a
// stop cuts off the model's own number.
func (r Request) EstimateTokens() int64 {
	n := len(r.System)
	for _, m := range r.Messages {
		n += len(m.Text) + bytesPerImage*len(m.Images)
		for _, t := range m.Thinking {
			n += len(t.Text) + len(t.Signature)
		}
		for _, c := range m.Calls {
			n += len(c.Name) + len(c.Arguments)
		}
	}
	for _, t := range r.Tools {
		n += len(t.Description) + len(t.Schema)
	}
	return int64(n+3) / 4
}

// bytesPerImage stands for the tokens that a picture costs.
const bytesPerImage = 6000
