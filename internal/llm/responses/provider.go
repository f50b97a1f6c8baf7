// Package responses sends requests to models over OpenAI's Responses API. The
// server stores nothing: every request contains the whole conversation, and the
// model's reasoning is sent back in the encrypted form in which it arrived.
//
// An answer is complete once the event response.completed or
// response.incomplete has arrived. An answer without one is an error that wraps
// [wire.ErrCutOff], even if the connection was closed properly.
//
// This package does not retry: a retryable error is an [llm.Failure], and
// [llm.Patient] decides. Only the proxy settings are read from the environment.
package responses

import (
	"cmp"
	"context"
	"net/http"

	"github.com/openai/openai-go/v3/option"
	sdk "github.com/openai/openai-go/v3/responses"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/openai"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// Config contains the address of a model server and the reasoning effort.
type Config struct {
	BaseURL string       // without /responses; "" is OpenAI's
	Key     string       // sent as bearer token; "" sends no key
	HTTP    *http.Client // nil creates a client
	Effort  string       // reasoning effort, a value of the API; "" uses the model's default
}

// Provider sends requests to the models of one server. It is safe for
// concurrent use.
type Provider struct {
	*openai.Server
	effort    string
	responses sdk.ResponseService
}

var _ llm.Provider = (*Provider)(nil)

// New returns a provider. It does no I/O and starts no goroutine. An invalid
// base URL is reported by every request.
func New(c Config) *Provider {
	server := openai.NewServer(openai.Config{BaseURL: c.BaseURL, Key: c.Key, HTTP: c.HTTP})
	return &Provider{Server: server, effort: c.Effort, responses: sdk.NewResponseService(server.Streaming()...)}
}

// Generate implements llm.Model.
func (p *Provider) Generate(ctx context.Context, req llm.Request, emit func(bellcord.Body) error) (llm.Reply, error) {
	a := answer{emit: emit}
	err := p.stream(ctx, req, &a)
	return wire.Finish(ctx, err, a.fullReply)
}

// stream returns when the answer is complete or has failed, and not before the
// connection is closed or free for another request.
func (p *Provider) stream(ctx context.Context, req llm.Request, a *answer) error {
	if p.Problem != nil {
		return p.Problem
	}
	stream := p.responses.NewStreaming(ctx, params(req, cmp.Or(req.Effort, p.effort)), option.WithMiddleware(wire.Reused(a.complete)))
	defer func() { _ = stream.Close() }() // the answer has been read
	for !a.complete() && stream.Next() {
		if err := a.addEvent(ctx, stream.Current()); err != nil {
			return err
		}
	}
	return a.endStream(stream.Err())
}

// AfterClose implements llm.Provider. OpenAI does not document it. OpenRouter,
// a reseller, lists OpenAI among the providers that stop generating and billing
// when the connection closes.
func (p *Provider) AfterClose() llm.AfterClose { return llm.BillingStops }
