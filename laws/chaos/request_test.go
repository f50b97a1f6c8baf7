//go:build linux

package chaos_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// client does not retry: a request without a response is recorded as such.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32, IdleConnTimeout: 5 * time.Second}}

var errDown = errors.New("the node does not serve")

// roundTrip sends one request to a node and decodes a successful response into the
// given value. errDown means that the request cannot have reached the node.
func (n *node) roundTrip(ctx context.Context, method, path string, body, into any) (status int, problem string, err error) {
	url, _ := n.address()
	if url == "" {
		return 0, "", errDown
	}
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, "", err
		}
		content = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, url+path, content)
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+n.s.token)
	res, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, "", err
	}
	if res.StatusCode/100 != 2 {
		var refused struct{ Type, Detail string }
		_ = json.Unmarshal(answer, &refused) // a response without a problem body is still a refusal
		return res.StatusCode, refused.Type + " " + refused.Detail, nil
	}
	return res.StatusCode, "", json.Unmarshal(answer, into)
}

// patience is how long a client waits for a response.
const patience = 5 * time.Second

// do performs an act at a node and records it.
func (n *node) do(a act, method, path string, body, into any) act {
	_, a.life = n.address()
	a.node, a.called = n.index, n.s.since()
	ctx, done := within(patience)
	defer done()
	var err error
	a.status, a.problem, err = n.roundTrip(ctx, method, path, body, into)
	if errors.Is(err, errDown) {
		return a
	}
	a.returned, a.answered = n.s.since(), err == nil
	return a
}

func (n *node) prompt(session bellcord.SessionID, turn api.NewTurn) act {
	a := act{verb: prompted, turn: bellcord.TurnID(turn.ID), session: session, text: turn.Text, found: &api.Turn{}}
	a = n.do(a, http.MethodPost, "/v1/sessions/"+string(session)+"/turns", turn, a.found)
	return n.noted(a)
}

func (n *node) stop(id bellcord.TurnID, how api.Stop) act {
	how.Reason = string(bellcord.NewTurnID())
	a := act{verb: stopped, turn: id, why: how.Reason, drops: how.Queue == string(bellcord.QueueDrop), stop: &api.Stopped{}}
	a = n.do(a, http.MethodPost, "/v1/turns/"+string(id)+"/stop", how, a.stop)
	return n.noted(a)
}

func (n *node) stopSession(id bellcord.SessionID, how api.Stop) act {
	how.Reason = string(bellcord.NewTurnID())
	a := act{verb: cleared, session: id, why: how.Reason, drops: how.Queue == string(bellcord.QueueDrop), stop: &api.Stopped{}}
	a = n.do(a, http.MethodPost, "/v1/sessions/"+string(id)+"/stop", how, a.stop)
	return n.noted(a)
}

func (n *node) getTurn(id bellcord.TurnID) act {
	a := act{verb: gotTurn, turn: id, found: &api.Turn{}}
	a = n.do(a, http.MethodGet, "/v1/turns/"+string(id), nil, a.found)
	return n.noted(a)
}

// noted adds an act that was sent to the book.
func (n *node) noted(a act) act {
	if a.returned > 0 {
		n.s.book.note(a)
	}
	return a
}
