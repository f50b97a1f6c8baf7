// Package openai sends requests to models over OpenAI's Chat Completions API,
// which most model servers provide. It supports the behavior of those servers
// where it differs from the API's specification.
//
// An answer is complete once its finish reason has arrived. An answer without
// one is an error that wraps [wire.ErrCutOff], even if the connection was
// closed properly.
//
// This package does not retry: a retryable error is an [llm.Failure], and
// [llm.Patient] decides. Only the proxy settings are read from the environment.
package openai

import (
	"context"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// Provider sends requests to the models of one server. It is safe for
// concurrent use.
type Provider struct {
	*Server
	chat sdk.ChatCompletionService
}

var _ llm.Provider = (*Provider)(nil)

// New returns a provider. It does no I/O and starts no goroutine. An invalid
// base URL is reported by every request.
func New(c Config) *Provider {
	server := NewServer(c)
	return &Provider{Server: server, chat: sdk.NewChatCompletionService(server.Streaming()...)}
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
	stream := p.chat.NewStreaming(ctx, params(req), option.WithMiddleware(wire.Reused(a.complete)))
	defer func() { _ = stream.Close() }() // the answer has been read
	for stream.Next() {
		if err := a.addChunk(ctx, stream.Current()); err != nil {
			return err
		}
	}
	return a.endStream(stream.Err())
}

// AfterClose implements llm.Provider. Many different servers provide this API,
// so the result is BillingUnknown.
func (p *Provider) AfterClose() llm.AfterClose { return llm.BillingUnknown }
