package laws_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/front/web"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/llm/openai"
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/store/sqlite"
)

// course is a complete server in real time with two connected clients.
type course struct {
	t          *testing.T
	store      *sqlite.Store
	hub        *hub.Hub
	model      *fakemodel.Server
	session    bellcord.SessionID
	one, other *caller
}

func newCourse(t *testing.T) *course {
	t.Helper()
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	model := fakemodel.New()
	answering, url, err := model.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	provider := openai.New(openai.Config{BaseURL: url, Key: "x"})
	agent := &react.Agent{Model: func(string) (react.Model, error) { return react.Model{Model: provider, Name: "fake"}, nil }}
	hub, err := hub.Open(t.Context(), store, agent, hub.Options{})
	if err != nil {
		t.Fatal(err)
	}
	door := auth.NewDoor(store, auth.Options{})
	front := web.New(web.Config{Version: "laws", Hub: hub, Door: door, Hosts: []string{"127.0.0.1"}, Workspaces: t.TempDir()})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: front.Handler()}
	serving := make(chan error, 1)
	go func() { serving <- server.Serve(listener) }()
	token, _, err := auth.Mint(t.Context(), store, serverstore.Token{Owner: by.By, Scopes: []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopePrompt, bellcord.ScopeStop}})
	if err != nil {
		t.Fatal(err)
	}
	c := &course{t: t, store: store, hub: hub, model: model}
	c.one, c.other = newCaller("http://"+listener.Addr().String(), token), newCaller("http://"+listener.Addr().String(), token)
	t.Cleanup(func() {
		c.one.http.CloseIdleConnections()
		c.other.http.CloseIdleConnections()
		if err := errors.Join(server.Shutdown(context.Background()), hub.Close(context.Background())); err != nil {
			t.Error(err)
		}
		<-serving
		door.Close()
		provider.Close()
		if err := errors.Join(answering.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func (c *course) newSession() {
	c.t.Helper()
	var made bellcord.Session
	r := c.one.do(c.t, http.MethodPost, "/v1/sessions", api.NewSession{})
	if err := json.Unmarshal(r.body, &made); err != nil || r.status != http.StatusCreated {
		c.t.Fatalf("%d %s %v", r.status, r.body, errors.Join(r.err, err))
	}
	c.session = made.ID
}

// caller is a client with a separate connection.
type caller struct {
	http       *http.Client
	url, token string
}

func newCaller(url, token string) *caller {
	return &caller{&http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}, url, token}
}

func (c *caller) do(t *testing.T, method, path string, body any) reply {
	text, err := json.Marshal(body)
	if err != nil {
		return reply{err: err}
	}
	var sent io.Reader
	if body != nil {
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, c.url+path, sent)
	if err != nil {
		return reply{err: err}
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(r)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, got, err}
}
