package acpnet_test

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/front/acp"
	"github.com/bellcord/bellcord/internal/front/acpnet"
	"github.com/bellcord/bellcord/internal/front/web"
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/store/sqlite"
)

// patient is how long a test waits for an expected event.
const patient = 60 * time.Second

// stage is a server on real TCP with a real store, tokens for several people
// and a fake agent.
type stage struct {
	*actor
	t      *testing.T
	url    string // of /acp
	hub    *hub.Hub
	store  *sqlite.Store
	acp    *acpnet.Server
	http   *httptest.Server
	tokens map[string]string // by name in people
}

// people contains the scopes of each person's token; owners their owners if they
// differ from the name.
var (
	people = map[string][]bellcord.Scope{
		"anna":     {bellcord.ScopeRead, bellcord.ScopePrompt, bellcord.ScopeStop},
		"bert":     {bellcord.ScopeRead, bellcord.ScopePrompt, bellcord.ScopeStop},
		"reader":   {bellcord.ScopeRead},
		"prompter": {bellcord.ScopePrompt},
		"stopper":  {bellcord.ScopeStop},
		"admin":    {bellcord.ScopeAdmin},
	}
	owners = map[string]string{"reader": "anna", "prompter": "anna", "stopper": "anna"}
)

// setup contains the settings that a test can change.
type setup struct {
	acpnet.Limits
	web.Config
	tls bool
}

