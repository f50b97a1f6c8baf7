package laws_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/front/web"
	"github.com/bellcord/bellcord/internal/piped"
	"github.com/bellcord/bellcord/internal/serverstore"
)

// served is the web front of a stage on in-memory connections: real requests
// with a token each, through the real authentication, without elapsed time.
type served struct {
	s      *stage
	client *http.Client
	tokens map[string]string // secrets by owner
	writes *stuckTokens
}

// serve opens the front once, at the node that receives stops. It is closed
// before the hub.
func (s *stage) serve() *served {
	s.t.Helper()
	if s.web != nil {
		return s.web
	}
	at := s.entrance()
	writes := &stuckTokens{TokenStore: at.store}
	door := auth.NewDoor(writes, auth.Options{})
	front := web.New(web.Config{Version: "laws", Hub: at.front, Door: door, Hosts: []string{"laws"}, Workspaces: s.dir})
	pipes := piped.Listen()
	server := &http.Server{Handler: front.Handler()}
	serving := make(chan error, 1)
	go func() { serving <- server.Serve(pipes) }()
	s.web = &served{s: s, writes: writes, tokens: map[string]string{}, client: &http.Client{Transport: &http.Transport{
		DialContext:       pipes.DialContext,
		DisableKeepAlives: true, // each connection serves one request
	}}}
	s.t.Cleanup(func() {
		front.Close()
		_ = server.Close()
		if err := <-serving; !errors.Is(err, http.ErrServerClosed) {
			s.t.Error(err)
		}
		synctest.Wait() // all pending responses have ended
		writes.open()
		door.Close()
	})
	return s.web
}

// token returns the owner's token, with every scope except admin.
func (w *served) token(owner string) string {
	w.s.t.Helper()
	if w.tokens[owner] == "" {
		text, _, err := auth.Mint(w.s.t.Context(), w.writes.TokenStore, serverstore.Token{Owner: owner, Scopes: []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopePrompt, bellcord.ScopeStop}})
		if err != nil {
			w.s.t.Fatal(err)
		}
		w.tokens[owner] = text
	}
	return w.tokens[owner]
}

// request builds a request of the owner; a nil body sends none.
func (w *served) request(ctx context.Context, owner, method, path string, body any) *http.Request {
	w.s.t.Helper()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			w.s.t.Fatal(err)
		}
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://laws"+path, sent)
	if err != nil {
		w.s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.token(owner))
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// reply is the response to a request.
type reply struct {
	status int
	body   []byte
	err    error
}

func (w *served) do(r *http.Request) reply {
	resp, err := w.client.Do(r)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, body, err}
}

// roundTrip sends a request as anna, the owner of the session, and waits for the
// response.
func (w *served) roundTrip(method, path string, body any) reply {
	w.s.t.Helper()
	return w.do(w.request(w.s.t.Context(), by.By, method, path, body))
}

// begin sends a request of the owner and returns when the server has done
// everything that takes no time; the returned function waits for the response.
func (w *served) begin(owner, path string, body any) func() reply {
	w.s.t.Helper()
	r := w.request(w.s.t.Context(), owner, http.MethodPost, path, body)
	answer := make(chan reply, 1)
	go func() { answer <- w.do(r) }()
	synctest.Wait()
	return func() reply { return <-answer }
}

// stopReply is api.Stopped with the receipts as sent over the wire.
type stopReply struct {
	State bellcord.StopState `json:"state"`
	Turns []struct {
		Turn    bellcord.TurnID    `json:"turn"`
		State   bellcord.StopState `json:"state"`
		Receipt json.RawMessage    `json:"receipt"`
	} `json:"turns"`
}

// stopOf extracts what a stop's response contains about a turn.
func (r reply) stopOf(id bellcord.TurnID) (stopAnswer, error) {
	var decoded stopReply
	if err := errors.Join(r.err, json.Unmarshal(r.body, &decoded)); err != nil {
		return stopAnswer{}, err
	}
	as := stopAnswer{status: r.status, body: r.body, answer: bellcord.StopAnswer{State: decoded.State}}
	for _, turn := range decoded.Turns {
		if turn.Turn != id {
			continue
		}
		as.answer, as.raw = bellcord.StopAnswer{Turn: id, State: turn.State}, turn.Receipt
		if len(turn.Receipt) > 0 {
			as.answer.Receipt = &bellcord.Receipt{}
			return as, json.Unmarshal(turn.Receipt, as.answer.Receipt)
		}
	}
	return as, nil
}

// byHTTP returns an origin's stop function that sends anna's stop to a path.
func byHTTP(path func(s *stage, id bellcord.TurnID) string, queue bellcord.QueueAction) func(*stage, bellcord.TurnID) func() stopAnswer {
	return func(s *stage, id bellcord.TurnID) func() stopAnswer {
		s.t.Helper()
		answer := s.serve().begin(by.By, path(s, id), api.Stop{Reason: by.Reason, Queue: string(queue), Wait: "60s"})
		return func() stopAnswer {
			r := answer()
			as, err := r.stopOf(id)
			if err != nil {
				s.t.Fatalf("the stop was answered %d %s: %v", r.status, r.body, err)
			}
			return as
		}
	}
}
