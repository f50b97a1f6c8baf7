package gemini_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/llm/gemini"
	"github.com/bellcord/bellcord/internal/testkit/llmtest"
)

// collected collects emitted events.
type collected struct {
	text, thinkingText string
	kinds              []string // of all emitted events; consecutive equal kinds appear once
	metered            []bellcord.Usage
	thinking           []bellcord.Thinking // as the core would record it
	since              string              // thinking since the last signature
}

func (h *collected) emit(b bellcord.Body) error {
	if n := len(h.kinds); n == 0 || h.kinds[n-1] != b.Kind() {
		h.kinds = append(h.kinds, b.Kind())
	}
	switch b := b.(type) {
	case bellcord.TextDelta:
		h.text += b.Text
	case bellcord.ThinkingDelta:
		h.thinkingText += b.Text
		h.since += b.Text
	case bellcord.UsageReported:
		h.metered = append(h.metered, b.Usage)
	case bellcord.ThinkingSigned:
		h.thinking = append(h.thinking, bellcord.Thinking{At: len(h.text), Text: h.since, Signature: b.Signature})
		h.since = ""
	}
	return nil
}

// message returns the collected answer as a message for the next request.
func (h *collected) message(reply llm.Reply) bellcord.Message {
	m := bellcord.Message{Role: bellcord.RoleAssistant, Text: h.text, Thinking: h.thinking}
	for _, c := range reply.Calls {
		m.Calls = append(m.Calls, bellcord.CallRequest{ID: c.ID, Name: c.Name, Arguments: []byte(c.Args), Signature: c.Seal})
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
func fake(t *testing.T) (*gemini.Provider, *fakemodel.Server) {
	t.Helper()
	server := fakemodel.New()
	running, url, err := server.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	p := gemini.New(gemini.Config{BaseURL: strings.TrimSuffix(url, "/v1"), Key: "key"})
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
func serving(t *testing.T, answer http.HandlerFunc) *gemini.Provider {
	t.Helper()
	p := gemini.New(gemini.Config{BaseURL: serverOf(t, answer), Key: "key"})
	t.Cleanup(p.Close)
	return p
}

// serverOf starts such a server and returns its address.
func serverOf(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server.URL
}

// saying streams the events unchanged.
func saying(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			_, _ = w.Write([]byte("data: " + e + "\r\n\r\n"))
			w.(http.Flusher).Flush()
		}
	}
}

func TestAsk_CompleteAnswer_StreamsTextAndThinkingAndReturnsReply(t *testing.T) {
	t.Parallel()
	p, _ := fake(t)
	var h collected
	reply, err := p.Generate(t.Context(), prompt("[think 3 0s] [say hello there] [usage 11 7] [cache 4 0]"), h.emit)
	if err != nil {
		t.Fatal(err)
	}
	if h.text != "hello there" || h.thinkingText != "thought1 thought2 thought3" || reply.Finish != "stop" || len(reply.Calls) != 0 {
		t.Errorf("heard %+v, reply %+v", h, reply)
	}
	want := bellcord.Usage{InputTokens: 11, CacheReadTokens: 4, OutputTokens: 7, Exact: true}
	if reply.Usage == nil || *reply.Usage != want {
		t.Errorf("usage %v, want %v", reply.Usage, want)
	}
	if len(h.metered) != 1 || h.metered[0].InputTokens != 11 || h.metered[0].CacheReadTokens != 4 || !h.metered[0].Exact {
		t.Errorf("metered %+v", h.metered)
	}
	if order := []string{"usage_reported", "thinking_delta", "thinking_signed", "text_delta", "thinking_signed"}; !slices.Equal(h.kinds, order) {
		t.Errorf("emitted %v", h.kinds)
	}
}

func TestAsk_NoUsageReported_ReturnsNilUsage(t *testing.T) {
	t.Parallel()
	p, _ := fake(t)
	var h collected
	reply, err := p.Generate(t.Context(), prompt("[nousage] [say hello]"), h.emit)
	if err != nil || reply.Usage != nil || h.metered != nil {
		t.Errorf("reply %+v, %v; metered %v", reply, err, h.metered)
	}
}

func TestModels_FakeServer_ListsOnlyGenerateContentInServerOrder(t *testing.T) {
	t.Parallel()
	p, _ := fake(t)
	names, err := p.Models(t.Context())
	if err != nil || !slices.Equal(names, []string{"fake", "fake-mini"}) {
		t.Errorf("models %v, %v", names, err)
	}
}

func TestModels_SeveralPages_ReturnsAll(t *testing.T) {
	t.Parallel()
	p := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if size := r.URL.Query().Get("pageSize"); size != "1000" {
			t.Errorf("asked for %q at once", size)
		}
		page := `{"models":[{"name":"models/a","supportedGenerationMethods":["generateContent"]}],"nextPageToken":"2"}`
		if r.URL.Query().Get("pageToken") == "2" {
			page = `{"models":[{"name":"tunedModels/b","supportedGenerationMethods":["generateContent"]}]}`
		}
		_, _ = w.Write([]byte(page))
	})
	names, err := p.Models(t.Context())
	if want := []string{"a", "tunedModels/b"}; err != nil || !reflect.DeepEqual(names, want) {
		t.Errorf("models %v, %v", names, err)
	}
}