func newStage(t *testing.T, change func(*setup)) *stage {
	t.Helper()
	with := setup{Config: web.Config{Version: "test", Hosts: []string{"127.0.0.1"}, Session: bellcord.Session{Model: "fake/one", Mode: "ask"}}}
	with.Ceiling = func(mode, _ string) error {
		if mode == "full" {
			return errors.New("mode full is for admins")
		}
		return nil
	}
	if change != nil {
		change(&with)
	}
	data := t.TempDir()
	store, err := sqlite.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{actor: newActor(), t: t, store: store, tokens: map[string]string{}}
	if s.hub, err = hub.Open(context.Background(), store, s.actor, hub.Options{}); err != nil {
		t.Fatal(err)
	}
	for user, scopes := range people {
		owner := owners[user]
		if owner == "" {
			owner = user
		}
		if s.tokens[user], _, err = auth.Mint(t.Context(), store, serverstore.Token{Owner: owner, Name: user, Scopes: scopes}); err != nil {
			t.Fatal(err)
		}
	}
	door := auth.NewDoor(store, auth.Options{Tries: 100_000})
	with.Hub, with.Door, with.Workspaces = s.hub, door, data+"/workspaces"
	front := web.New(with.Config)
	s.acp = acpnet.New(acpnet.Config{
		Hub: s.hub, Web: front, Limits: with.Limits,
		ACP: acp.Config{Version: "test", Model: "fake/one", Models: []string{"fake/one", "fake/two"}, Mode: "ask", Logger: slog.New(slog.DiscardHandler)},
	})
	front.Mount("/acp", s.acp)
	s.http = httptest.NewUnstartedServer(front.Handler())
	s.http.EnableHTTP2 = with.tls
	if with.tls {
		s.http.StartTLS()
	} else {
		s.http.Start()
	}
	s.url = s.http.URL + "/acp"
	t.Cleanup(func() {
		front.Close()
		s.acp.Close()
		s.http.CloseClientConnections()
		s.http.Close()
		bounded, done := context.WithTimeout(context.Background(), patient)
		defer done()
		if err := s.hub.Close(bounded); err != nil {
			t.Error(err)
		}
		door.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// transport returns a transport that trusts the stage's certificate.
// revoke revokes a token.
func (s *stage) revoke(name string) {
	s.t.Helper()
	all, err := s.store.Tokens(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, token := range all {
		if token.Name == name {
			err = errors.Join(err, s.store.RevokeToken(s.t.Context(), token.ID, time.Now()))
		}
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) transport() *http.Transport {
	t := &http.Transport{ForceAttemptHTTP2: true}
	if s.http.Certificate() != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: s.http.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs} //nolint:gosec // a test
	}
	return t
}

// actor is a fake agent. The first word of the prompt selects what it does.
type actor struct {
	mu   sync.Mutex
	runs int // turns that it was given
}

func newActor() *actor { return &actor{} }

func (a *actor) ran() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.runs
}

func (a *actor) Run(ctx context.Context, w *hub.Work) error {
	a.mu.Lock()
	a.runs++
	a.mu.Unlock()
	verb, rest, _ := strings.Cut(w.Prompt.Text, " ")
	switch verb {
	case "hang": // until it is stopped
		err := emitText(ctx, w, rest)
		<-ctx.Done()
		return err
	case "ask", "guard":
		choice, err := w.Ask(ctx, bellcord.Question{Text: rest, Requires: map[string]bellcord.Scope{"guard": bellcord.ScopeAdmin}[verb], Choices: []bellcord.Choice{
			{ID: "yes", Text: "Yes", Kind: "allow_once"}, {ID: "no", Text: "No", Kind: "reject_once"},
		}})
		return errors.Join(err, w.Emit(bellcord.TextDelta{Text: choice}))
	case "work":
		n, _ := strconv.Atoi(rest)
		return work(ctx, w, n)
	case "flood":
		n, _ := strconv.Atoi(rest)
		return flood(ctx, w, n)
	}
	return emitText(ctx, w, rest)
}

func emitText(ctx context.Context, w *hub.Work, text string) error {
	return errors.Join(w.Emit(bellcord.TextDelta{Text: text}), w.Sync(ctx))
}

// work makes n steps, each with text, a tool call with output, and usage. Every
// event is durable before the next is written.
func work(ctx context.Context, w *hub.Work, n int) error {
	for i := range n {
		call := "call" + strconv.Itoa(i)
		err := w.Step(ctx, bellcord.StepStarted{Step: i + 1, Model: "fake/one", EstimatedInput: 10})
		for _, body := range []bellcord.Body{
			bellcord.ThinkingDelta{Text: "hm "},
			bellcord.TextDelta{Text: "word" + strconv.Itoa(i) + "a "},
			bellcord.TextDelta{Text: "word" + strconv.Itoa(i) + "b "},
			bellcord.ToolCallRequested{Call: call, Name: "shell", Arguments: []byte(`{"command":"make"}`)},
			bellcord.ToolCallStarted{Call: call},
			bellcord.ToolOutputDelta{Call: call, Text: "line\n"},
			bellcord.ToolCallEnded{Call: call, Outcome: bellcord.CallFinished, Result: "line\n"},
			bellcord.StepEnded{Finish: "tool_calls", Usage: &bellcord.Usage{InputTokens: 10, OutputTokens: 5, Exact: true}},
		} {
			if err == nil {
				err = errors.Join(w.Emit(body), w.Sync(ctx))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// flood emits n pieces of ten thousand bytes.
func flood(ctx context.Context, w *hub.Work, n int) error {
	piece := strings.Repeat("x", 10_000)
	for range n {
		if err := w.Emit(bellcord.TextDelta{Text: piece}); err != nil {
			return err
		}
	}
	return w.Sync(ctx)
}

// dirsOf returns the additional directories of a session.
func (s *stage) dirsOf(id string) []string {
	s.t.Helper()
	found, err := s.hub.Session(s.t.Context(), bellcord.SessionID(id))
	if err != nil {
		s.t.Fatal(err)
	}
	return found.AdditionalDirs
}

// turn waits for the end of a turn and returns its receipt.
func (s *stage) turn(id string) bellcord.Receipt {
	s.t.Helper()
	ctx, done := context.WithTimeout(s.t.Context(), patient)
	defer done()
	err := s.hub.Await(ctx, bellcord.TurnID(id))
	for tick := time.NewTicker(5 * time.Millisecond); errors.Is(err, bellcord.ErrNoTurn) && ctx.Err() == nil; <-tick.C {
		err = s.hub.Await(ctx, bellcord.TurnID(id)) // it has not arrived yet
	}
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := s.hub.Turn(ctx, bellcord.TurnID(id))
	if err != nil || r.Receipt == nil {
		s.t.Fatalf("turn %s: %+v, %v", id, r, err)
	}
	return *r.Receipt
}

// log returns all events of a session.
func (s *stage) log(session string) (all []bellcord.Event) {
	s.t.Helper()
	ctx := s.t.Context()
	last, err := s.hub.Tail(ctx, bellcord.SessionID(session))
	if err != nil {
		s.t.Fatal(err)
	}
	cursor, err := s.hub.Events(ctx, bellcord.SessionID(session), 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer cursor.Close()
	for cursor.After() < last {
		events, err := cursor.Next(ctx)
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, events...)
	}
	return all
}
