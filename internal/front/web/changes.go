package web

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// Files lists and undoes the changes of turns to files.
type Files interface {
	Changes(ctx context.Context, turn bellcord.TurnID) (bellcord.Changes, error)
	// Texts returns the changes to text files, of all paths or of one.
	Texts(ctx context.Context, turn bellcord.TurnID, path string) ([]bellcord.Change, error)
	Undo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error)
	Redo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error)
	// Last returns what an undo and a redo without a name mean.
	Last(ctx context.Context, session bellcord.SessionID) (bellcord.Undoable, error)
}

type (
	undoOf struct {
		TurnPath
		Body *api.Undo
	}
	redoOf struct {
		SessionPath
		Undo string `path:"undo" doc:"id of an undo"`
		Body *api.Undo
	}
)

// changes has the operations for what turns changed in files.
type changes struct {
	views
	files Files
	dirs  *directories
}

func (c *changes) register(o *operations) {
	add(o, route("GET /v1/turns/{turn}/changes", "get-changes", bellcord.ScopeRead,
		"List what a turn changed in the session's directory"), lookUp(o.record, c.list))
	add(o, route("GET /v1/turns/{turn}/changes/texts", "get-changed-texts", bellcord.ScopeRead,
		"Get the texts before and after the changes of a turn"), lookUp(o.record, c.texts))
	add(o, route("POST /v1/turns/{turn}/undo", "undo-turn", bellcord.ScopeUndo,
		"Set the files that a turn changed to their state before the turn; files that were changed since are left alone"),
		lookUp(o.record, c.undo))
	add(o, route("POST /v1/sessions/{session}/undos/{undo}/redo", "redo", bellcord.ScopeUndo, "Reverse an undo"),
		lookUp(o.session, c.redo))
	add(o, route("GET /v1/sessions/{session}/undoable", "get-undoable", bellcord.ScopeRead,
		"Get the last turn of a session that can be undone, and the last undo that can be reversed"), lookUp(o.session, c.undoable))
}

func (c *changes) list(ctx context.Context, r store.TurnRecord, _ *TurnPath) (bellcord.Changes, error) {
	return c.files.Changes(ctx, r.ID)
}

func (c *changes) texts(ctx context.Context, r store.TurnRecord, in *struct {
	TurnPath
	Path string `query:"path" doc:"only this path and everything below it; relative to the session's directory"`
},
) (api.ChangedTexts, error) {
	texts, err := c.files.Texts(ctx, r.ID, in.Path)
	return api.ChangedTexts{Changes: append([]bellcord.Change{}, texts...)}, err
}

func (c *changes) undo(ctx context.Context, r store.TurnRecord, in *undoOf) (bellcord.Undone, error) {
	found, err := c.session(ctx, string(r.Session))
	if err == nil {
		err = c.dirs.mayUse(caller(ctx), found)
	}
	if err != nil {
		return bellcord.Undone{}, err
	}
	q := undoRequest(ctx, in.Body)
	q.Turn = r.ID
	return c.files.Undo(ctx, q)
}

func (c *changes) redo(ctx context.Context, found bellcord.Session, in *redoOf) (bellcord.Undone, error) {
	if err := c.dirs.mayUse(caller(ctx), found); err != nil {
		return bellcord.Undone{}, err
	}
	q := undoRequest(ctx, in.Body)
	q.Session, q.Undo = found.ID, in.Undo
	return c.files.Redo(ctx, q)
}

func (c *changes) undoable(ctx context.Context, found bellcord.Session, _ *SessionPath) (bellcord.Undoable, error) {
	return c.files.Last(ctx, found.ID)
}

func undoRequest(ctx context.Context, body *api.Undo) bellcord.UndoRequest {
	if body == nil {
		body = &api.Undo{}
	}
	return bellcord.UndoRequest{
		ID: body.ID, Paths: body.Paths, Confirmed: body.Confirmed, Preview: body.DryRun,
		By: caller(ctx).Owner, Source: from(ctx),
	}
}

// noFiles is used if a server records no changes.
type noFiles struct{}

func (noFiles) Changes(context.Context, bellcord.TurnID) (bellcord.Changes, error) {
	return bellcord.Changes{}, bellcord.ErrUndoOff
}

func (noFiles) Texts(context.Context, bellcord.TurnID, string) ([]bellcord.Change, error) {
	return nil, bellcord.ErrUndoOff
}

func (noFiles) Undo(context.Context, bellcord.UndoRequest) (bellcord.Undone, error) {
	return bellcord.Undone{}, bellcord.ErrUndoOff
}

func (noFiles) Redo(context.Context, bellcord.UndoRequest) (bellcord.Undone, error) {
	return bellcord.Undone{}, bellcord.ErrUndoOff
}

func (noFiles) Last(context.Context, bellcord.SessionID) (bellcord.Undoable, error) {
	return bellcord.Undoable{}, bellcord.ErrUndoOff
}