func TestAsk_CompleteAnswer_ReusesConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := gemini.New(gemini.Config{BaseURL: "http://fake", HTTP: llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			saying(finish("STOP"))(w, r)
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

func TestNew_EnvironmentSettings_AreIgnored(t *testing.T) {
	for name, value := range map[string]string{
		"GOOGLE_API_KEY": "env-key", "GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_GENAI_USE_ENTERPRISE": "1",
		"GOOGLE_CLOUD_PROJECT": "env-project", "GOOGLE_CLOUD_LOCATION": "env-location",
		"GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:1/env", "GOOGLE_VERTEX_BASE_URL": "http://127.0.0.1:1/env",
	} {
		t.Setenv(name, value)
	}
	var header http.Header
	var path string
	answer := func(w http.ResponseWriter, r *http.Request) {
		header, path = r.Header.Clone(), r.URL.String()
		saying(finish("STOP"))(w, r)
	}
	pasted := " own\n"
	for key, want := range map[string]string{"": "", "own": "own", pasted: "own"} {
		server := httptest.NewServer(http.HandlerFunc(answer))
		p := gemini.New(gemini.Config{BaseURL: server.URL, Key: key})
		if _, err := p.Generate(context.Background(), prompt("hello"), ignore); err != nil {
			t.Fatal(err)
		}
		if got := header.Get("X-Goog-Api-Key"); got != want {
			t.Errorf("key %q was sent as %q", key, got)
		}
		if path != "/v1beta/models/fake:streamGenerateContent?alt=sse" {
			t.Errorf("asked at %s", path)
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
	for _, base := range []string{"localhost:8080", "ftp://host", "http://", ":", "/v1beta"} {
		p := gemini.New(gemini.Config{BaseURL: base})
		_, err := p.Generate(t.Context(), prompt("hello"), ignore)
		notPassing(t, err, "base URL")
		_, err = p.Models(t.Context())
		notPassing(t, err, "base URL")
	}
}

func TestNew_BaseURLWithOrWithoutVersion_UsesTheSamePath(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/some/v1beta/models/fake:streamGenerateContent" {
			t.Errorf("asked at %s", r.URL.Path)
		}
		saying(finish("STOP"))(w, r)
	}))
	defer server.Close()
	for _, path := range []string{"/some", "/some/", "/some/v1beta", "/some/v1beta/"} {
		p := gemini.New(gemini.Config{BaseURL: server.URL + path})
		if _, err := p.Generate(t.Context(), prompt("hello"), ignore); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		p.Close()
	}
}

func TestAfterClose_Gemini_ReportsBillingGoesOn(t *testing.T) {
	t.Parallel()
	if got := gemini.New(gemini.Config{}).AfterClose(); got != llm.BillingGoesOn {
		t.Errorf("after a close billing %s", got)
	}
}
