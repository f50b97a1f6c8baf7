package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// Changes returns what a turn changed in the session's directory.
func (c *Client) Changes(ctx context.Context, id bellcord.TurnID) (changes bellcord.Changes, err error) {
	return changes, c.send(ctx, request{method: http.MethodGet, path: turn(id, "/changes")}, &changes)
}

// ChangedTexts returns the texts before and after the changes of a turn, of all
// text files or of one path.
func (c *Client) ChangedTexts(ctx context.Context, id bellcord.TurnID, path string) (texts api.ChangedTexts, err error) {
	query := url.Values{}
	if path != "" {
		query.Set("path", path)
	}
	return texts, c.send(ctx, request{method: http.MethodGet, path: turn(id, "/changes/texts"), query: query}, &texts)
}

// Undo sets the files that a turn changed to their state before the turn. If the
// request has no id, Undo sets one, so that a retry does not undo twice.
func (c *Client) Undo(ctx context.Context, id bellcord.TurnID, u api.Undo) (undone bellcord.Undone, err error) {
	return undone, c.send(ctx, request{method: http.MethodPost, path: turn(id, "/undo"), body: identified(u)}, &undone)
}

// Redo reverses an undo. If the request has no id, Redo sets one.
func (c *Client) Redo(ctx context.Context, id bellcord.SessionID, undo string, u api.Undo) (undone bellcord.Undone, err error) {
	path := session(id, "/undos/"+url.PathEscape(undo)+"/redo")
	return undone, c.send(ctx, request{method: http.MethodPost, path: path, body: identified(u)}, &undone)
}

// Undoable returns the last turn of a session that can be undone, and the last
// undo that can be reversed.
func (c *Client) Undoable(ctx context.Context, id bellcord.SessionID) (last bellcord.Undoable, err error) {
	return last, c.send(ctx, request{method: http.MethodGet, path: session(id, "/undoable")}, &last)
}

func identified(u api.Undo) api.Undo {
	if u.ID == "" && !u.DryRun {
		u.ID = string(bellcord.NewTurnID())
	}
	return u
}

// Rewind continues the conversation of a session as it was before a turn, or takes
// the last rewind back.
func (c *Client) Rewind(ctx context.Context, id bellcord.SessionID, r api.Rewind) (rewound bellcord.ConversationRewound, err error) {
	return rewound, c.send(ctx, request{method: http.MethodPost, path: session(id, "/rewind"), body: r, once: true}, &rewound)
}
