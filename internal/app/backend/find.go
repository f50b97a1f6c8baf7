package backend

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/internal/sessionid"
	"github.com/bellcord/bellcord/store"
)

// FindSession returns the session with an id that equals word, or begins or
// ends with it.
func FindSession(ctx context.Context, at Backend, word string) (bellcord.SessionID, error) {
	if s, err := at.Session(ctx, bellcord.SessionID(word)); err == nil {
		return s.ID, nil
	} else if !noSession(err) {
		return "", err
	}
	var ids []bellcord.SessionID
	for before := ""; ; {
		sessions, next, err := at.Sessions(ctx, before)
		if err != nil {
			return "", err
		}
		for _, s := range sessions {
			ids = append(ids, s.ID)
		}
		if before = next; next == "" {
			return sessionid.Resolve(word, ids)
		}
	}
}

// FindStored is FindSession for a store.
func FindStored(ctx context.Context, kept app.Store, word string) (bellcord.SessionID, error) {
	sessions, err := kept.Sessions(ctx, store.SessionQuery{})
	if err != nil {
		return "", err
	}
	ids := make([]bellcord.SessionID, len(sessions))
	for i, s := range sessions {
		ids[i] = s.ID
	}
	return sessionid.Resolve(word, ids)
}

// FindTurn returns the turn that word identifies, among those that have not
// ended. A complete id is returned without a check: its turn may not have been
// accepted yet.
func FindTurn(ctx context.Context, at Backend, word string) (bellcord.TurnID, error) {
	turn, invalid := bellcord.ParseTurnID(word)
	if invalid == nil {
		return turn, nil
	}
	turns, err := at.Turns(ctx)
	if err != nil {
		return "", err
	}
	return sessionid.ResolveTurn(word, idsOf(turns))
}

// FindTarget returns the session or the turn that an id or a part of it means. An
// unknown complete id may belong to a turn that has not been accepted yet.
func FindTarget(ctx context.Context, at Backend, id string) (bellcord.TurnID, bellcord.SessionID, error) {
	turn, session, err := findTarget(ctx, at, id, FindTurn)
	if errors.Is(err, bellcord.ErrNoTurn) {
		err = fmt.Errorf("%s is neither a session nor a turn (bellcord ps lists them): %w", id, err)
	}
	return turn, session, err
}

// findTarget returns the session that an id or a part of it means, otherwise the
// turn that findTurn returns for it.
func findTarget(ctx context.Context, at Backend, id string, findTurn func(context.Context, Backend, string) (bellcord.TurnID, error)) (bellcord.TurnID, bellcord.SessionID, error) {
	session := bellcord.SessionID(id)
	_, err := at.Session(ctx, session)
	if err == nil {
		return "", session, nil
	}
	if !noSession(err) && !mayNotRead(err) {
		return "", "", err
	}
	if !mayNotRead(err) {
		if session, err = FindSession(ctx, at, id); err == nil {
			return "", session, nil
		}
	}
	turn, unknown := findTurn(ctx, at, id)
	if several := new(sessionid.AmbiguousError); errors.Is(unknown, bellcord.ErrNoTurn) && errors.As(err, &several) {
		return "", "", err
	}
	return turn, "", unknown
}

// StopTarget stops the session or the turn that an id or a part of it means, and
// returns the id of the turn if it is one. A token without the scope read cannot
// look an id up: it needs a complete one, which is tried as a session's first.
func StopTarget(ctx context.Context, at Backend, id string, request api.Stop) (bellcord.TurnID, api.Stopped, error) {
	if _, err := at.Session(ctx, bellcord.SessionID(id)); mayNotRead(err) {
		stopped, err := at.Stop(ctx, "", bellcord.SessionID(id), request)
		if noSession(err) {
			stopped, err = at.Stop(ctx, bellcord.TurnID(id), "", request)
			return bellcord.TurnID(id), stopped, err
		}
		return "", stopped, err
	}
	turn, session, err := FindTarget(ctx, at, id)
	if err != nil {
		return "", api.Stopped{}, err
	}
	stopped, err := at.Stop(ctx, turn, session, request)
	return turn, stopped, err
}

func idsOf(turns []api.Turn) []bellcord.TurnID {
	ids := make([]bellcord.TurnID, len(turns))
	for i, t := range turns {
		ids[i] = t.ID
	}
	return ids
}

// Newest returns the most recently used session of a directory, or "" if it has
// no session. The path may have symbolic links.
func Newest(ctx context.Context, at Backend, dir string) (bellcord.SessionID, error) {
	real := realdir.Resolve(dir)
	for before := ""; ; {
		sessions, next, err := at.Sessions(ctx, before)
		if err != nil {
			return "", err
		}
		for _, s := range sessions {
			if s.Dir == real || s.Dir == dir { // of another machine, or of an earlier version
				return s.ID, nil
			}
		}
		if before = next; next == "" {
			return "", nil
		}
	}
}

// RunningTurn returns the running turn of a session, otherwise its first
// queued turn, or the zero value.
func RunningTurn(ctx context.Context, at Backend, id bellcord.SessionID) (api.Turn, error) {
	all, err := at.Turns(ctx)
	if err != nil {
		return api.Turn{}, err
	}
	var first api.Turn
	for _, t := range all {
		switch {
		case t.Session != id:
		case t.State != api.Queued:
			return t, nil
		case first.ID == "" && !t.Held:
			first = t
		}
	}
	return first, nil
}
