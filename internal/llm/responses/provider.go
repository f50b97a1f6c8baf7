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
	"fmt"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	sdk "github.com/openai/openai-go/v3/responses"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

const defaultBaseURL = "https://api.openai.com/v1"

// Config says where the models are.
type Config struct {
	BaseURL string       // up to and without /responses; "" is OpenAI's own
	Key     string       // sent as bearer token; "" sends none
	HTTP    *http.Client // nil is a client of the provider's own
	Effort  string       // how hard a model shall think, in the API's words; "" leaves it to the model
}

// Provider asks the models of one server. It may be used by many at once.
type Provider struct {
	http      *http.Client
	effort    string
	responses sdk.ResponseService
	models    openai.ModelService
	problem   error // why no request can be made
}

var _ llm.Provider = (*Provider)(nil)

// New does no I/O and starts nothing. A base URL that is none is reported by
// the first request.
func New(c Config) *Provider {
	p := &Provider{http: c.HTTP, effort: c.Effort}
	if p.http == nil {
		p.http = &http.Client{Transport: wire.Transport()}
	}
	base := c.BaseURL
	if base == "" {
		base = defaultBaseURL
	}
	p.problem = wire.CheckBaseURL(base)
	// The services are made without the SDK's client, because that one reads
	// keys, addresses and headers from the environment.
	opts := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithAPIKey(strings.TrimSpace(c.Key)), // keys are pasted with their line's end
		option.WithHTTPClient(p.http),
		option.WithMaxRetries(0),
	}
	p.responses = sdk.NewResponseService(append(opts, option.WithMiddleware(wire.Streamed, wire.Accepted))...)
	p.models = openai.NewModelService(append(opts, option.WithMiddleware(wire.Accepted))...)
	return p
}

// Ask implements llm.Model. It calls emit on the caller's goroutine and never
// after ctx has ended. When ctx ends, the connection is closed at once, also
// while emit runs; Ask itself returns as soon as emit lets it. An error of emit
// ends the request and is returned as it is, unless ctx has ended.
func (p *Provider) Ask(ctx context.Context, req llm.Request, emit func(bellcord.Body) error) (llm.Reply, error) {
	a := answer{emit: emit}
	err := p.stream(ctx, req, &a)
	if ctx.Err() != nil {
		return llm.Reply{}, context.Cause(ctx)
	}
	if err != nil {
		return llm.Reply{}, err
	}
	return a.reply()
}

// stream returns when the answer is complete, and not before the connection is
// closed or free for another request.
func (p *Provider) stream(ctx context.Context, req llm.Request, a *answer) error {
	if p.problem != nil {
		return p.problem
	}
	stream := p.responses.NewStreaming(ctx, params(req, p.effort), option.WithMiddleware(wire.Reused(a.complete)))
	defer func() { _ = stream.Close() }() // all that was wanted of it has been read
	for !a.complete() && stream.Next() {
		if err := a.add(ctx, stream.Current()); err != nil {
			return err
		}
	}
	return a.end(stream.Err())
}

// Models lists what the server offers, as it orders it.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	if p.problem != nil {
		return nil, p.problem
	}
	page, err := p.models.List(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("listing models: %w", err)
	}
	names := make([]string, 0, len(page.Data))
	for _, m := range page.Data {
		names = append(names, m.ID)
	}
	return names, nil
}

// Close closes the connections that no request uses. Requests under way are not
// touched: their contexts end them.
func (p *Provider) Close() { p.http.CloseIdleConnections() }

// AfterClose implements llm.Provider. OpenAI itself does not say; OpenRouter,
// which resells it, lists it among those where a closed connection ends both
// the answer and its bill.
func (p *Provider) AfterClose() llm.AfterClose { return llm.BillingStops }
