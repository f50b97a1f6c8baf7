// Package gemini asks Google's models through the generateContent method of the
// Gemini API.
//
// An answer counts as complete once its finish reason has come; without one it
// is an error that wraps [wire.ErrCutOff], however orderly the connection was
// closed.
//
// Google's SDK is not used: it reads arguments into maps, which forget the order
// of keys and the last digits of long numbers, tells the standard log of every
// stop, and goes on by itself with streams that broke. Importing it also costs
// every start of the program time, whoever is asked; peers/genai measures all of
// this.
//
// Nothing is tried twice here: what may pass is an [llm.Failure], and
// [llm.Patient] decides. Nothing is taken from the environment but the proxy.
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
	version        = "v1beta" // of the API; thinking and schemas are not in v1
)

// Config says where the models are.
type Config struct {
	BaseURL  string       // with or without /v1beta; "" is Google's own
	Key      string       // "" sends none
	HTTP     *http.Client // nil is a client of the provider's own
	Thinking *int32       // how many tokens a model may think; nil leaves it to the model
}

// Provider asks the models of one server. It may be used by many at once.
type Provider struct {
	http     *http.Client
	base     *url.URL // up to and with the version
	thinking *int32
	problem  error // why no request can be made
}

var _ llm.Provider = (*Provider)(nil)

// New does no I/O and starts nothing. A base URL that is none is reported by
// the first request.
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

// Ask implements llm.Model.
func (p *Provider) Ask(ctx context.Context, req llm.Request, emit func(bellcord.Body) error) (llm.Reply, error) {
	a := answer{emit: emit}
	err := p.stream(ctx, req, &a)
	return wire.Finish(ctx, err, a.fullReply)
}

// stream returns when the answer is complete, and not before the connection is
// closed or free for another request. The end of the stream is that of the
// response: nothing else says that no more will come.
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
	defer func() { _ = res.Body.Close() }() // all that was wanted of it has been read
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

// plain is an error without what net/http wrapped around it.
func plain(err error) error {
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
