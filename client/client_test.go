package client_test

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/client"
)

func TestNew_InvalidAddressOrToken_ReturnsAnError(t *testing.T) {
	t.Parallel()
	tests := []struct{ server, token, want string }{
		{"http://127.0.0.1:4747", "bc_1_x", ""},
		{"http://127.8.8.8:1", "bc_1_x", ""},
		{"http://[::1]:4747", "bc_1_x", ""},
		{"http://localhost:4747/", "bc_1_x", ""},
		{"https://bells.example/bellcord/", "bc_1_x", ""},
		{"unix:/run/bellcord.sock", "", ""},
		{"http://bells.example", "", ""}, // without a token
		{"http://bells.example", "bc_1_x", "refusing to send a token over plain http"},
		{"http://10.0.0.7:4747", "bc_1_x", "refusing to send a token over plain http"},
		{"http://0.0.0.0:4747", "bc_1_x", "refusing to send a token over plain http"},
		{"http://localhost.bells.example", "bc_1_x", "refusing to send a token over plain http"},
		{"http://127.0.0.1.bells.example", "bc_1_x", "refusing to send a token over plain http"},
		{"https://bells.example", "two words", "not allowed in a token"},
		{"https://bells.example", "x\r\nHost: y", "not allowed in a token"},
		{"bells.example:4747", "", "is not a server address"},
		{"127.0.0.1:4747", "", "first path segment"},
		{"ftp://bells.example", "", "is not a server address"},
		{"http://", "", "is not a server address"},
		{"", "", "is not a server address"},
		{"unix:", "", "path of a socket"},
		{"https://me:secret@bells.example", "", "must not contain a user name, password"},
		{"https://bells.example?token=secret", "", "must not contain a user name, password"},
	}
	for _, test := range tests {
		_, err := client.New(test.server, test.token)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s with token %q: %v", test.server, test.token, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("it repeats a secret: %v", err)
		}
	}
}

// taken is a request as the server received it.
type taken struct {
	line, auth, kind, key, body string
}

// requestLog records the requests to a server.
type requestLog struct {
	mu       sync.Mutex
	received []taken
}

func (d *requestLog) note(r *http.Request) int {
	body, _ := io.ReadAll(r.Body)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.received = append(d.received, taken{r.Method + " " + r.URL.RequestURI(), r.Header.Get("Authorization"), r.Header.Get("Content-Type"), r.Header.Get("Idempotency-Key"), string(body)})
	return len(d.received)
}

// requests returns the requests so far.
func (d *requestLog) requests() []taken {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.received)
}

// at starts a server with the handler and returns a client of it.
func at(t *testing.T, handle func(w http.ResponseWriter, r *http.Request, nth int)) (*client.Client, *requestLog) {
	t.Helper()
	d := &requestLog{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handle(w, r, d.note(r)) }))
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, "bc_1_x")
	if err != nil {
		t.Fatal(err)
	}
	return c, d
}

