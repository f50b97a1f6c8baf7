package openai

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/bellcord/bellcord/internal/llm/wire"
)

const defaultBaseURL = "https://api.openai.com/v1"

// Config contains the address of a model server.
type Config struct {
	BaseURL string       // without /chat/completions or /responses; "" is OpenAI's
	Key     string       // sent as bearer token; "" sends no key
	HTTP    *http.Client // nil creates a client
}

// Server is a server with OpenAI's API. Package responses uses it as well.
type Server struct {
	Problem error // configuration error; requests must return it without sending anything

	http   *http.Client
	opts   []option.RequestOption
	models sdk.ModelService
}

// NewServer returns a server. It does no I/O. An invalid base URL is stored in
// Problem.
func NewServer(c Config) *Server {
	base := cmp.Or(c.BaseURL, defaultBaseURL)
	s := &Server{http: c.HTTP, Problem: wire.CheckBaseURL(base)}
	if s.http == nil {
		s.http = &http.Client{Transport: wire.Transport()}
	}
	// Services are created without the SDK's client, which reads keys,
	// addresses and headers from the environment.
	s.opts = []option.RequestOption{
		option.WithBaseURL(base),
		option.WithAPIKey(strings.TrimSpace(c.Key)), // a pasted key may end with a newline
		option.WithHTTPClient(s.http),
		option.WithMaxRetries(0),
	}
	s.models = sdk.NewModelService(s.with(wire.Accepted)...)
	return s
}

// Streaming returns the options of a service with streamed answers.
func (s *Server) Streaming() []option.RequestOption { return s.with(wire.Streamed, wire.Accepted) }

func (s *Server) with(through ...option.Middleware) []option.RequestOption {
	return append(slices.Clone(s.opts), option.WithMiddleware(through...))
}

// Models returns the names of the server's models, in the server's order.
func (s *Server) Models(ctx context.Context) ([]string, error) {
	if s.Problem != nil {
		return nil, s.Problem
	}
	page, err := s.models.List(ctx)
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

// Close closes idle connections. It does not affect running requests; those end
// with their contexts.
func (s *Server) Close() { s.http.CloseIdleConnections() }
