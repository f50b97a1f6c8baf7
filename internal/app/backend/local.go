package backend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/store"
)

// Local provides the turns of all processes on a data directory.
type Local struct {
	App    *app.App
	Source string // the source of stops, for receipts
}

// Turns implements Backend.
func (s Local) Turns(ctx context.Context) ([]api.Turn, error) {
	records, err := s.App.Hub.UnendedTurns(ctx, "")
	live := s.App.Hub.QueueEntries(records)
	turns := make([]api.Turn, len(records))
	for i, r := range records {
		turns[i] = api.TurnOf(r, live)
	}
	return turns, err
}

// Receipt implements Backend.
func (s Local) Receipt(ctx context.Context, turn bellcord.TurnID) (*bellcord.Receipt, error) {
	record, err := s.App.Hub.Turn(ctx, turn)
	return record.Receipt, err
}

// Receipts implements Backend.
func (s Local) Receipts(ctx context.Context, q store.ReceiptQuery) ([]bellcord.Receipt, error) {
	return s.App.Hub.Receipts(ctx, q)
}

// Session implements Backend.
func (s Local) Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	return s.App.Hub.Session(ctx, id)
}

// Sessions implements Backend.
func (s Local) Sessions(ctx context.Context, _ string) ([]bellcord.Session, string, error) {
	all, err := s.App.Hub.Sessions(ctx, store.SessionQuery{})
	return all, "", err
}

// Events implements Backend.
func (s Local) Events(ctx context.Context, id bellcord.SessionID, after int64, _ func(error)) (line.Source, func(), error) {
	cursor, err := s.App.Hub.Events(ctx, id, after)
	if err != nil {
		return nil, nil, err
	}
	return cursor, cursor.Close, nil
}

// Stop implements Backend.
func (s Local) Stop(ctx context.Context, turn bellcord.TurnID, session bellcord.SessionID, stop api.Stop) (api.Stopped, error) {
	if stop.Queue == string(bellcord.QueueNext) || stop.Queue == string(bellcord.QueueDrop) && turn != "" {
		return api.Stopped{}, fmt.Errorf("--queue %s needs a server: without one, the queue belongs to another process", stop.Queue)
	}
	wait, err := time.ParseDuration(stop.Wait)
	if err != nil {
		return api.Stopped{}, err
	}
	ctx, done := context.WithTimeout(ctx, wait)
	defer done()
	stopping := s.App.Hub.Stop(bellcord.StopRequest{
		Turn: turn, Session: session, Everywhere: true,
		Mode: bellcord.StopMode(stop.Mode), Queue: bellcord.QueueAction(stop.Queue),
		Cause: bellcord.Cause{Kind: bellcord.CausePerson, By: currentUser(), Source: s.Source, Reason: stop.Reason},
	})
	answers, err := stopping.Wait(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil // the answers contain the state "stopping"
	}
	stopped := api.NewStopped(answers)
	stopped.Recorded = stopping.Recorded(ctx) == nil
	return stopped, err
}

// Answer implements Backend.
func (s Local) Answer(_ context.Context, turn bellcord.TurnID, question string, r bellcord.Reply) error {
	r.Scopes = []bellcord.Scope{bellcord.ScopeAdmin} // a person at the machine itself
	return s.App.Front().Answer(turn, question, r, currentUser())
}

// Rename implements Backend.
func (s Local) Rename(ctx context.Context, id bellcord.SessionID, title string) error {
	if _, err := s.App.Hub.OpenSession(ctx, id); err != nil {
		return err
	}
	_, err := s.App.Hub.Configure(id, bellcord.SessionUpdated{Title: title})
	return err
}

// Remove implements Backend.
func (s Local) Remove(ctx context.Context, id bellcord.SessionID, files bool) error {
	found, err := s.App.Hub.Session(ctx, id)
	if err != nil {
		return err
	}
	cause := bellcord.Cause{Kind: bellcord.CausePerson, By: currentUser(), Source: s.Source, Reason: "the session is deleted"}
	if err := s.App.Hub.DeleteSession(ctx, id, cause); err != nil {
		return err
	}
	s.App.SessionDeleted(id)
	if files {
		return s.App.RemoveWorkspace(found)
	}
	return nil
}

// Close implements Backend.
func (s Local) Close() error { return s.App.Close() }

// Nodes implements Backend.
func (s Local) Nodes(ctx context.Context) ([]api.Node, error) { return s.App.Nodes(ctx) }
