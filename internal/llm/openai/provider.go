// Package openai asks models that speak OpenAI's chat completions API, which
// besides OpenAI itself are most model servers there are. It is written for what
// those servers do, not only for what the API's description says.
//
// An answer counts as complete once its finish reason has come; without one it
// is an error that wraps [wire.ErrCutOff], however orderly the connection was closed.
//
// Nothing is tried twice here: what may pass is an [llm.Failure], and
// [llm.Patient] decides. Nothing is taken from the environment but the proxy.
package openai

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

const defaultBaseURL = "https://api.openai.com/v1"

// Config says where the models are.
type Config struct {
	BaseURL string       // up to and without /chat/completions; "" is OpenAI's own
	Key     string       // sent as bearer token; "" sends none
	HTTP    *http.Client // nil is a client of the provider's own
}

// Provider asks the models of one server. It may be used by many at once.
type Provider struct {
	http    *http.Client
	chat    sdk.ChatCompletionService
	models  sdk.ModelService
	problem error // why no request can be made
}

var _ llm.Provider = (*Provider)(nil)

// New does no I/O and starts nothing. A base URL that is none is reported by
// the first request.
func New(c Config) *Provider {
	p := &Provider{http: c.HTTP}
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
	p.chat = sdk.NewChatCompletionService(append(opts, option.WithMiddleware(wire.Streamed, wire.Accepted))...)
	p.models = sdk.NewModelService(append(opts, option.WithMiddleware(wire.Accepted))...)
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
	stream := p.chat.NewStreaming(ctx, params(req), option.WithMiddleware(wire.Reused(a.complete)))
	defer func() { _ = stream.Close() }() // all that was wanted of it has been read
	for stream.Next() {
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

// AfterClose implements llm.Provider: the servers behind this API are many.
func (p *Provider) AfterClose() llm.AfterClose { return llm.BillingUnknown }
