package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// Edit changes the text of a queued turn.
func (c *Client) Edit(ctx context.Context, id bellcord.TurnID, text string) error {
	return c.send(ctx, request{method: http.MethodPatch, path: turn(id, ""), body: api.EditTurn{Text: text}}, nil)
}

// MoveToFront moves a queued turn to the front of the queue and releases it if it is
// held. If the connection breaks and the turn is no longer queued at the second
// attempt, Send succeeds.
func (c *Client) MoveToFront(ctx context.Context, id bellcord.TurnID) error {
	return c.send(ctx, request{method: http.MethodPost, path: turn(id, "/send"), body: struct{}{}, done: bellcord.ErrStarted}, nil)
}

// Delete stops everything that a session runs and removes the session with all
// its data; with files, also its workspace. If the connection breaks and the
// session does not exist at the second attempt, Delete succeeds.
func (c *Client) Delete(ctx context.Context, id bellcord.SessionID, files bool) error {
	r := request{method: http.MethodDelete, path: session(id, ""), wait: mostWait, done: bellcord.ErrNoSession}
	if files {
		r.query = url.Values{"files": {"true"}}
	}
	return c.send(ctx, r, nil)
}

// Clear stops everything that a session runs and starts a new conversation in
// it.
func (c *Client) Clear(ctx context.Context, id bellcord.SessionID) error {
	return c.send(ctx, request{method: http.MethodPost, path: session(id, "/clear"), body: struct{}{}, wait: mostWait}, nil)
}

// Usage returns the usage of a session's ended turns, by model.
func (c *Client) Usage(ctx context.Context, id bellcord.SessionID) (u api.Usage, err error) {
	r := request{method: http.MethodGet, path: "/v1/usage", query: url.Values{"session": {string(id)}}}
	return u, c.send(ctx, r, &u)
}

// Models returns the models that sessions can use.
func (c *Client) Models(ctx context.Context) (m api.Models, err error) {
	return m, c.send(ctx, request{method: http.MethodGet, path: "/v1/models"}, &m)
}

// Agents returns the agents that sessions can use.
func (c *Client) Agents(ctx context.Context) (a api.Agents, err error) {
	return a, c.send(ctx, request{method: http.MethodGet, path: "/v1/agents"}, &a)
}
