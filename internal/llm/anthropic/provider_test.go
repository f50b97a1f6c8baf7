package anthropic_test

import (
	"context"
	"encoding/json"
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
	"github.com/bellcord/bellcord/internal/llm/anthropic"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/testkit/llmtest"
)

// collected collects emitted events. It assembles the thinking as the core does.
type collected struct {
	text     string
	unsigned string // since the last signature
	thinking []bellcord.Thinking
	metered  []bellcord.Usage
}

func (h *collected) emit(b bellcord.Body) error {
	switch b := b.(type) {
	case bellcord.TextDelta:
		h.text += b.Text
	case bellcord.ThinkingDelta:
		h.unsigned += b.Text
	case bellcord.ThinkingSigned:
		h.thinking = append(h.thinking, bellcord.Thinking{At: len(h.text), Text: h.unsigned, Signature: b.Signature})
		h.unsigned = ""
	case bellcord.UsageReported:
		h.metered = append(h.metered, b.Usage)
	}
	return nil
}

// message returns the collected answer as a message for the next request.
func (h *collected) message(r llm.Reply) bellcord.Message {
	m := bellcord.Message{Role: bellcord.RoleAssistant, Text: h.text, Thinking: h.thinking}
	for _, c := range r.Calls {
		m.Calls = append(m.Calls, bellcord.CallRequest{ID: c.ID, Name: c.Name, Arguments: json.RawMessage(c.Args)})
	}
	return m
}

func ignore(bellcord.Body) error { return nil }

// same compares errors that must be returned unchanged, not wrapped.
func same(err, want error) bool { return err == want } //nolint:errorlint // see above

func prompt(text string) llm.Request {
	return llm.Request{Model: "fake", Messages: []bellcord.Message{{Role: bellcord.RoleUser, Text: text}}}
}

// fake starts the strict fake model on a real socket. A request that it rejects
// fails the test.
func fake(t *testing.T, c anthropic.Config) (*anthropic.Provider, *fakemodel.Server) {
	t.Helper()
	server := fakemodel.New()
	running, url, err := server.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	c.BaseURL, c.Key = url, "key"
	p := anthropic.New(c)
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
func serving(t *testing.T, answer http.HandlerFunc) *anthropic.Provider {
	t.Helper()
	server := httptest.NewServer(answer)
	p := anthropic.New(anthropic.Config{BaseURL: server.URL, Key: "key"})
	t.Cleanup(func() {
		p.Close()
		server.Close()
	})
	return p
}

// saying streams the events unchanged, with the type of each as its event name.
func saying(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			var named struct{ Type string }
			_ = json.Unmarshal([]byte(e), &named)
			if named.Type == "" {
				named.Type = "content_block_delta"
			}
			_, _ = w.Write([]byte("event: " + named.Type + "\ndata: " + e + "\n\n"))
			w.(http.Flusher).Flush()
		}
	}
}

func TestAsk_CompleteAnswer_StreamsTextAndThinkingAndReturnsReply(t *testing.T) {
	t.Parallel()
	p, _ := fake(t, anthropic.Config{})
	var h collected
	reply, err := p.Generate(t.Context(), prompt("[think 3 0s] [say hello there] [usage 11 7] [cache 5 2]"), h.emit)
	if err != nil {
		t.Fatal(err)
	}
	if h.text != "hello there" || len(h.thinking) != 1 || h.thinking[0].Text != "thought1 thought2 thought3" || h.unsigned != "" {
		t.Errorf("heard %+v", h)
	}
	if reply.Finish != "stop" || len(reply.Calls) != 0 {
		t.Errorf("reply %+v", reply)
	}
	want := bellcord.Usage{InputTokens: 11, CacheReadTokens: 5, CacheWriteTokens: 2, OutputTokens: 7, Exact: true}
	if reply.Usage == nil || *reply.Usage != want {
		t.Errorf("usage %v, want %v", reply.Usage, want)
	}
	want.OutputTokens = 1
	if !slices.Equal(h.metered, []bellcord.Usage{want}) {
		t.Errorf("metered %v, want %v", h.metered, want)
	}
}

