// Package gemini sends requests to Google's models over the generateContent
// method of the Gemini API.
//
// An answer is complete once its finish reason has arrived. An answer without
// one is an error that wraps [wire.ErrCutOff], even if the connection was
// closed properly.
//
// This package does not use Google's SDK. The SDK parses arguments into maps,
// which lose the order of keys and the last digits of long numbers. It writes
// to the standard log on every stop, and it resumes broken streams by itself.
// Importing it also slows down every start of the program, whichever provider
// is used; docs/dev/decisions.md has the measurements.
//
// This package does not retry: a retryable error is an [llm.Failure], and
// [llm.Patient] decides. Only the proxy settings are read from the environment.
package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

const (
	defaultBaseURL = "https://generativelanguage.googleapis.com"
	version        = "v1beta" // of the API; v1 lacks thinking and schemas
)

// Config contains the address of a model server and the thinking budget.
type Config struct {
	BaseURL  string       // with or without /v1beta; "" is Google's
	Key      string       // "" sends no key
	HTTP     *http.Client // nil creates a client
	Thinking *int32       // token budget for thinking; nil uses the model's default, 0 requests none
}

// Provider sends requests to the models of one server. It is safe for
// concurrent use.
type Provider struct {
	http     *http.Client
	base     *url.URL // including the version
	thinking *int32
	problem  error // configuration error, returned by every request
}

var _ llm.Provider = (*Provider)(nil)

// New returns a provider. It does no I/O and starts no goroutine. An invalid
// base URL is reported by every request.
func New(c Config) *Provider {
	p := &Provider{thinking: c.Thinking}
	p.base, p.problem = address(cmp.Or(c.BaseURL, defaultBaseURL))
	client := c.HTTP
	if client == nil {
		client = &http.Client{Transport: wire.Transport()}
	}
	p.http = wire.Through(client, p.keyed(c.Key), explained)
	return p
}

// Generate implements llm.Model.
func (p *Provider) Generate(ctx context.Context, req llm.Request, emit func(bellcord.Body) error) (llm.Reply, error) {
	a := answer{emit: emit}
	err := p.stream(ctx, req, &a)
	return wire.Finish(ctx, err, a.fullReply)
}

// stream returns when the answer is complete or has failed, and not before the
// connection is closed or free for another request. It reads the response to
// its end, because the API has no event that marks the end of a stream.
func (p *Provider) stream(ctx context.Context, req llm.Request, a *answer) error {
	if p.problem != nil {
		return p.problem
	}
	body, err := json.Marshal(request(req, p.thinking))
	if err != nil {
		return fmt.Errorf("encoding the request: %w", err)
	}
	post, err := p.post(ctx, resource(req.Model)+":streamGenerateContent", body)
	if err != nil {
		return err
	}
	res, err := wire.Streamed(post, p.http.Do)
	if err != nil {
		return plain(err)
	}
	defer func() { _ = res.Body.Close() }() // the answer has been read
	for event, err := range events(res.Body) {
		if err != nil {
			return a.endStream(err)
		}
		if err := a.addEvent(ctx, event); err != nil {
			return err
		}
	}
	return a.endStream(nil)
}

// plain removes the wrapper that net/http adds to errors.
func plain(err error) error {
	var around *url.Error
	if errors.As(err, &around) {
		return around.Err
	}
	return err
}

// Close closes idle connections. It does not affect running requests; those end
// with their contexts.
func (p *Provider) Close() { p.http.CloseIdleConnections() }

// AfterClose implements llm.Provider. Google continues to generate after the
// client disconnects.
func (p *Provider) AfterClose() llm.AfterClose { return llm.BillingGoesOn }
