// Package gemini asks Google's models through the generateContent method of the
// Gemini API.
//
// An answer counts as complete once its finish reason has come; without one it
// is an error that wraps [wire.ErrCutOff], however orderly the connection was
// closed.
//
// Of the SDK we use its way to the server and its words for answers. What is
// sent is written here, and the arguments of calls are taken from the wire
// itself: the SDK reads JSON into maps, which forget the order of keys and the
// last digits of long numbers.
//
// Nothing is tried twice here, and the SDK's own way of going on with a stream
// that broke is off: what may pass is an [llm.Failure], and [llm.Patient]
// decides. Nothing is taken from the environment but the proxy.
package gemini

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"google.golang.org/genai"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

const (
	defaultBaseURL = "https://generativelanguage.googleapis.com"
	version        = "v1beta" // of the API; thinking and schemas are not in v1
)

// Config says where the models are.
type Config struct {
	BaseURL  string       // with or without /v1beta; "" is Google's own
	Key      string       // "" sends none
	HTTP     *http.Client // nil is a client of the provider's own
	Thinking int32        // how many tokens a model may think; 0 leaves it to the model
}

// Provider asks the models of one server. It may be used by many at once.
type Provider struct {
	http     *http.Client
	thinking int32
	client   func() (*genai.Client, error)
}

var _ llm.Provider = (*Provider)(nil)

// New does no I/O and starts nothing. A base URL that is none is reported by
// the first request.
func New(c Config) *Provider {
	p := &Provider{http: c.HTTP, thinking: c.Thinking}
	if p.http == nil {
		p.http = &http.Client{Transport: wire.Transport()}
	}
	// The SDK looks for keys in the environment even where it is given one, and
	// tells the log what it makes of them: not before someone asks for a model.
	p.client = sync.OnceValues(func() (*genai.Client, error) { return connect(c, p.http) })
	return p
}

// connect makes the SDK's client, without I/O. What it is told here goes before
// the environment; as it would look there for a key if it had none, it always
// has one, and the right one is put in its place on the way.
func connect(c Config, client *http.Client) (*genai.Client, error) {
	base := c.BaseURL
	if base == "" {
		base = defaultBaseURL
	}
	if err := wire.CheckBaseURL(base); err != nil {
		return nil, err
	}
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/"+version)
	key := strings.TrimSpace(c.Key) // keys are pasted with their line's end
	out, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		Backend:     genai.BackendGeminiAPI,
		APIKey:      "none",
		HTTPClient:  wire.Through(client, keyed(key), recorded, explained),
		HTTPOptions: genai.HTTPOptions{BaseURL: base, APIVersion: version}, // without retry options it does not retry
	})
	if err != nil {
		return nil, fmt.Errorf("setting up the model's client: %w", err)
	}
	return out, nil
}

// keyed sends the key, or none.
func keyed(key string) wire.Middleware {
	const header = "X-Goog-Api-Key"
	return func(req *http.Request, next wire.Next) (*http.Response, error) {
		req = req.Clone(req.Context())
		req.Header.Del(header)
		if key != "" {
			req.Header.Set(header, key)
		}
		return next(req)
	}
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
// closed or free for another request. The end of the stream is that of the
// response: nothing else says that no more will come.
func (p *Provider) stream(ctx context.Context, req llm.Request, a *answer) error {
	client, err := p.client()
	if err != nil {
		return err
	}
	body, err := request(req, p.thinking)
	if err != nil {
		return fmt.Errorf("encoding the request: %w", err)
	}
	config := &genai.GenerateContentConfig{
		AutomaticContinuation: new(bool), // off: it would ask again by itself
		HTTPOptions:           &genai.HTTPOptions{ExtrasRequestProvider: func(map[string]any) map[string]any { return body }},
	}
	ctx = a.wire.heardIn(ctx)
	for chunk, err := range client.Models.GenerateContentStream(ctx, req.Model, nil, config) {
		if err != nil { // the SDK must not go on after one: it would panic
			return a.end(err)
		}
		if err := a.add(ctx, chunk); err != nil {
			return err
		}
	}
	return a.end(nil)
}

// Models lists what the server offers for conversations, as it orders it.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	client, err := p.client()
	if err != nil {
		return nil, err
	}
	var names []string
	for m, err := range client.Models.All(ctx) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("listing models: %w", plain(err))
		}
		if slices.Contains(m.SupportedActions, "generateContent") {
			names = append(names, strings.TrimPrefix(m.Name, "models/"))
		}
	}
	return names, nil
}

// plain is our error without what the SDK and net/http wrapped around it, where
// it is one of ours.
func plain(err error) error {
	var failure *llm.Failure
	if errors.As(err, &failure) {
		return failure
	}
	var around *url.Error
	if errors.As(err, &around) {
		return around.Err
	}
	return err
}

// Close closes the connections that no request uses. Requests under way are not
// touched: their contexts end them.
func (p *Provider) Close() { p.http.CloseIdleConnections() }

// AfterClose implements llm.Provider: Google does not heed that a reader left.
func (p *Provider) AfterClose() llm.AfterClose { return llm.BillingGoesOn }