func TestClient_EachMethod_SendsOneRequest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line, body string
		call             func(*client.Client, *testing.T) error
	}{
		{"me", "GET /v1/me", "", func(c *client.Client, t *testing.T) error { _, err := c.Me(t.Context()); return err }},
		{"alive", "GET /healthz", "", func(c *client.Client, t *testing.T) error { return c.Alive(t.Context()) }},
		{"a new session", "POST /v1/sessions", `{"title":"x"}`, func(c *client.Client, t *testing.T) error {
			_, err := c.NewSession(t.Context(), api.NewSession{Title: "x"})
			return err
		}},
		{"sessions", "GET /v1/sessions?before=b&dir=%2Fd&limit=3", "", func(c *client.Client, t *testing.T) error {
			_, err := c.Sessions(t.Context(), client.Page{Limit: 3, Before: "b", Dir: "/d"})
			return err
		}},
		{"a search", "GET /v1/search?dir=%2Fd&limit=3&q=a+b&state=held", "", func(c *client.Client, t *testing.T) error {
			_, err := c.Search(t.Context(), client.SearchQuery{Words: "a b", Dir: "/d", State: api.SessionHeld, Limit: 3})
			return err
		}},
		{"a session", "GET /v1/sessions/s%2F..", "", func(c *client.Client, t *testing.T) error { _, err := c.Session(t.Context(), "s/.."); return err }},
		{"a change", "PATCH /v1/sessions/s", `{"mode":"full"}`, func(c *client.Client, t *testing.T) error {
			_, err := c.Change(t.Context(), "s", api.SessionChange{Mode: "full"})
			return err
		}},
		{"a prompt", "POST /v1/sessions/s/turns", `{"id":"i","text":"hi"}`, func(c *client.Client, t *testing.T) error {
			_, err := c.Prompt(t.Context(), "s", api.NewTurn{ID: "i", Text: "hi"})
			return err
		}},
		{"turns", "GET /v1/turns", "", func(c *client.Client, t *testing.T) error { _, err := c.Turns(t.Context()); return err }},
		{"a turn, awaited", "GET /v1/turns/i?wait=30s", "", func(c *client.Client, t *testing.T) error {
			_, err := c.Turn(t.Context(), "i", 30e9)
			return err
		}},
		{"a turn with its answer, awaited", "GET /v1/turns/i?include=answer&wait=30s", "", func(c *client.Client, t *testing.T) error {
			_, err := c.TurnAnswer(t.Context(), "i", 30e9)
			return err
		}},
		{"a stop", "POST /v1/turns/i/stop", `{"mode":"force"}`, func(c *client.Client, t *testing.T) error {
			_, err := c.Stop(t.Context(), "i", api.Stop{Mode: "force"})
			return err
		}},
		{"a session's stop", "POST /v1/sessions/s/stop", `{}`, func(c *client.Client, t *testing.T) error {
			_, err := c.StopSession(t.Context(), "s", api.Stop{})
			return err
		}},
		{"a stop of everything", "POST /v1/stop", `{}`, func(c *client.Client, t *testing.T) error {
			_, err := c.StopAll(t.Context(), api.Stop{})
			return err
		}},
		{"an answer", "POST /v1/turns/i/answers/q%3F", `{"choice":"allow"}`, func(c *client.Client, t *testing.T) error {
			return c.Answer(t.Context(), "i", "q?", bellcord.Reply{Choice: "allow"})
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, d := at(t, func(w http.ResponseWriter, _ *http.Request, _ int) { io.WriteString(w, "{}") })
			if err := test.call(c, t); err != nil {
				t.Fatal(err)
			}
			kind := ""
			if test.body != "" {
				kind = "application/json"
			}
			got := d.requests()[0]
			got.key = ""
			if want := (taken{test.line, "Bearer bc_1_x", kind, "", test.body}); got != want || len(d.requests()) != 1 {
				t.Errorf("%+v; want %+v", d.requests(), want)
			}
		})
	}
}

// breaks closes the connection after a part of the answer, which may be empty.
func breaks(t *testing.T, w http.ResponseWriter, part string) {
	t.Helper()
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	io.WriteString(conn, part)
	_ = conn.Close()
}

func TestClient_ConnectionBreaks_SendsTheSameRequestOnceMore(t *testing.T) {
	t.Parallel()
	stop := func(c *client.Client, t *testing.T) error {
		_, err := c.Stop(t.Context(), "i", api.Stop{Reason: "enough"})
		return err
	}
	prompt := func(c *client.Client, t *testing.T) error {
		_, err := c.Prompt(t.Context(), "s", api.NewTurn{Text: "hi"})
		return err
	}
	session := func(c *client.Client, t *testing.T) error {
		_, err := c.NewSession(t.Context(), api.NewSession{})
		return err
	}
	answer := func(c *client.Client, t *testing.T) error {
		return c.Answer(t.Context(), "i", "q", bellcord.Reply{Choice: "allow"})
	}
	tests := []struct {
		name   string
		call   func(*client.Client, *testing.T) error
		part   string // part of an answer
		broken int    // connections that break
		sent   int
		works  bool
	}{
		{"a stop", stop, "", 1, 2, true},
		{"a prompt", prompt, "", 1, 2, true},
		{"a session", session, "", 1, 2, true},
		{"a stop with half an answer", stop, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"state\":", 1, 2, true},
		{"a stop, and no third time", stop, "", 9, 2, false},
		{"an answer to a question is not", answer, "", 1, 1, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, d := at(t, func(w http.ResponseWriter, _ *http.Request, nth int) {
				if nth <= test.broken {
					breaks(t, w, test.part)
					return
				}
				io.WriteString(w, "{}")
			})
			if err := test.call(c, t); (err == nil) != test.works || len(d.requests()) != test.sent {
				t.Errorf("%v after %d requests", err, len(d.requests()))
			}
			if len(slices.Compact(d.requests())) != 1 {
				t.Errorf("it was not the same: %+v", d.requests())
			}
		})
	}
}

