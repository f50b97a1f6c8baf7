package tool_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/web"
)

// braveAPI answers as the documentation of Brave Search describes it.
func braveAPI(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || r.Header.Get("X-Subscription-Token") != "the key" || r.URL.Query().Get("q") != "go generics" || r.URL.Query().Get("count") != "2" {
		http.Error(w, "bad request", http.StatusUnprocessableEntity)
		return
	}
	respond("application/json", `{"type":"search","web":{"type":"search","results":[`+
		`{"title":"Go &amp; generics","url":"https://go.dev/a","description":"About <strong>generics</strong>\nin Go"},`+
		`{"title":"Two","url":"https://go.dev/b","description":"two"},{"title":"Three","url":"https://go.dev/c","description":"three"}]}}`)(w, r)
}

// tavilyAPI answers as the documentation of Tavily describes it.
func tavilyAPI(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Query string `json:"query"`
		Max   int    `json:"max_results"`
	}
	data, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(data, &body) != nil || r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer the key" || body.Query != "go generics" || body.Max != 2 {
		http.Error(w, "bad request", http.StatusUnauthorized)
		return
	}
	respond("application/json", `{"query":"go generics","results":[{"title":"Go & generics","url":"https://go.dev/a","content":"About generics in Go","score":0.9},`+
		`{"title":"Two","url":"https://go.dev/b","content":"two","score":0.5}],"response_time":1.2}`)(w, r)
}

// searxngAPI answers as the documentation of SearXNG describes it.
func searxngAPI(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("q") != "go generics" || r.URL.Query().Get("format") != "json" {
		http.Error(w, "bad request", http.StatusForbidden)
		return
	}
	respond("application/json", `{"query":"go generics","number_of_results":0,"results":[{"url":"https://go.dev/a","title":"Go & generics","content":"About generics in Go","engine":"x"},`+
		`{"url":"https://go.dev/b","title":"Two","content":"two"},{"url":"https://go.dev/c","title":"Three","content":"three"}]}`)(w, r)
}

func TestWebSearch_EachService_ReturnsTitleAddressAndSnippet(t *testing.T) {
	t.Parallel()
	url := site(t, map[string]http.HandlerFunc{"/res/v1/web/search": braveAPI, "POST /search": tavilyAPI, "GET /search": searxngAPI})
	for _, service := range web.Services {
		of := tool.WebSearch(web.Engine{Service: service, URL: url + "/", Key: "the key"})
		got := use(t, t.Context(), of, "", fields{"query": "go generics", "max": 2})
		want := "1. Go & generics\nhttps://go.dev/a\nAbout generics in Go\n\n2. Two\nhttps://go.dev/b\ntwo\n\n"
		if got.Failed || got.Text != want {
			t.Errorf("%s: %+v", service, got)
		}
	}
}

func TestWebSearch_RefusedOrInvalidAnswer_Fails(t *testing.T) {
	t.Parallel()
	url := site(t, map[string]http.HandlerFunc{
		"/wrong/search":    respond("application/json", `{"items":[]}`),
		"/html/search":     respond("text/html", "<html>log in</html>"),
		"/empty/search":    respond("application/json", `{"results":[]}`),
		"/long/search":     respond("application/json", strings.Repeat(" ", 3<<20)),
		"/redirect/search": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/empty/search", http.StatusFound) },
	})
	for path, want := range map[string]string{
		"/none": "404", "/wrong": "results are missing", "/html": "not as documented", "/empty": "[no results]", "/long": "longer than", "/redirect": "302",
	} {
		got := use(t, t.Context(), tool.WebSearch(web.Engine{Service: web.SearXNG, URL: url + path}), "", fields{"query": "x"})
		if got.Failed == (path == "/empty") || !strings.Contains(got.Text, want) || strings.Contains(got.Text, "the key") {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

func TestWebSearch_MetadataAddress_IsRefusedEvenIfConfigured(t *testing.T) {
	t.Parallel()
	got := use(t, t.Context(), tool.WebSearch(web.Engine{Service: web.SearXNG, URL: "http://169.254.169.254"}), "", fields{"query": "x"})
	if !got.Failed || !strings.Contains(got.Text, "is refused: not a public address") {
		t.Errorf("%+v", got)
	}
}

func TestWebSearch_Stopped_ClosesConnectionAndReturns(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	gone := make(chan struct{})
	url := site(t, map[string]http.HandlerFunc{"/search": func(_ http.ResponseWriter, r *http.Request) {
		stop()
		<-r.Context().Done()
		close(gone)
	}})
	got := use(t, ctx, tool.WebSearch(web.Engine{Service: web.SearXNG, URL: url}), "", fields{"query": "x"})
	if got.Fate != bellcord.CallStopped {
		t.Errorf("%+v", got)
	}
	hungUp(t, gone)
}

func TestWebSearch_Permission_IsThatOfFetch(t *testing.T) {
	t.Parallel()
	args := json.RawMessage(`{"query":"go generics"}`)
	of := tool.WebSearch(web.Engine{Service: web.Brave})
	got := of.Permission("", args)
	if got.Effect != permit.Reaches || got.Subject != "go generics" || of.Safe || !strings.Contains(of.Question(args), "brave") {
		t.Errorf("%+v", got)
	}
	if err := permit.CheckRule("web_search(go *)"); err != nil {
		t.Error(err)
	}
}
