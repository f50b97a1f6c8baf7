// Package anthropic asks Claude models over Anthropic's Messages API.
//
// An answer counts as complete once its stop reason has come and every block of
// it has ended: nothing of the answer follows then, only the word that it is
// over. Without, it is an error that wraps [wire.ErrCutOff], however orderly the
// connection was closed; the SDK says nothing of that.
//
// Nothing is tried twice here: what may pass is an [llm.Failure], and
// [llm.Patient] decides. Nothing is taken from the environment but the proxy.
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

// Config says where the models are and how they shall think.
type Config struct {
	BaseURL string       // with or without /v1 at its end; "" is Anthropic's own
	Key     string       // sent as x-api-key; "" sends none
	HTTP    *http.Client // nil is a client of the provider's own

	// Thinking is how many tokens a model may think, at least 1024. Adaptive
	// leaves it to the model, which the newest ones insist on; 0 says nothing
	// about it, and the model does what it does by itself.
	Thinking int64
	// MaxTokens is the longest answer, thinking included; 0 is 32000, or more
	// where the thinking would leave too little of that.
	MaxTokens int64
}

// Adaptive as Config.Thinking lets the model decide how much it thinks.
const Adaptive = -1

// Provider asks the models of one server. It may be used by many at once.
type Provider struct {
	http     *http.Client
	messages sdk.MessageService
	models   sdk.ModelService
	limits   limits
	problem  error // why no request can be made
}

var _ llm.Provider = (*Provider)(nil)

// New does no I/O and starts nothing. What is wrong with the configuration is
// reported by the first request.
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
	// The services are made without the SDK's client, because that one reads
	// keys, addresses, profiles and headers from the environment; so would its
	// traces.
	opts := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithHTTPClient(p.http),
		option.WithMaxRetries(0),
		option.WithoutOpenTelemetry(),
	}
	if key := strings.TrimSpace(c.Key); key != "" { // keys are pasted with their line's end
		opts = append(opts, option.WithAPIKey(key))
	}
	opts = slices.Clip(opts) // each service gets a copy of its own
	p.messages = sdk.NewMessageService(append(opts, option.WithMiddleware(wire.Streamed, wire.Accepted))...)
	p.models = sdk.NewModelService(append(opts, option.WithMiddleware(wire.Accepted))...)
	return p
}

// Ask implements llm.Model.
func (p *Provider) Ask(ctx context.Context, req llm.Request, emit func(bellcord.Body) error) (llm.Reply, error) {
	a := answer{emit: emit, blocks: map[int64]*block{}}
	err := p.stream(ctx, req, &a)
	return wire.Finish(ctx, err, a.fullReply)
}

// stream returns when the answer is complete, and not before the connection is
// closed or free for another request.
func (p *Provider) stream(ctx context.Context, req llm.Request, a *answer) error {
	if p.problem != nil {
		return p.problem
	}
	over := false
	stream := p.messages.NewStreaming(ctx, p.limits.params(req), option.WithMiddleware(wire.Reused(func() bool { return over })))
	defer func() { _ = stream.Close() }() // all that was wanted of it has been read
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

// Models lists what the server offers, as it orders it.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	if p.problem != nil {
		return nil, p.problem
	}
	const most = 1000 // of a page
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

// Close closes the connections that no request uses. Requests under way are not
// touched: their contexts end them.
func (p *Provider) Close() { p.http.CloseIdleConnections() }

// AfterClose implements llm.Provider: Anthropic ends the answer with the
// connection.
func (p *Provider) AfterClose() llm.AfterClose { return llm.BillingStops }