func TestModels_FakeServer_KeepsServerOrder(t *testing.T) {
	t.Parallel()
	p, _ := fake(t, anthropic.Config{})
	names, err := p.Models(t.Context())
	if err != nil || !slices.Equal(names, []string{"fake", "fake-mini"}) {
		t.Errorf("models %v, %v", names, err)
	}
}

func TestModels_SeveralPages_ReturnsAll(t *testing.T) {
	t.Parallel()
	p := serving(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("after_id") == "" {
			_, _ = w.Write([]byte(`{"data":[{"type":"model","id":"a"}],"has_more":true,"first_id":"a","last_id":"a"}`))
			return
		}
		_, _ = w.Write([]byte(`{"data":[{"type":"model","id":"b"}],"has_more":false,"first_id":"b","last_id":"b"}`))
	})
	if names, err := p.Models(t.Context()); err != nil || !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("models %v, %v", names, err)
	}
}

func TestAsk_CompleteAnswer_ReusesConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := anthropic.New(anthropic.Config{BaseURL: "http://fake", HTTP: llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			saying(begun(3), stopped("end_turn", 1), over)(w, r)
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
		p := anthropic.New(anthropic.Config{BaseURL: "http://fake", HTTP: llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			saying(begun(3), stopped("end_turn", 1), over)(w, r)
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
		"ANTHROPIC_API_KEY": "env-key", "ANTHROPIC_AUTH_TOKEN": "env-token", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1/env",
		"ANTHROPIC_PROFILE": "env-profile", "ANTHROPIC_CUSTOM_HEADERS": "X-Env: env-header", "ANTHROPIC_WORKSPACE_ID": "env-workspace",
	} {
		t.Setenv(name, value)
	}
	var header http.Header
	answer := func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		saying(begun(3), stopped("end_turn", 1), over)(w, r)
	}
	pasted := " own\n"
	for key, want := range map[string]string{"": "", "own": "own", pasted: "own"} {
		server := httptest.NewServer(http.HandlerFunc(answer))
		p := anthropic.New(anthropic.Config{BaseURL: server.URL + "/v1/", Key: key})
		if _, err := p.Generate(context.Background(), prompt("hello"), ignore); err != nil {
			t.Fatal(err)
		}
		if got := header.Get("X-Api-Key"); got != want {
			t.Errorf("key %q was sent as %q", key, got)
		}
		for name, values := range header {
			if strings.Contains(strings.Join(values, " "), "env-") || name == "Authorization" || name == "Traceparent" {
				t.Errorf("%s: %v comes from the environment", name, values)
			}
		}
		p.Close()
		server.Close()
	}
}

func TestNew_InvalidConfig_RequestsFailPermanently(t *testing.T) {
	t.Parallel()
	for words, configs := range map[string][]anthropic.Config{
		"base URL":    {{BaseURL: "localhost:8080/v1"}, {BaseURL: "ftp://host"}, {BaseURL: "http://"}, {BaseURL: ":"}, {BaseURL: "/v1"}},
		"thinking":    {{Thinking: 1023}, {Thinking: -2}, {Thinking: 2000, MaxTokens: 2000}},
		"is negative": {{MaxTokens: -1}},
	} {
		for _, c := range configs {
			p := anthropic.New(c)
			_, err := p.Generate(t.Context(), prompt("hello"), ignore)
			notPassing(t, err, words)
			_, err = p.Models(t.Context())
			notPassing(t, err, words)
		}
	}
}

func TestAfterClose_Anthropic_ReportsBillingStops(t *testing.T) {
	t.Parallel()
	if got := anthropic.New(anthropic.Config{}).AfterClose(); got != llm.BillingStops {
		t.Errorf("after a close, billing %q", got)
	}
}