// lostAnswer is a request whose first connections break before the answer.
type lostAnswer struct {
	name, kind, body string
	status           int // of all attempts that are answered
	broken           int // connections that break
	works            bool
}

func (test lostAnswer) run(t *testing.T, send func(*client.Client) error) {
	t.Helper()
	c, d := at(t, func(w http.ResponseWriter, _ *http.Request, nth int) {
		if nth <= test.broken {
			breaks(t, w, "")
			return
		}
		w.Header().Set("Content-Type", test.kind)
		w.WriteHeader(test.status)
		io.WriteString(w, test.body)
	})
	if err := send(c); (err == nil) != test.works {
		t.Errorf("the error is %v, want success: %v", err, test.works)
	}
	if got := len(d.requests()); got != test.broken+1 {
		t.Errorf("%d requests, want %d", got, test.broken+1)
	}
}

func TestDelete_AnswerIsLost_SucceedsIfTheSessionIsGoneAtTheRetry(t *testing.T) {
	t.Parallel()
	const notFound = `{"type":"urn:bellcord:session-not-found","status":404,"detail":"no such session"}`
	for _, test := range []lostAnswer{
		{"gone at the retry", "application/problem+json", notFound, 404, 1, true},
		{"never existed", "application/problem+json", notFound, 404, 0, false},
		{"another problem at the retry", "application/problem+json", `{"type":"urn:bellcord:nothing-here","status":404}`, 404, 1, false},
		{"a proxy's 404 at the retry", "text/html", "<h1>Not found</h1>", 404, 1, false},
		{"still there at the retry", "application/json", "{}", 200, 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, func(c *client.Client) error { return c.Delete(t.Context(), "s", false) })
		})
	}
}

func TestMoveToFront_AnswerIsLost_SucceedsIfTheTurnIsNoLongerQueuedAtTheRetry(t *testing.T) {
	t.Parallel()
	const started = `{"type":"urn:bellcord:turn-started","status":409,"detail":"the turn is no longer queued"}`
	for _, test := range []lostAnswer{
		{"started at the retry", "application/problem+json", started, 409, 1, true},
		{"started before", "application/problem+json", started, 409, 0, false},
		{"another problem at the retry", "application/problem+json", `{"type":"urn:bellcord:session-busy","status":409}`, 409, 1, false},
		{"a proxy's 409 at the retry", "text/html", "<h1>Conflict</h1>", 409, 1, false},
		{"still queued at the retry", "application/json", "{}", 200, 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, func(c *client.Client) error { return c.MoveToFront(t.Context(), "t") })
		})
	}
}

func TestClient_PromptsAndNewSessions_HaveUniqueIDs(t *testing.T) {
	t.Parallel()
	c, d := at(t, func(w http.ResponseWriter, _ *http.Request, _ int) { io.WriteString(w, "{}") })
	for range 2 {
		_, first := c.Prompt(t.Context(), "s", api.NewTurn{Text: "hi"})
		_, second := c.NewSession(t.Context(), api.NewSession{})
		if err := errors.Join(first, second); err != nil {
			t.Fatal(err)
		}
	}
	ids := map[string]bool{}
	for _, got := range d.requests() {
		var turn api.NewTurn
		if err := json.Unmarshal([]byte(got.body), &turn); err != nil {
			t.Fatal(err)
		}
		id, err := bellcord.ParseTurnID(turn.ID + got.key)
		if err != nil {
			t.Errorf("%+v: %v", got, err)
		}
		ids[string(id)] = true
	}
	if len(ids) != 4 {
		t.Errorf("%d ids for 4 requests", len(ids))
	}
}

