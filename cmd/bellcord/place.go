package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/api"
	"github.com/bellcord/bellcord/internal/client"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/line"
)

// place is where turns are: at a server, or in a data directory that processes
// share.
type place interface {
	turns(ctx context.Context) ([]api.Turn, error)
	session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error)
	// sessions returns a page and what to give for the next one, "" at the end.
	sessions(ctx context.Context, before string) ([]bellcord.Session, string, error)
	events(ctx context.Context, id bellcord.SessionID, after int64, lost func(error)) (line.Source, func(), error)
	// stop stops a turn, or what a session runs, or everything, whichever of
	// them is not empty.
	stop(ctx context.Context, turn bellcord.TurnID, session bellcord.SessionID, s api.Stop) (api.Stopped, error)
	answer(ctx context.Context, turn bellcord.TurnID, question, choice string) error
	nodes(ctx context.Context) ([]api.Node, error)
	close() error
}

// alive is how long a server on this machine may take to say that it is there.
const alive = time.Second

// place finds out where turns are: at the server that was named, at the one on
// the data directory's socket if it answers, else in the directory itself. The
// record has the same word for the command that asks in all three.
func (f *serverFlags) place(ctx context.Context, c config.Config, command string) (place, error) {
	if f.server != "" {
		remote, err := f.named(c, command)
		return served{remote}, err
	}
	socket := filepath.Join(c.Data, "bellcord.sock")
	if _, err := os.Stat(socket); err == nil {
		remote, err := client.New("unix:"+socket, "")
		if err != nil {
			return nil, err
		}
		soon, done := context.WithTimeout(ctx, alive)
		defer done()
		if remote.As(program(command)).Alive(soon) == nil {
			return served{remote}, nil
		}
	}
	h, err := openHouse(ctx, c)
	return shared{h, api.Surface(program(command))}, err
}

// served are the turns of a server.
type served struct{ *client.Client }

func (s served) turns(ctx context.Context) ([]api.Turn, error) {
	all, err := s.Turns(ctx)
	return all.Turns, err
}

func (s served) session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	found, err := s.Session(ctx, id)
	return found.Session, err
}

func (s served) sessions(ctx context.Context, before string) ([]bellcord.Session, string, error) {
	page, err := s.Sessions(ctx, client.Page{Before: before})
	return page.Sessions, page.Next, err
}

func (s served) events(_ context.Context, id bellcord.SessionID, after int64, lost func(error)) (line.Source, func(), error) {
	stream := s.Events(id, after)
	stream.Lost = lost
	return stream, stream.Close, nil
}

func (s served) stop(ctx context.Context, turn bellcord.TurnID, session bellcord.SessionID, stop api.Stop) (api.Stopped, error) {
	if wait, err := time.ParseDuration(stop.Wait); err == nil {
		stop.Wait = min(wait, time.Minute).String() // what a server waits at most
	}
	switch {
	case turn != "":
		return s.Stop(ctx, turn, stop)
	case session != "":
		return s.StopSession(ctx, session, stop)
	}
	return s.StopAll(ctx, stop)
}

func (s served) answer(ctx context.Context, turn bellcord.TurnID, question, choice string) error {
	return s.Answer(ctx, turn, question, choice)
}

func (s served) nodes(ctx context.Context) ([]api.Node, error) {
	all, err := s.Nodes(ctx)
	return all.Nodes, err
}

func (served) close() error { return nil }

// shared are the turns of whichever processes are on a data directory.
type shared struct {
	*house
	from string
}

func (s shared) turns(ctx context.Context) ([]api.Turn, error) {
	records, err := s.Unended(ctx, "")
	turns := make([]api.Turn, len(records))
	for i, r := range records {
		turns[i] = api.Turn{ID: r.ID, Session: r.Session, State: api.TurnState(state(r)), Text: r.Prompt.Text, Accepted: r.Accepted, First: r.First, Stop: r.Stop}
	}
	return turns, err
}

func (s shared) session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	return s.Session(ctx, id)
}

func (s shared) sessions(ctx context.Context, _ string) ([]bellcord.Session, string, error) {
	all, err := s.Sessions(ctx, bellcord.SessionQuery{})
	return all, "", err
}

func (s shared) events(ctx context.Context, id bellcord.SessionID, after int64, _ func(error)) (line.Source, func(), error) {
	cursor, err := s.Events(ctx, id, after)
	if err != nil {
		return nil, nil, err
	}
	return cursor, cursor.Close, nil
}

func (s shared) stop(ctx context.Context, turn bellcord.TurnID, session bellcord.SessionID, stop api.Stop) (api.Stopped, error) {
	if stop.Queue == string(bellcord.Next) || stop.Queue == string(bellcord.Drop) && turn != "" {
		return api.Stopped{}, fmt.Errorf("--queue %s needs a server: without one the queue is another process's", stop.Queue)
	}
	wait, err := time.ParseDuration(stop.Wait)
	if err != nil {
		return api.Stopped{}, err
	}
	ctx, done := context.WithTimeout(ctx, wait)
	defer done()
	stopping := s.Stop(bellcord.StopRequest{
		Turn: turn, Session: session, Everywhere: true,
		Mode: bellcord.Mode(stop.Mode), Queue: bellcord.QueueFate(stop.Queue),
		Cause: bellcord.Cause{Kind: bellcord.Person, By: whoAmI(), From: s.from, Why: stop.Why},
	})
	answers, err := stopping.Wait(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil // the answers say stopping
	}
	stopped := api.NewStopped(answers)
	stopped.Recorded = stopping.Recorded(ctx) == nil
	return stopped, err
}

// errElsewhere answers a choice for a turn of another process.
var errElsewhere = errors.New("the turn runs in another process: answer it there")

func (shared) answer(context.Context, bellcord.TurnID, string, string) error { return errElsewhere }

func (s shared) close() error { return s.house.close() }
