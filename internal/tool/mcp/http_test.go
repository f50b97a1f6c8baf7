package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool/mcp"
)

// remote is an HTTP server, made with the SDK, that records the headers of its
// requests.
type remote struct {
	*httptest.Server
	hung    chan struct{} // receives one element for each canceled call of hang
	sdk     *sdk.Server
	mu      sync.Mutex
	headers []http.Header
}

func serve(t *testing.T, opts *sdk.StreamableHTTPOptions) *remote {
	t.Helper()
	r := &remote{hung: make(chan struct{}, 1000), sdk: sdk.NewServer(&sdk.Implementation{Name: "remote"}, nil)}
	type none struct{}
	sdk.AddTool(r.sdk, &sdk.Tool{Name: "echo"}, func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "echo"}}}, nil, nil
	})
	sdk.AddTool(r.sdk, &sdk.Tool{Name: "hang"}, func(ctx context.Context, req *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, any, error) {
		if token := req.Params.GetProgressToken(); token != nil {
			_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Message: "half done"})
		}
		<-ctx.Done()
		r.hung <- struct{}{}
		return nil, nil, ctx.Err()
	})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return r.sdk }, opts)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.headers = append(r.headers, req.Header.Clone())
		r.mu.Unlock()
		handler.ServeHTTP(w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

func TestHTTP_StoppedCall_IsCanceledAndServerAnswersNextCall(t *testing.T) {
	t.Parallel()
	for version, opts := range map[string]*sdk.StreamableHTTPOptions{
		"2025-11-25": nil,                                                   // with sessions: the cancellation is a message
		"2026-07-28": {Stateless: true, PropagateRequestCancellation: true}, // without sessions: closing the request cancels the call
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			r := serve(t, opts)
			set := open(t, mcp.Server{Name: "far", URL: r.URL, Headers: map[string]string{"X-Secret": "hush"}})
			all := tools(t, set)
			var took []time.Duration
			for range 10 {
				result, d := stopIn(t, all["mcp_far_hang"], `{}`, 1)
				wantFate(t, result, bellcord.CallStopped)
				if !strings.Contains(result.Text, "half done") {
					t.Fatalf("it came to %+v", result)
				}
				took = append(took, d)
				select {
				case <-r.hung:
				case <-within(t).Done():
					t.Fatal("the server was not told")
				}
				answers(t, all["mcp_far_echo"], `{}`, "echo")
			}
			t.Log(summary(took))
			set.Close()
			r.saw(t, version)
		})
	}
}

// saw checks the headers of all requests: each has the configured header, and
// all after the first two, which negotiate it, have the version of the
// protocol.
func (r *remote) saw(t *testing.T, version string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, h := range r.headers {
		if h.Get("X-Secret") != "hush" {
			t.Errorf("request %d lacks the configured header", i)
		}
		if got := h.Get("Mcp-Protocol-Version"); i > 1 && got != version {
			t.Errorf("request %d has the version %q, want %q", i, got, version)
		}
	}
}

func TestHTTP_JSONResponse_CanBeStopped(t *testing.T) {
	t.Parallel()
	r := serve(t, &sdk.StreamableHTTPOptions{JSONResponse: true})
	all := tools(t, open(t, mcp.Server{Name: "far", URL: r.URL}))
	for range 10 {
		ctx, cancel := context.WithCancel(within(t))
		time.AfterFunc(20*time.Millisecond, cancel)
		result := do(ctx, all["mcp_far_hang"], `{}`)
		if result.Fate != bellcord.CallStopped && result.Fate != bellcord.CallNotStarted {
			t.Fatalf("it came to %+v", result)
		}
		answers(t, all["mcp_far_echo"], `{}`, "echo")
	}
}

func TestHTTP_ServerUnreachable_CallIsNotStarted(t *testing.T) {
	t.Parallel()
	r := serve(t, nil)
	set := open(t, mcp.Server{Name: "far", URL: r.URL})
	all := tools(t, set)
	r.CloseClientConnections()
	r.Close()
	do(within(t), all["mcp_far_echo"], `{}`) // may be written to a closed connection, with unknown outcome
	result := do(within(t), all["mcp_far_echo"], `{}`)
	if result.Fate != bellcord.CallNotStarted || !result.Failed {
		t.Fatalf("it came to %+v", result)
	}
	if list, errs := set.Tools(within(t)); len(list) != 0 || len(errs) != 1 {
		t.Fatalf("%d tools, %v", len(list), errs)
	}
}

func TestHTTP_RedirectToAnotherHost_SendsNoHeaders(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		t.Errorf("the other host was sent %v", req.Header)
	}))
	t.Cleanup(other.Close)
	first := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(first.Close)
	set := open(t, mcp.Server{Name: "far", URL: first.URL, Headers: map[string]string{"Authorization": "hush"}})
	if _, errs := set.Tools(within(t)); len(errs) != 1 || !strings.Contains(errs[0].Error(), "refused a redirect") {
		t.Fatalf("the errors are %v", errs)
	}
}
