//go:build unix

package react_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/openai"
)

func TestLaw27_FailedRequest_CountsTokensOnlyIfModelReceivedIt(t *testing.T) {
	t.Parallel()
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"error":{"message":"no"}}`, code) }
	}
	cut := func(before string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if before != "" {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = fmt.Fprint(w, before)
				_ = http.NewResponseController(w).Flush()
			}
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = conn.Close()
			}
		}
	}
	const words = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"some words\"}}]}\n\n"
	for _, test := range []struct {
		name  string
		base  string
		serve http.HandlerFunc
		free  bool
	}{
		{name: "refused connection", base: "http://" + closedPort(t), free: true},
		{name: "no such host", base: "http://no-such-host.invalid", free: true},
		{name: "no address", base: "gopher://x", free: true},
		{name: "status 401", serve: status(401), free: true},
		{name: "status 400", serve: status(400), free: true},
		{name: "status 503", serve: status(503), free: true},
		{name: "cut off before the headers", serve: cut("")},
		{name: "cut off in the text", serve: cut(words)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			base := test.base
			if test.serve != nil {
				server := httptest.NewServer(test.serve)
				t.Cleanup(server.Close)
				base = server.URL
			}
			provider := openai.New(openai.Config{BaseURL: base, Key: "k"})
			t.Cleanup(provider.Close)
			s, _ := onRealStage(t, &model{})
			s.agent.Model = func(string) (react.Model, error) {
				return react.Model{Model: llm.Patient{Model: provider, Tries: 2, First: 1}, Name: "one"}, nil
			}
			r := s.run("go")
			if r.End != bellcord.EndFailed {
				t.Fatalf("%s", r.End)
			}
			if free := r.Usage == (bellcord.Usage{Exact: true}); free != test.free || !free && (r.Usage.InputTokens == 0 || r.Usage.Exact) {
				t.Errorf("booked %+v for %s", r.Usage, r.Error)
			}
		})
	}
}

// closedPort returns an address on which no server listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}
