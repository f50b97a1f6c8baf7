// Package llm defines the types that agents and model providers share:
// requests, replies, and failures that can or cannot be retried.
package llm

import (
	"context"
	"encoding/json"

	"github.com/bellcord/bellcord"
)

// Model answers requests. Generate calls emit for each part of the answer, in order:
// bellcord.TextDelta and bellcord.ThinkingDelta, bellcord.ThinkingSigned when a
// thinking block is complete, bellcord.UsageReported when the server reports
// usage early. It calls emit on the caller's goroutine, and never after ctx has
// ended. When ctx ends, Generate closes the connection immediately, even while emit
// runs, and returns the cause of ctx as soon as emit returns. An error of emit
// ends the request and is returned unchanged. An answer that was cut off is an
// error, never a short answer; a failure is a *Failure.
type Model interface {
	Generate(ctx context.Context, req Request, emit func(bellcord.Body) error) (Reply, error)
}

// Provider gives access to the models of one server.
type Provider interface {
	Model
	// Models returns the names of the server's models, in the server's order.
	Models(ctx context.Context) ([]string, error)
	// AfterClose returns what is billed when a stop closes the connection.
	AfterClose() AfterClose
	// Close closes idle connections.
	Close()
}

// AfterClose is what a provider does with an answer after its connection was
// closed.
type AfterClose string

// The values of AfterClose. docs/models.md lists them per provider, with
// sources.
const (
	BillingStops   AfterClose = "stops"   // the part generated so far is billed
	BillingGoesOn  AfterClose = "goes on" // the whole answer is billed, although no client receives it
	BillingUnknown AfterClose = "unknown" // depends on the server at the configured address
)

// Request is one request to a model. The messages must be the result of
// history.Repair and history.ForModel.
type Request struct {
	Model    string // the provider's name for it
	System   string
	Messages []bellcord.Message
	Tools    []Tool
	Effort   string // reasoning effort, a value of the API; "" for the configured one. APIs without it ignore it
}

// Tool describes a tool to the model.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments: an object
}

// Reply is the part of an answer that is not streamed. It is available once the
// answer is complete.
type Reply struct {
	Finish bellcord.Finish
	Calls  []Call
	Usage  *bellcord.Usage // nil if the server reported none
}

// Call is a tool call as the model wrote it. Args is not parsed yet.
type Call struct {
	ID   string
	Name string
	Args string
	Seal json.RawMessage // the provider's signature of the call, if it signs calls
}

// EstimateTokens returns a rough estimate of the request's input tokens. It is
// used when a stop prevents the model from reporting the exact number.
func (r Request) EstimateTokens() int64 {
	n := len(r.System)
	for _, m := range r.Messages {
		n += len(m.Text)
		for _, image := range m.Images {
			n += bytesPerImage
			if image.Type == PDF {
				n += len(image.Data) / bytesPerPDFByte
			}
		}
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

// bytesPerImage is the number of text bytes that cost about as many tokens as
// an image.
const bytesPerImage = 6000

// bytesPerPDFByte is the number of bytes of a PDF that cost about as much as a
// byte of text. A page of 40 KB has about 2,000 tokens.
const bytesPerPDFByte = 5