func TestClient_ErrorStatus_ReturnsTheServersProblem(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, kind, body string
		status           int
		want             string
	}{
		{"a problem", "application/problem+json; charset=utf-8", `{"title":"Conflict","status":409,"detail":"another text has this id"}`, 409, "another text has this id"},
		{"one with defects", "application/problem+json", `{"detail":"validation failed","errors":[{"message":"expected a text","location":"body.text"}]}`, 422, "validation failed; body.text expected a text"},
		{"one without a detail", "application/problem+json", `{"title":"Gone fishing"}`, 503, "Gone fishing"},
		{"a page of something in between", "text/html", "<h1>Bad gateway</h1>", 502, "the server answered 502 Bad Gateway"},
		{"broken JSON", "application/problem+json", `{"detail":`, 400, "the server answered 400 Bad Request"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, d := at(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				w.Header().Set("Content-Type", test.kind)
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
			})
			_, err := c.Stop(t.Context(), "i", api.Stop{})
			var p *client.Problem
			if !errors.As(err, &p) || p.Status != test.status || err.Error() != test.want {
				t.Errorf("%+v", err)
			}
			if len(d.requests()) != 1 {
				t.Errorf("what was answered was asked %d times", len(d.requests()))
			}
		})
	}
}

func TestClient_Redirect_IsNotFollowed(t *testing.T) {
	t.Parallel()
	other := &requestLog{}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		other.note(r)
		io.WriteString(w, "{}")
	}))
	t.Cleanup(elsewhere.Close)
	c, _ := at(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
	})
	_, turns := c.Turns(t.Context())
	_, stop := c.Stop(t.Context(), "i", api.Stop{})
	_, events := c.Events("s", 0).Next(t.Context())
	for _, err := range []error{turns, stop, events} {
		if err == nil || !strings.Contains(err.Error(), "redirects are not followed") {
			t.Errorf("%v", err)
		}
	}
	if got := other.requests(); len(got) > 0 {
		t.Errorf("it went there: %+v", got)
	}
}

func TestNew_Socket_SendsTheToken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	} else if err != nil { // for example, the path of the directory is too long
		t.Skip(err)
	}
	d := &requestLog{}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.note(r)
		io.WriteString(w, `{"owner":"admin"}`)
	})}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	c, err := client.New("unix:"+path, "bc_1_x")
	if err != nil {
		t.Fatal(err)
	}
	if me, err := c.Me(t.Context()); err != nil || me.Owner != "admin" || d.requests()[0].auth != "Bearer bc_1_x" || !c.Near() {
		t.Errorf("%+v, %v, %+v", me, err, d.requests())
	}
}

func TestAs_SetsTheUserAgentOfEveryRequest(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var names []string
	c, _ := at(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		mu.Lock()
		defer mu.Unlock()
		names = append(names, r.UserAgent())
		http.Error(w, "{}", http.StatusTeapot)
	})
	c.As("bellcord-chat/1.0")
	_, stop := c.Stop(t.Context(), "i", api.Stop{})
	_, events := c.Events("s", 0).Next(t.Context())
	if stop == nil || events == nil {
		t.Error("it was not refused")
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(names, []string{"bellcord-chat/1.0", "bellcord-chat/1.0"}) {
		t.Errorf("it calls itself %q", names)
	}
}

func TestProblem_OfAServersError_MatchesThisErrorAndNoOther(t *testing.T) {
	t.Parallel()
	for _, f := range api.Failures() {
		p := error(&client.Problem{Type: api.TypePrefix + f.Type, Status: f.Status})
		for _, other := range api.Failures() {
			if is := errors.Is(p, other.Err); is != (other.Type == f.Type) {
				t.Errorf("the problem %s matches %q: %v", f.Type, other.Err, is)
			}
		}
	}
	for _, p := range []*client.Problem{{}, {Type: api.TypePrefix}, {Type: "turn-not-found"}, {Type: "about:blank", Status: 404}} {
		if errors.Is(p, bellcord.ErrNoTurn) {
			t.Errorf("%+v matches", p)
		}
	}
}
