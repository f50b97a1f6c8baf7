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

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// Provider asks the models of one server. It is safe for concurrent use.
type Provider struct {
	*Server
	chat sdk.ChatCompletionService
}

var _ llm.Provider = (*Provider)(nil)

// New does no I/O and starts nothing. An invalid base URL is reported by the
// first request.
func New(c Config) *Provider {
	server := NewServer(c)
	return &Provider{Server: server, chat: sdk.NewChatCompletionService(server.Streaming()...)}
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
	stream := p.chat.NewStreaming(ctx, params(req), option.WithMiddleware(wire.Reused(a.complete)))
	defer func() { _ = stream.Close() }() // all that was wanted of it has been read
	for stream.Next() {
		if err := a.addChunk(ctx, stream.Current()); err != nil {
			return err
		}
	}
	return a.endStream(stream.Err())
}

// AfterClose implements llm.Provider: the servers behind this API are many.
func (p *Provider) AfterClose() llm.AfterClose { return llm.BillingUnknown }
