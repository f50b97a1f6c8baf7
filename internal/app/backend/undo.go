package backend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/store"
)

// mostSearched is how many receipts are read to find the last turn that changed
// files.
const mostSearched = 100

// FindChanged returns the turn that an id or a part of it means. For a session it
// returns the last turn that changed files and is not undone. Without an id it
// returns that of the last session that has one, and prefers the sessions in the
// current directory.
func FindChanged(ctx context.Context, at Backend, id string) (bellcord.TurnID, error) {
	if id == "" {
		return lastChanged(ctx, at)
	}
	turn, session, err := findTarget(ctx, at, id, findAnyTurn)
	if errors.Is(err, bellcord.ErrNoTurn) {
		err = fmt.Errorf("%s is neither a session nor a turn (bellcord sessions lists the sessions): %w", id, err)
	}
	if err != nil || turn != "" {
		return turn, err
	}
	last, err := at.Undoable(ctx, session)
	if err == nil && last.Turn == "" {
		err = fmt.Errorf("no turn of session %s has changes that are not undone", session)
	}
	return last.Turn, err
}

// FindUndo returns the last undo that can be reversed, and its session: of the
// session that an id or a part of it means, or without an id of all sessions, and
// prefers the sessions in the current directory. For a turn it returns the last undo
// of its session, if that has undone the turn.
func FindUndo(ctx context.Context, at Backend, id string) (bellcord.SessionID, string, error) {
	if id == "" {
		return lastUndo(ctx, at)
	}
	turn, session, err := findTarget(ctx, at, id, findAnyTurn)
	if errors.Is(err, bellcord.ErrNoTurn) {
		err = fmt.Errorf("%s is neither a session nor a turn (bellcord sessions lists the sessions): %w", id, err)
	}
	if err == nil && turn != "" {
		_, session, err = FindTurnOf(ctx, at, string(turn))
	}
	if err != nil {
		return "", "", err
	}
	last, err := at.Undoable(ctx, session)
	switch {
	case err != nil:
	case last.Undo == "":
		err = fmt.Errorf("session %s has no undo that can be reversed", session)
	case turn != "" && !slices.Contains(last.UndoneTurns, turn):
		err = fmt.Errorf("the last undo of session %s is not that of turn %s: "+
			"an earlier undo cannot be reversed by its turn", session, turn)
	}
	return session, last.Undo, err
}

// lastUndo returns the last undo of all sessions that changed files. It prefers the
// sessions in the current directory.
func lastUndo(ctx context.Context, at Backend) (session bellcord.SessionID, undo string, err error) {
	here, elsewhere, err := changedSessions(ctx, at)
	if err != nil {
		return "", "", err
	}
	for _, sessions := range [][]bellcord.SessionID{here, elsewhere} {
		var latest bellcord.Undoable
		for _, s := range sessions {
			last, err := at.Undoable(ctx, s)
			if err != nil {
				return "", "", err
			}
			if last.Undo != "" && (latest.Undo == "" || last.UndoneAt.After(latest.UndoneAt)) {
				session, latest = s, last
			}
		}
		if latest.Undo != "" {
			return session, latest.Undo, nil
		}
	}
	return "", "", errors.New("no session has an undo that can be reversed; name a session if it was long ago")
}

// lastChanged returns the last turn that changed files and is not undone, of the last
// session that has one. It asks the sessions in the current directory first.
func lastChanged(ctx context.Context, at Backend) (bellcord.TurnID, error) {
	here, elsewhere, err := changedSessions(ctx, at)
	if err != nil {
		return "", err
	}
	for _, session := range append(here, elsewhere...) {
		last, err := at.Undoable(ctx, session)
		if err != nil || last.Turn != "" {
			return last.Turn, err
		}
	}
	return "", errors.New("no turn has changes that are not undone; name a turn or a session if it was long ago")
}

// changedSessions returns the sessions of the last turns that may have changed
// files, the last turn first: those in the current directory, and the others.
func changedSessions(ctx context.Context, at Backend) (here, elsewhere []bellcord.SessionID, err error) {
	receipts, err := at.Receipts(ctx, store.ReceiptQuery{Limit: mostSearched})
	if err != nil {
		return nil, nil, err
	}
	current, err := os.Getwd()
	if err == nil { // without one, no session is preferred
		current = realdir.Resolve(current)
	}
	for _, r := range receipts {
		if !mayHaveChanged(r) || slices.Contains(here, r.Session) || slices.Contains(elsewhere, r.Session) {
			continue
		}
		s, err := at.Session(ctx, r.Session)
		if errors.Is(err, bellcord.ErrNoSession) {
			continue // it was deleted meanwhile
		}
		if err != nil {
			return nil, nil, err
		}
		if current != "" && filepath.Clean(s.Dir) == current {
			here = append(here, r.Session)
		} else {
			elsewhere = append(elsewhere, r.Session)
		}
	}
	return here, elsewhere, nil
}

// mayHaveChanged reports whether a turn has changed files, or may have: its
// changes are pending, or its process died.
func mayHaveChanged(r bellcord.Receipt) bool {
	if c := r.Changes; c != nil {
		return c.Pending || len(c.Files) > 0
	}
	return r.End == bellcord.EndLost || r.End == bellcord.EndStopped
}

// FindTurnOf returns the turn that an id or a part of it means, ended or not, and
// its session.
func FindTurnOf(ctx context.Context, at Backend, id string) (bellcord.TurnID, bellcord.SessionID, error) {
	turn, err := findAnyTurn(ctx, at, id)
	if err != nil {
		return "", "", err
	}
	r, err := at.Receipt(ctx, turn)
	if err == nil && r == nil {
		err = bellcord.ErrTurnRunning
	}
	if err != nil {
		return "", "", err
	}
	return turn, r.Session, nil
}
