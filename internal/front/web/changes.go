package web

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
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
	undone struct{ Body bellcord.Undone }
)

func (s *Server) changeRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/v1/turns/{turn}/changes", "get-changes", "List what a turn changed in the session's directory", bellcord.ScopeRead), s.changes)
	huma.Register(s.api, route(http.MethodGet, "/v1/turns/{turn}/changes/texts", "get-changed-texts", "Get the texts before and after the changes of a turn", bellcord.ScopeRead), s.changedTexts)
	huma.Register(s.api, route(http.MethodPost, "/v1/turns/{turn}/undo", "undo-turn", "Set the files that a turn changed to their state before the turn; files that were changed since are left alone", bellcord.ScopeUndo), s.undoTurn)
	huma.Register(s.api, route(http.MethodPost, "/v1/sessions/{session}/undos/{undo}/redo", "redo", "Reverse an undo", bellcord.ScopeUndo), s.redo)
	huma.Register(s.api, route(http.MethodGet, "/v1/sessions/{session}/undoable", "get-undoable", "Get the last turn of a session that can be undone, and the last undo that can be reversed", bellcord.ScopeRead), s.undoable)
}

func (s *Server) changes(ctx context.Context, in *TurnPath) (*struct{ Body bellcord.Changes }, error) {
	r, err := s.record(ctx, in.Turn)
	if err != nil {
		return nil, s.fail(err)
	}
	c, err := s.Files.Changes(ctx, r.ID)
	return &struct{ Body bellcord.Changes }{c}, s.fail(err)
}

func (s *Server) changedTexts(ctx context.Context, in *struct {
	TurnPath
	Path string `query:"path" doc:"only this path and everything below it; relative to the session's directory"`
},
) (*struct{ Body api.ChangedTexts }, error) {
	r, err := s.record(ctx, in.Turn)
	if err != nil {
		return nil, s.fail(err)
	}
	texts, err := s.Files.Texts(ctx, r.ID, in.Path)
	return &struct{ Body api.ChangedTexts }{api.ChangedTexts{Changes: append([]bellcord.Change{}, texts...)}}, s.fail(err)
}

func (s *Server) undoTurn(ctx context.Context, in *undoOf) (*undone, error) {
	r, err := s.record(ctx, in.Turn)
	if err != nil {
		return nil, s.fail(err)
	}
	found, err := s.session(ctx, string(r.Session))
	if err == nil {
		err = s.mayUse(caller(ctx), found)
	}
	if err != nil {
		return nil, s.fail(err)
	}
	q := undoRequest(ctx, in.Body)
	q.Turn = r.ID
	u, err := s.Files.Undo(ctx, q)
	return &undone{u}, s.fail(err)
}

func (s *Server) redo(ctx context.Context, in *redoOf) (*undone, error) {
	found, err := s.session(ctx, in.Session)
	if err == nil {
		err = s.mayUse(caller(ctx), found)
	}
	if err != nil {
		return nil, s.fail(err)
	}
	q := undoRequest(ctx, in.Body)
	q.Session, q.Undo = found.ID, in.Undo
	u, err := s.Files.Redo(ctx, q)
	return &undone{u}, s.fail(err)
}

func (s *Server) undoable(ctx context.Context, in *SessionPath) (*struct{ Body bellcord.Undoable }, error) {
	found, err := s.session(ctx, in.Session)
	if err != nil {
		return nil, s.fail(err)
	}
	last, err := s.Files.Last(ctx, found.ID)
	return &struct{ Body bellcord.Undoable }{last}, s.fail(err)
}

func undoRequest(ctx context.Context, body *api.Undo) bellcord.UndoRequest {
	if body == nil {
		body = &api.Undo{}
	}
	return bellcord.UndoRequest{ID: body.ID, Paths: body.Paths, Confirmed: body.Confirmed, Preview: body.DryRun, By: caller(ctx).Owner, Source: from(ctx)}
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
