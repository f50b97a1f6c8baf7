package backend

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
)

// mostSearched is how many receipts are read to find the last turn that changed
// files.
const mostSearched = 100

// FindChanged returns the turn that an id or a part of it means. For a session it
// returns the last turn that changed files and is not undone, and without an id
// that of the session with the last ended turn that changed files.
func FindChanged(ctx context.Context, at Backend, id string) (bellcord.TurnID, error) {
	session := bellcord.SessionID("")
	if id != "" {
		turn, found, err := findTarget(ctx, at, id, findAnyTurn)
		if errors.Is(err, bellcord.ErrNoTurn) {
			err = fmt.Errorf("%s is neither a session nor a turn (bellcord sessions list shows the sessions): %w", id, err)
		}
		if err != nil || turn != "" {
			return turn, err
		}
		session = found
	} else {
		var err error
		if session, err = lastChanged(ctx, at); err != nil {
			return "", err
		}
	}
	last, err := at.Undoable(ctx, session)
	if err == nil && last.Turn == "" {
		err = fmt.Errorf("no turn of session %s has changes that are not undone", session)
	}
	return last.Turn, err
}

// FindUndo returns the last undo that can be reversed, and its session: of the
// session that an id or a part of it means, or without an id of the session with
// the last ended turn that changed files.
func FindUndo(ctx context.Context, at Backend, id string) (bellcord.SessionID, string, error) {
	var session bellcord.SessionID
	var err error
	if id == "" {
		session, err = lastChanged(ctx, at)
	} else {
		session, err = FindSession(ctx, at, id)
	}
	if err != nil {
		return "", "", err
	}
	last, err := at.Undoable(ctx, session)
	if err == nil && last.Undo == "" {
		err = fmt.Errorf("session %s has no undo that can be reversed", session)
	}
	return session, last.Undo, err
}

// lastChanged returns the session of the last ended turn that changed files.
func lastChanged(ctx context.Context, at Backend) (bellcord.SessionID, error) {
	found, err := at.Receipts(ctx, bellcord.ReceiptQuery{Limit: mostSearched})
	if err != nil {
		return "", err
	}
	for _, r := range found {
		if c := r.Changes; c != nil && (c.Pending || len(c.Files) > 0) {
			return r.Session, nil
		}
	}
	return "", errors.New("no turn has changed a file; name a turn or a session if it was long ago")
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
