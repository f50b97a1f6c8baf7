package responses_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/llm/responses"
)

// collected collects emitted events.
type collected struct {
	text, thinkingText string
	thinking           []bellcord.Thinking // signed
	open               string              // thinking since the last signature
	metered            []bellcord.Usage
}

func (h *collected) emit(b bellcord.Body) error {
	switch b := b.(type) {
	case bellcord.TextDelta:
		h.text += b.Text
	case bellcord.ThinkingDelta:
		h.thinkingText += b.Text
		h.open += b.Text
	case bellcord.ThinkingSigned:
		h.thinking = append(h.thinking, bellcord.Thinking{At: len(h.text), Text: h.open, Signature: b.Signature})
		h.open = ""
	case bellcord.UsageReported:
		h.metered = append(h.metered, b.Usage)
	}
	return nil
}

func ignore(bellcord.Body) error { return nil }

// same compares errors that must be returned unchanged, not wrapped.
func same(err, want error) bool { return err == want } //nolint:errorlint // see above

func prompt(text string) llm.Request {
	return llm.Request{Model: "fake", Messages: []bellcord.Message{{Role: bellcord.RoleUser, Text: text}}}
}

// fake starts the strict fake model on a real socket. A request that it rejects
// fails the test.
func fake(t *testing.T) (*responses.Provider, *fakemodel.Server) {
	t.Helper()
	server := fakemodel.New()
	running, url, err := server.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	p := responses.New(responses.Config{BaseURL: url, Key: "key"})
	t.Cleanup(func() {
		p.Close()
		if err := running.Close(); err != nil {
			t.Error(err)
		}
		for _, why := range server.Rejections() {
			t.Errorf("the fake model refused a request: %s", why)
		}
	})
	return p, server
}

// serving starts a server that gives every request the same answer.
func serving(t *testing.T, answer http.HandlerFunc) *responses.Provider {
	t.Helper()
	server := httptest.NewServer(answer)
	p := responses.New(responses.Config{BaseURL: server.URL + "/v1", Key: "key"})
	t.Cleanup(func() {
		p.Close()
		server.Close()
	})
	return p
}

// saying streams the events unchanged.
func saying(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			_, _ = io.WriteString(w, "data: "+e+"\n\n")
			w.(http.Flusher).Flush()
		}
	}
}

func TestAsk_CompleteAnswer_StreamsTextAndThinkingAndReturnsReply(t *testing.T) {
	t.Parallel()
	p, _ := fake(t)
	var h collected
	reply, err := p.Generate(t.Context(), prompt("[think 3 0s] [say hello there] [usage 11 7] [cache 5 2]"), h.emit)
	if err != nil {
		t.Fatal(err)
	}
	if h.text != "hello there" || h.thinkingText != "thought1 thought2 thought3" || len(h.thinking) != 1 || h.thinking[0].At != 0 {
		t.Errorf("heard %+v", h)
	}
	if reply.Finish != "stop" || len(reply.Calls) != 0 || len(h.metered) != 0 {
		t.Errorf("reply %+v, metered %v", reply, h.metered)
	}
	want := bellcord.Usage{InputTokens: 11, CacheReadTokens: 5, CacheWriteTokens: 2, OutputTokens: 7, Exact: true}
	if reply.Usage == nil || *reply.Usage != want {
		t.Errorf("usage %v, want %v", reply.Usage, want)
	}
}

func TestModels_FakeServer_KeepsServerOrder(t *testing.T) {
	t.Parallel()
	p, _ := fake(t)
	names, err := p.Models(t.Context())
	if err != nil || !slices.Equal(names, []string{"fake", "fake-mini"}) {
		t.Errorf("models %v, %v", names, err)
	}
	if p.AfterClose() != llm.BillingStops {
		t.Errorf("after a close billing %s", p.AfterClose())
	}
}

func TestNew_EnvironmentSettings_AreIgnored(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "env-key", "OPENAI_ADMIN_KEY": "env-admin", "OPENAI_BASE_URL": "http://127.0.0.1:1/env",
		"OPENAI_ORG_ID": "env-org", "OPENAI_PROJECT_ID": "env-project", "OPENAI_CUSTOM_HEADERS": "X-Env: env-header",
	} {
		t.Setenv(name, value)
	}
	var header http.Header
	answer := func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		saying(completed)(w, r)
	}
	pasted := " own\n"
	for key, want := range map[string]string{"": "", "own": "Bearer own", pasted: "Bearer own"} {
		server := httptest.NewServer(http.HandlerFunc(answer))
		p := responses.New(responses.Config{BaseURL: server.URL, Key: key})
		if _, err := p.Generate(context.Background(), prompt("hello"), ignore); err != nil {
			t.Fatal(err)
		}
		if got := header.Get("Authorization"); got != want {
			t.Errorf("key %q was sent as %q", key, got)
		}
		for name, values := range header {
			if strings.Contains(strings.Join(values, " "), "env-") {
				t.Errorf("%s: %v comes from the environment", name, values)
			}
		}
		p.Close()
		server.Close()
	}
}

func TestNew_InvalidBaseURL_RequestsFailPermanently(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"localhost:8080/v1", "ftp://host/v1", "http://", ":", "/v1"} {
		p := responses.New(responses.Config{BaseURL: base})
		_, err := p.Generate(t.Context(), prompt("hello"), ignore)
		failed(t, err, "", 0, "base URL")
		_, err = p.Models(t.Context())
		failed(t, err, "", 0, "base URL")
	}
}
