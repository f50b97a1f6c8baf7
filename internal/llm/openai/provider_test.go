package openai_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/llm/openai"
	"github.com/bellcord/bellcord/internal/testkit/llmtest"
)

// collected collects emitted text and thinking.
type collected struct{ text, thinkingText string }

func (h *collected) emit(b bellcord.Body) error {
	switch b := b.(type) {
	case bellcord.TextDelta:
		h.text += b.Text
	case bellcord.ThinkingDelta:
		h.thinkingText += b.Text
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
func fake(t *testing.T) (*openai.Provider, *fakemodel.Server) {
	t.Helper()
	server := fakemodel.New()
	running, url, err := server.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	p := openai.New(openai.Config{BaseURL: url, Key: "key"})
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
func serving(t *testing.T, answer http.HandlerFunc) *openai.Provider {
	t.Helper()
	server := httptest.NewServer(answer)
	p := openai.New(openai.Config{BaseURL: server.URL + "/v1", Key: "key"})
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
			_, _ = w.Write([]byte("data: " + e + "\n\n"))
			w.(http.Flusher).Flush()
		}
	}
}

func TestAsk_CompleteAnswer_StreamsTextAndThinkingAndReturnsReply(t *testing.T) {
	t.Parallel()
	p, _ := fake(t)
	var h collected
	reply, err := p.Generate(t.Context(), prompt("[think 3 0s] [say hello there] [usage 11 7]"), h.emit)
	if err != nil {
		t.Fatal(err)
	}
	if h.text != "hello there" || strings.TrimSpace(h.thinkingText) == "" {
		t.Errorf("heard %+v", h)
	}
	if reply.Finish != "stop" || len(reply.Calls) != 0 {
		t.Errorf("reply %+v", reply)
	}
	if want := (bellcord.Usage{InputTokens: 11, OutputTokens: 7, Exact: true}); reply.Usage == nil || *reply.Usage != want {
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
}

func TestAsk_CompleteAnswer_ReusesConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := openai.New(openai.Config{BaseURL: "http://fake/v1", HTTP: llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			saying(finish("stop"), "[DONE]")(w, r)
			<-time.After(10 * time.Millisecond) // the response ends shortly after its stream
		})})
		for i := range 3 {
			var reused bool
			ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
				GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused },
			})
			if _, err := p.Generate(ctx, prompt("hello"), ignore); err != nil {
				t.Fatal(err)
			}
			if reused != (i > 0) {
				t.Errorf("request %d: connection used again: %v", i+1, reused)
			}
			synctest.Wait()
		}
	})
}

func TestAsk_ResponseOpenAfterStreamEnd_ReturnsWithoutWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := openai.New(openai.Config{BaseURL: "http://fake/v1", HTTP: llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			saying(finish("stop"), "[DONE]")(w, r)
			<-r.Context().Done()
		})})
		start := time.Now()
		reply, err := p.Generate(t.Context(), prompt("hello"), ignore)
		if err != nil || reply.Finish != "stop" {
			t.Errorf("reply %+v, %v", reply, err)
		}
		if took := time.Since(start); took > 50*time.Millisecond {
			t.Errorf("waited for %v", took)
		}
	})
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
		saying(finish("stop"), "[DONE]")(w, r)
	}
	pasted := " own\n"
	for key, want := range map[string]string{"": "", "own": "Bearer own", pasted: "Bearer own"} {
		server := httptest.NewServer(http.HandlerFunc(answer))
		p := openai.New(openai.Config{BaseURL: server.URL, Key: key})
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
		p := openai.New(openai.Config{BaseURL: base})
		_, err := p.Generate(t.Context(), prompt("hello"), ignore)
		notPassing(t, err, "base URL")
		_, err = p.Models(t.Context())
		notPassing(t, err, "base URL")
	}
}
