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

// Config says where the models are.
type Config struct {
	BaseURL string       // without /chat/completions or /responses; "" is OpenAI's own
	Key     string       // sent as bearer token; "" sends none
	HTTP    *http.Client // nil is a client of the provider's own
}

// Server is a server with OpenAI's API. Package responses uses it, too.
type Server struct {
	Problem error // why no request can be made

	http   *http.Client
	opts   []option.RequestOption
	models sdk.ModelService
}

// NewServer does no I/O. An invalid base URL is in Problem.
func NewServer(c Config) *Server {
	base := cmp.Or(c.BaseURL, defaultBaseURL)
	s := &Server{http: c.HTTP, Problem: wire.CheckBaseURL(base)}
	if s.http == nil {
		s.http = &http.Client{Transport: wire.Transport()}
	}
	// Services are made without the SDK's client, because that one reads keys,
	// addresses and headers from the environment.
	s.opts = []option.RequestOption{
		option.WithBaseURL(base),
		option.WithAPIKey(strings.TrimSpace(c.Key)), // a pasted key often ends with a newline
		option.WithHTTPClient(s.http),
		option.WithMaxRetries(0),
	}
	s.models = sdk.NewModelService(s.with(wire.Accepted)...)
	return s
}

// Streaming returns the options of a service whose answers are streams.
func (s *Server) Streaming() []option.RequestOption { return s.with(wire.Streamed, wire.Accepted) }

func (s *Server) with(through ...option.Middleware) []option.RequestOption {
	return append(slices.Clone(s.opts), option.WithMiddleware(through...))
}

// Models returns the names of the models that the server offers, in its order.
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

// Close closes the connections that no request uses. Requests under way are not
// touched: their contexts end them.
func (s *Server) Close() { s.http.CloseIdleConnections() }
