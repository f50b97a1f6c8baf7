package backend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/bellcord/bellcord"
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
		_, last, err := findLast(ctx, at, func(u bellcord.Undoable) bool { return u.Turn != "" })
		if err == nil && last.Turn == "" {
			err = errors.New("no turn has changes that are not undone; name a turn or a session if it was long ago")
		}
		return last.Turn, err
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
// session that an id or a part of it means, or without an id of the last session
// that has one.
func FindUndo(ctx context.Context, at Backend, id string) (bellcord.SessionID, string, error) {
	if id == "" {
		session, last, err := findLast(ctx, at, func(u bellcord.Undoable) bool { return u.Undo != "" })
		if err == nil && last.Undo == "" {
			err = errors.New("no session has an undo that can be reversed; name a session if it was long ago")
		}
		return session, last.Undo, err
	}
	session, err := FindSession(ctx, at, id)
	if err != nil {
		return "", "", err
	}
	last, err := at.Undoable(ctx, session)
	if err == nil && last.Undo == "" {
		err = fmt.Errorf("session %s has no undo that can be reversed", session)
	}
	return session, last.Undo, err
}

// findLast returns what can be undone in the last session for which has returns
// true. It asks the sessions in the current directory first.
func findLast(ctx context.Context, at Backend, has func(bellcord.Undoable) bool) (bellcord.SessionID, bellcord.Undoable, error) {
	sessions, err := changedSessions(ctx, at)
	if err != nil {
		return "", bellcord.Undoable{}, err
	}
	for _, session := range sessions {
		last, err := at.Undoable(ctx, session)
		if err != nil || has(last) {
			return session, last, err
		}
	}
	return "", bellcord.Undoable{}, nil
}

// changedSessions returns the sessions of the last turns that may have changed
// files: those in the current directory first, then by time.
func changedSessions(ctx context.Context, at Backend) ([]bellcord.SessionID, error) {
	receipts, err := at.Receipts(ctx, bellcord.ReceiptQuery{Limit: mostSearched})
	if err != nil {
		return nil, err
	}
	current, _ := os.Getwd() // without one, no session is preferred
	var here, elsewhere []bellcord.SessionID
	for _, r := range receipts {
		if !mayHaveChanged(r) || slices.Contains(here, r.Session) || slices.Contains(elsewhere, r.Session) {
			continue
		}
		s, err := at.Session(ctx, r.Session)
		if errors.Is(err, bellcord.ErrNoSession) {
			continue // it was deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		if current != "" && filepath.Clean(s.Dir) == current {
			here = append(here, r.Session)
		} else {
			elsewhere = append(elsewhere, r.Session)
		}
	}
	return append(here, elsewhere...), nil
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
