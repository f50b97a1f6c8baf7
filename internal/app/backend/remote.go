package backend

import (
	"context"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/client"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/store"
)

// Remote provides the turns of a server.
type Remote struct{ Client *client.Client }

// Turns implements Backend.
func (s Remote) Turns(ctx context.Context) ([]api.Turn, error) {
	all, err := s.Client.Turns(ctx)
	return all.Turns, err
}

// Receipt implements Backend.
func (s Remote) Receipt(ctx context.Context, turn bellcord.TurnID) (*bellcord.Receipt, error) {
	found, err := s.Client.Turn(ctx, turn, 0)
	return found.Receipt, err
}

// Receipts implements Backend.
func (s Remote) Receipts(ctx context.Context, q store.ReceiptQuery) ([]bellcord.Receipt, error) {
	return s.Client.Receipts(ctx, q)
}

// Session implements Backend.
func (s Remote) Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	found, err := s.Client.Session(ctx, id)
	return found.Session, err
}

// Sessions implements Backend.
func (s Remote) Sessions(ctx context.Context, before string) ([]bellcord.Session, string, error) {
	page, err := s.Client.Sessions(ctx, client.Page{Before: before})
	return page.Sessions, page.NextCursor, err
}

// Events implements Backend.
func (s Remote) Events(_ context.Context, id bellcord.SessionID, after int64, lost func(error)) (line.Source, func(), error) {
	stream := s.Client.Events(id, after)
	stream.Lost = lost
	return stream, stream.Close, nil
}

// Stop implements Backend.
func (s Remote) Stop(ctx context.Context, turn bellcord.TurnID, session bellcord.SessionID, stop api.Stop) (api.Stopped, error) {
	if wait, err := time.ParseDuration(stop.Wait); err == nil {
		stop.Wait = min(wait, time.Minute).String() // the maximum of a server
	}
	switch {
	case turn != "":
		return s.Client.Stop(ctx, turn, stop)
	case session != "":
		return s.Client.StopSession(ctx, session, stop)
	}
	return s.Client.StopAll(ctx, stop)
}

// Answer implements Backend.
func (s Remote) Answer(ctx context.Context, turn bellcord.TurnID, question string, r bellcord.Reply) error {
	return s.Client.Answer(ctx, turn, question, r)
}

// Rename implements Backend.
func (s Remote) Rename(ctx context.Context, id bellcord.SessionID, title string) error {
	_, err := s.Client.Change(ctx, id, api.SessionChange{Title: title})
	return err
}

// Remove implements Backend.
func (s Remote) Remove(ctx context.Context, id bellcord.SessionID, files bool) error {
	return s.Client.Delete(ctx, id, files)
}

// Nodes implements Backend.
func (s Remote) Nodes(ctx context.Context) ([]api.Node, error) {
	all, err := s.Client.Nodes(ctx)
	return all.Nodes, err
}

// Close implements Backend.
func (Remote) Close() error { return nil }
