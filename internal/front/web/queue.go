package web

import (
	"context"
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// queue has the operations for queued turns.
type queue struct {
	views
	hub queueEditor
}

func (q *queue) register(o *operations) {
	add(o, route("GET /v1/sessions/{session}/queue", "list-queue", bellcord.ScopeRead,
		"List the queued turns of a session, in order"), lookUp(o.session, q.queued))
	add(o, route("POST /v1/sessions/{session}/queue/send", "send-queue", bellcord.ScopePrompt,
		"Release the turns that a stop holds"), lookUp(o.session, q.sendAll))
	add(o, route("PATCH /v1/turns/{turn}", "edit-turn", bellcord.ScopePrompt,
		"Change the text of a queued turn"), lookUp(o.record, q.edit))
	add(o, route("POST /v1/turns/{turn}/send", "send-turn", bellcord.ScopePrompt,
		"Run a queued turn before the other queued turns"), lookUp(o.record, q.send))
}

func (q *queue) queued(ctx context.Context, found bellcord.Session, _ *SessionPath) (api.Turns, error) {
	line, err := q.line(ctx, found.ID)
	waits := []api.Turn{}
	for _, t := range line {
		if t.State == api.Queued {
			waits = append(waits, t)
		}
	}
	return api.Turns{Turns: waits}, err
}

func (q *queue) sendAll(ctx context.Context, found bellcord.Session, in *SessionPath) (api.Turns, error) {
	q.hub.Release(found.ID)
	if !caller(ctx).May(bellcord.ScopeRead) {
		return api.Turns{Turns: []api.Turn{}}, nil
	}
	return q.queued(ctx, found, in)
}

func (q *queue) edit(ctx context.Context, r store.TurnRecord, in *struct {
	TurnPath
	Body api.EditTurn
},
) (api.Turn, error) {
	session, err := q.reader.Session(ctx, r.Session)
	if err != nil {
		return api.Turn{}, err
	}
	text, err := taskText(r.Prompt.Task, in.Body.Text, session)
	if err != nil {
		return api.Turn{}, err
	}
	if err = q.hub.Edit(r.ID, text); errors.Is(err, bellcord.ErrNoTurn) && r.Prompt.Text == text {
		err = nil // sent again after the turn has ended
	}
	return q.outlineQueued(ctx, r, err)
}

func (q *queue) send(ctx context.Context, r store.TurnRecord, _ *TurnPath) (api.Turn, error) {
	return q.outlineQueued(ctx, r, q.hub.MoveToFront(r.ID))
}

// outlineQueued returns a turn after a change that needs it to be queued in this
// process. It returns ErrStarted for a turn that has ended or that another process
// has.
func (q *queue) outlineQueued(ctx context.Context, r store.TurnRecord, err error) (api.Turn, error) {
	if errors.Is(err, bellcord.ErrNoTurn) {
		err = bellcord.ErrStarted
	}
	if err != nil {
		return api.Turn{}, err
	}
	return q.outline(ctx, r), nil
}
