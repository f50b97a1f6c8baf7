package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/front/web"
	"github.com/bellcord/bellcord/internal/push"
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// patient is how long a test waits for an expected event.
const patient = time.Minute

// stage is a server on real TCP with a real store, tokens for several people
// and a fake agent.
type stage struct {
	*actor
	t      *testing.T
	data   string
	url    string
	hub    *hub.Hub
	store  *sqlite.Store
	server *web.Server
	client *http.Client
	tokens map[string]string // by name in people
	ends   func()
}

// setup contains the settings that a test can change.
type setup struct {
	web.Config
	door   auth.Options
	data   string
	store  func(store.Store) store.Store
	keys   func(serverstore.TokenStore) serverstore.TokenStore // wraps the token store of the door
	listen func(*stage) net.Listener
}

// people contains the scopes of each person's token. bert plays the attacker.
var people = map[string][]bellcord.Scope{
	"anna":     {bellcord.ScopeRead, bellcord.ScopePrompt, bellcord.ScopeStop, bellcord.ScopeUndo},
	"bert":     {bellcord.ScopeRead, bellcord.ScopePrompt, bellcord.ScopeStop, bellcord.ScopeUndo},
	"reader":   {bellcord.ScopeRead},
	"prompter": {bellcord.ScopePrompt},
	"stopper":  {bellcord.ScopeStop},
	"admin":    {bellcord.ScopeAdmin},
}

// owners contains the owner of tokens that are not named after it.
var owners = map[string]string{"reader": "anna", "prompter": "anna", "stopper": "anna"}

func newStage(t *testing.T, change func(*setup)) *stage {
	t.Helper()
	with := setup{data: t.TempDir(), door: auth.Options{Tries: 100_000}, listen: func(s *stage) net.Listener { return s.tcp() }}
	with.Config = web.Config{Version: "test", Hosts: []string{"127.0.0.1"}, Session: bellcord.Session{Model: "fake/default", Mode: "ask"}}
	with.SearchTime = time.Minute // a busy machine must not change the hits
	with.CheckModel = func(name string) error {
		if !strings.HasPrefix(name, "fake/") {
			return errors.New("no such model")
		}
		return nil
	}
	with.CheckAgent = func(name string) error { return errors.New("no agent is called " + name) }
	with.Models = func() []api.Model { return []api.Model{{ID: "fake/default", ContextWindow: 1000}, {ID: "fake/other"}} }
	with.Agents = func() []api.Agent { return []api.Agent{{Installed: true}} }
	if change != nil {
		change(&with)
	}
	s := &stage{actor: newActor(), t: t, data: with.data, tokens: map[string]string{}, client: &http.Client{Transport: &http.Transport{}}}
	s.open(with)
	return s
}

// open starts the server. s.ends stops it, and runs at the end of the test.
func (s *stage) open(with setup) {
	s.t.Helper()
	var err error
	if s.store, err = sqlite.Open(context.Background(), s.data); err != nil {
		s.t.Fatal(err)
	}
	var kept store.Store = s.store
	if with.store != nil {
		kept = with.store(kept)
	}
	if s.hub, err = hub.Open(context.Background(), kept, s.actor, hub.Options{}); err != nil {
		s.t.Fatal(err)
	}
	if len(s.tokens) == 0 {
		s.mint()
	}
	var keys serverstore.TokenStore = s.store
	if with.keys != nil {
		keys = with.keys(keys)
	}
	if with.keys == nil && with.store == nil && with.door.CheckTime == 0 {
		with.door.CheckTime = patient // a busy machine is no store that does not answer
	}
	door := auth.NewDoor(keys, with.door)
	with.Hub, with.Door, with.Workspaces = s.hub, door, s.data+"/workspaces"
	if with.Texts == nil {
		with.Texts = s.store
	}
	if with.Shares == nil {
		with.Shares = s.store
	}
	if with.Push == nil {
		with.Push = push.New(push.Config{Logger: slog.New(slog.DiscardHandler)})
	}
	with.Push.Start(s.store)
	s.server = web.New(with.Config)
	listener := with.listen(s)
	served := &http.Server{Handler: s.server.Handler(), ReadHeaderTimeout: time.Second, MaxHeaderBytes: 16 << 10}
	go func() { _ = served.Serve(listener) }()
	ended := false
	s.ends = func() {
		if ended {
			return
		}
		ended = true
		s.server.Close()
		with.Push.Close()
		s.client.CloseIdleConnections()
		bounded, done := context.WithTimeout(context.Background(), patient)
		defer done()
		if err := errors.Join(s.hub.Close(bounded), served.Close()); err != nil {
			s.t.Error(err)
		}
		door.Close()
		if err := s.store.Close(); err != nil {
			s.t.Error(err)
		}
	}
	s.t.Cleanup(s.ends)
}

func (s *stage) tcp() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.url = "http://" + l.Addr().String()
	return l
}

func (s *stage) mint() {
	s.t.Helper()
	for user, scopes := range people {
		owner := owners[user]
		if owner == "" {
			owner = user
		}
		text, _, err := auth.Mint(context.Background(), s.store, serverstore.Token{Owner: owner, Name: user, Scopes: scopes})
		if err != nil {
			s.t.Fatal(err)
		}
		s.tokens[user] = text
	}
}

// answer is a response of the server.
type answer struct {
	t       *testing.T
	request string
	status  int
	header  http.Header
	body    []byte
}

// roundTrip sends a request and checks what holds for every response. A string body
// is sent unchanged, any other as JSON.
func (s *stage) roundTrip(user, method, path string, body any, changes ...func(*http.Request)) answer {
	s.t.Helper()
	resp, err := s.client.Do(s.request(user, method, path, body, changes...))
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	a := answer{s.t, method + " " + path + " by " + user, resp.StatusCode, resp.Header, text}
	a.isSafe(s.tokens)
	return a
}

func (s *stage) request(user, method, path string, body any, changes ...func(*http.Request)) *http.Request {
	s.t.Helper()
	var sent io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		sent = strings.NewReader(b)
	default:
		data, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		sent = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, sent)
	if err != nil {
		s.t.Fatal(err)
	}
	if sent != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if token := s.tokens[user]; token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, change := range changes {
		change(r)
	}
	return r
}
