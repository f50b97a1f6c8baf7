// Package anthropic sends requests to Claude models over Anthropic's Messages
// API.
//
// An answer is complete once its stop reason has arrived and each of its blocks
// has ended; only the final message_stop event can follow. An answer that ends
// earlier is an error that wraps [wire.ErrCutOff], even if the connection was
// closed properly. The SDK does not detect this.
//
// This package does not retry: a retryable error is an [llm.Failure], and
// [llm.Patient] decides. Only the proxy settings are read from the environment.
package anthropic

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

const defaultBaseURL = "https://api.anthropic.com"

// Config contains the address of the server and the limits of answers.
type Config struct {
	BaseURL string       // with or without a trailing /v1; "" is Anthropic's
	Key     string       // sent as x-api-key; "" sends no key
	HTTP    *http.Client // nil creates a client

	// Thinking is the token budget for thinking, at least 1024. With Adaptive
	// the model decides, which the newest models require. 0 sends no setting,
	// and the model's default applies.
	Thinking int64
	// MaxTokens is the limit of an answer, including thinking. 0 means
	// DefaultMaxTokens, or more if the thinking budget leaves too little of that.
	MaxTokens int64
}

// Adaptive as Config.Thinking lets the model decide how much it thinks.
const Adaptive = -1

// Provider sends requests to the models of one server. It is safe for
// concurrent use.
type Provider struct {
	http     *http.Client
	messages sdk.MessageService
	models   sdk.ModelService
	limits   limits
	problem  error // configuration error, returned by every request
}

var _ llm.Provider = (*Provider)(nil)

// New returns a provider. It does no I/O and starts no goroutine. An error in
// the configuration is returned by every request.
func New(c Config) *Provider {
	p := &Provider{http: c.HTTP}
	if p.http == nil {
		p.http = &http.Client{Transport: wire.Transport()}
	}
	base := c.BaseURL
	if base == "" {
		base = defaultBaseURL
	}
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1") // the SDK adds it
	p.limits, p.problem = newLimits(c)
	if err := wire.CheckBaseURL(base); err != nil {
		p.problem = err
	}
	// The services are created without the SDK's client, which reads keys,
	// addresses, profiles and headers from the environment. So does its
	// tracing.
	opts := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithHTTPClient(p.http),
		option.WithMaxRetries(0),
		option.WithoutOpenTelemetry(),
	}
	if key := strings.TrimSpace(c.Key); key != "" { // a pasted key may end with a newline
		opts = append(opts, option.WithAPIKey(key))
	}
	opts = slices.Clip(opts) // so that each append below copies
	p.messages = sdk.NewMessageService(append(opts, option.WithMiddleware(wire.Streamed, wire.Accepted))...)
	p.models = sdk.NewModelService(append(opts, option.WithMiddleware(wire.Accepted))...)
	return p
}

// Generate implements llm.Model.
func (p *Provider) Generate(ctx context.Context, req llm.Request, emit func(bellcord.Body) error) (llm.Reply, error) {
	a := answer{emit: emit, blocks: map[int64]*block{}}
	err := p.stream(ctx, req, &a)
	return wire.Finish(ctx, err, a.fullReply)
}

// stream returns when the answer is complete or has failed, and not before the
// connection is closed or free for another request.
func (p *Provider) stream(ctx context.Context, req llm.Request, a *answer) error {
	if p.problem != nil {
		return p.problem
	}
	over := false
	stream := p.messages.NewStreaming(ctx, p.limits.params(req), option.WithMiddleware(wire.Reused(func() bool { return over })))
	defer func() { _ = stream.Close() }() // the answer has been read
	for stream.Next() {
		event := stream.Current()
		if event.Type == "message_stop" {
			over = true
			break
		}
		if err := a.addEvent(ctx, event); err != nil {
			return err
		}
	}
	return a.endStream(stream.Err())
}

// Models implements llm.Provider.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	if p.problem != nil {
		return nil, p.problem
	}
	const most = 1000 // per page
	names := []string{}
	pages := p.models.ListAutoPaging(ctx, sdk.ModelListParams{Limit: sdk.Int(most)})
	for pages.Next() {
		names = append(names, pages.Current().ID)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := pages.Err(); err != nil {
		return nil, fmt.Errorf("listing models: %w", err)
	}
	return names, nil
}

// Close closes idle connections. It does not affect running requests; those end
// with their contexts.
func (p *Provider) Close() { p.http.CloseIdleConnections() }

// AfterClose implements llm.Provider. Anthropic stops generating when the
// connection closes.
func (p *Provider) AfterClose() llm.AfterClose { return llm.BillingStops }
