// Package responses asks models through OpenAI's responses API. The server
// stores nothing: every request holds the whole conversation, and the model's
// thinking goes back to it in the encrypted form in which it came.
//
// An answer counts as complete once the event response.completed or
// response.incomplete has come; without one it is an error that wraps
// [wire.ErrCutOff], however orderly the connection was closed.
//
// Nothing is tried twice here: what may pass is an [llm.Failure], and
// [llm.Patient] decides. Nothing is taken from the environment but the proxy.
package responses

import (
	"context"
	"net/http"

	"github.com/openai/openai-go/v3/option"
	sdk "github.com/openai/openai-go/v3/responses"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/openai"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// Config says where the models are.
type Config struct {
	BaseURL string       // without /responses; "" is OpenAI's own
	Key     string       // sent as bearer token; "" sends none
	HTTP    *http.Client // nil is a client of the provider's own
	Effort  string       // reasoning effort, in the API's words; "" leaves it to the model
}

// Provider asks the models of one server. It is safe for concurrent use.
type Provider struct {
	*openai.Server
	effort    string
	responses sdk.ResponseService
}

var _ llm.Provider = (*Provider)(nil)

// New does no I/O and starts nothing. An invalid base URL is reported by the
// first request.
func New(c Config) *Provider {
	server := openai.NewServer(openai.Config{BaseURL: c.BaseURL, Key: c.Key, HTTP: c.HTTP})
	return &Provider{Server: server, effort: c.Effort, responses: sdk.NewResponseService(server.Streaming()...)}
}

// Ask implements llm.Model.
func (p *Provider) Ask(ctx context.Context, req llm.Request, emit func(bellcord.Body) error) (llm.Reply, error) {
	a := answer{emit: emit}
	err := p.stream(ctx, req, &a)
	return wire.Finish(ctx, err, a.fullReply)
}

// stream returns when the answer is complete, and not before the connection is
// closed or free for another request.
func (p *Provider) stream(ctx context.Context, req llm.Request, a *answer) error {
	if p.Problem != nil {
		return p.Problem
	}
	stream := p.responses.NewStreaming(ctx, params(req, p.effort), option.WithMiddleware(wire.Reused(a.complete)))
	defer func() { _ = stream.Close() }() // all that was wanted of it has been read
	for !a.complete() && stream.Next() {
		if err := a.addEvent(ctx, stream.Current()); err != nil {
			return err
		}
	}
	return a.endStream(stream.Err())
}

// AfterClose implements llm.Provider. OpenAI itself does not say; OpenRouter,
// which resells it, lists it among those where a closed connection ends both
// the answer and its bill.
func (p *Provider) AfterClose() llm.AfterClose { return llm.BillingStops }
