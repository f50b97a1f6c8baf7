package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// Alive returns nil if the server answers. It does not retry.
func (c *Client) Alive(ctx context.Context) error {
	return c.send(ctx, request{method: http.MethodGet, path: "/healthz", once: true}, nil)
}

// Me returns the caller as the server identifies it by the token.
func (c *Client) Me(ctx context.Context) (me api.Me, err error) {
	return me, c.send(ctx, request{method: http.MethodGet, path: "/v1/me"}, &me)
}

// Code creates a code with which a browser can log in once as the caller.
func (c *Client) Code(ctx context.Context, newCode api.NewCode) (code api.Code, err error) {
	return code, c.send(ctx, request{method: http.MethodPost, path: "/v1/codes", body: newCode}, &code)
}

// NewSession creates a session. A retry does not create a second one.
func (c *Client) NewSession(ctx context.Context, s api.NewSession) (made bellcord.Session, err error) {
	r := request{method: http.MethodPost, path: "/v1/sessions", body: s, key: string(bellcord.NewSessionID())}
	return made, c.send(ctx, r, &made)
}

// Page selects the sessions to list. All fields are optional.
type Page struct {
	Limit  int
	Before string // Next of the previous page
	Dir    string
}

// Sessions returns a page of sessions, most recently updated first.
func (c *Client) Sessions(ctx context.Context, p Page) (page api.Sessions, err error) {
	query := values(p.Limit, map[string]string{"before": p.Before, "dir": p.Dir})
	return page, c.send(ctx, request{method: http.MethodGet, path: "/v1/sessions", query: query}, &page)
}

// values returns the parameters of a list that are set.
func values(limit int, named map[string]string) url.Values {
	query := url.Values{}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	for name, value := range named {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// SearchQuery selects the sessions to find: those with all words in their title,
// prompts, answers or directory, and those in a state. Words or State is required.
type SearchQuery struct {
	Words string
	Dir   string
	State api.SessionState
	Limit int // 0 means 30
	// Before is NextCursor of an earlier search with the same words: it continues
	// with older sessions.
	Before string
}

// Search returns the sessions that a query selects, most recently updated first.
func (c *Client) Search(ctx context.Context, q SearchQuery) (hits api.Hits, err error) {
	query := values(q.Limit, map[string]string{"q": q.Words, "dir": q.Dir, "state": string(q.State), "before": q.Before})
	return hits, c.send(ctx, request{method: http.MethodGet, path: "/v1/search", query: query}, &hits)
}

// Session returns a session with its turns that have not ended.
func (c *Client) Session(ctx context.Context, id bellcord.SessionID) (s api.Session, err error) {
	return s, c.send(ctx, request{method: http.MethodGet, path: session(id, "")}, &s)
}

// Change changes those settings of a session that are set in change.
func (c *Client) Change(ctx context.Context, id bellcord.SessionID, change api.SessionChange) (s bellcord.Session, err error) {
	return s, c.send(ctx, request{method: http.MethodPatch, path: session(id, ""), body: change}, &s)
}

// Prompt sends a turn. When it returns without an error, the turn is durable.
// If the turn has no id, Prompt sets one, so that a retry does not create a
// second turn. For the task compact, the text comes from api.CompactText.
func (c *Client) Prompt(ctx context.Context, id bellcord.SessionID, t api.NewTurn) (turn api.Turn, err error) {
	if t.ID == "" {
		t.ID = string(bellcord.NewTurnID())
	}
	return turn, c.send(ctx, request{method: http.MethodPost, path: session(id, "/turns"), body: t}, &turn)
}

// Turns returns the turns that have not ended and that the caller may see.
func (c *Client) Turns(ctx context.Context) (turns api.Turns, err error) {
	return turns, c.send(ctx, request{method: http.MethodGet, path: "/v1/turns"}, &turns)
}

// Nodes returns the processes that share the server's store.
func (c *Client) Nodes(ctx context.Context) (nodes api.Nodes, err error) {
	return nodes, c.send(ctx, request{method: http.MethodGet, path: "/v1/nodes"}, &nodes)
}

// Turn returns a turn when it has ended, or in its current state after wait.
func (c *Client) Turn(ctx context.Context, id bellcord.TurnID, wait time.Duration) (api.Turn, error) {
	return c.getTurn(ctx, id, wait, url.Values{})
}

// Receipts returns the receipts of the caller's ended turns, the last accepted
// turn first. The server ignores the query's owner; without a limit it returns 20.
func (c *Client) Receipts(ctx context.Context, q store.ReceiptQuery) ([]bellcord.Receipt, error) {
	query := values(q.Limit, map[string]string{"session": string(q.Session), "turn": q.Turn})
	var found api.Receipts
	err := c.send(ctx, request{method: http.MethodGet, path: "/v1/receipts", query: query}, &found)
	return found.Receipts, err
}

// TurnAnswer is like Turn, but includes the answer of the agent.
func (c *Client) TurnAnswer(ctx context.Context, id bellcord.TurnID, wait time.Duration) (api.Turn, error) {
	return c.getTurn(ctx, id, wait, url.Values{"include": {"answer"}})
}

func (c *Client) getTurn(ctx context.Context, id bellcord.TurnID, wait time.Duration, query url.Values) (t api.Turn, err error) {
	if wait > 0 {
		query.Set("wait", wait.String())
	}
	return t, c.send(ctx, request{method: http.MethodGet, path: turn(id, ""), wait: wait, query: query}, &t)
}

// Stop stops a turn. The turn may not have been accepted yet.
func (c *Client) Stop(ctx context.Context, id bellcord.TurnID, s api.Stop) (api.Stopped, error) {
	return c.postStop(ctx, turn(id, "/stop"), s)
}

// StopSession stops the running turn of a session.
func (c *Client) StopSession(ctx context.Context, id bellcord.SessionID, s api.Stop) (api.Stopped, error) {
	return c.postStop(ctx, session(id, "/stop"), s)
}

// StopAll stops every turn that the caller is authorized to stop.
func (c *Client) StopAll(ctx context.Context, s api.Stop) (api.Stopped, error) {
	return c.postStop(ctx, "/v1/stop", s)
}

// mostWait is the maximum time that the server waits for receipts.
const mostWait = time.Minute

func (c *Client) postStop(ctx context.Context, path string, s api.Stop) (stopped api.Stopped, err error) {
	return stopped, c.send(ctx, request{method: http.MethodPost, path: path, body: s, wait: mostWait}, &stopped)
}

// Answer answers an open question. It does not retry: if the first attempt had
// succeeded, the second would fail because the question is no longer open.
func (c *Client) Answer(ctx context.Context, id bellcord.TurnID, question string, r bellcord.Reply) error {
	path := turn(id, "/answers/"+url.PathEscape(question))
	return c.send(ctx, request{method: http.MethodPost, path: path, body: api.Answer{Choice: r.Choice, Values: r.Values, Reason: r.Reason}, once: true}, nil)
}

func session(id bellcord.SessionID, rest string) string {
	return "/v1/sessions/" + url.PathEscape(string(id)) + rest
}

func turn(id bellcord.TurnID, rest string) string {
	return "/v1/turns/" + url.PathEscape(string(id)) + rest
}
