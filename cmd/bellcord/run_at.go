package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/api"
	"github.com/bellcord/bellcord/internal/client"
)

// turnAt runs the turn at a server and shows it. It can be stopped from before it
// is sent: the id is ours.
func (f *runFlags) turnAt(ctx context.Context, remote *client.Client, text string) (bellcord.Receipt, error) {
	id, err := f.turnID()
	if err != nil {
		return bellcord.Receipt{}, err
	}
	ctx, leave := context.WithCancelCause(ctx) //nolint:forbidigo // for watching; the turn is the server's
	defer leave(nil)
	defer onSignal(ctx.Done(), func(sig os.Signal, nth int) {
		if nth > 2 {
			leave(fmt.Errorf("left; the turn may still run: bellcord stop %s", id))
			return
		}
		go stopAt(ctx, remote, id, sig, nth) // a second Ctrl-C must not wait for the first
	})()
	receipt, err := f.promptAndFollow(ctx, remote, id, text)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return receipt, err
}

func (f *runFlags) promptAndFollow(ctx context.Context, remote *client.Client, id bellcord.TurnID, text string) (bellcord.Receipt, error) {
	session, err := f.sessionAt(ctx, remote)
	if err != nil {
		return bellcord.Receipt{}, err
	}
	turn, err := remote.Prompt(ctx, session, api.NewTurn{
		ID: string(id), Text: text, Deadline: written(f.deadline), Steps: f.steps,
		Budget: api.Budget{Tokens: f.tokens, Dollars: f.cost},
	})
	if err != nil {
		return bellcord.Receipt{}, fmt.Errorf("turn %s: %w", id, err)
	}
	view := f.view()
	view.Answer = func(ctx context.Context, turn bellcord.TurnID, question, choice, _ string) {
		if err := remote.Answer(ctx, turn, question, choice); err != nil && !refusedWith(err, http.StatusNotFound, http.StatusConflict) { // too late is no error
			logger().Warn("the answer did not arrive", "turn", turn, "err", err)
		}
	}
	stream := remote.Events(session, max(turn.First-1, 0))
	defer stream.Close()
	stream.Lost = func(err error) { _ = view.Note("… the server is out of reach (%v); trying again", err) }
	return view.Follow(ctx, stream, id)
}

// sessionAt is the session that was named, or a new one. What was not asked for
// here is the server's to choose.
func (f *runFlags) sessionAt(ctx context.Context, remote *client.Client) (bellcord.SessionID, error) {
	if f.session != "" {
		id := bellcord.SessionID(f.session)
		if f.model == "" && f.mode == "" {
			return id, nil
		}
		_, err := remote.Change(ctx, id, api.SessionChange{Model: f.model, Mode: f.mode})
		return id, err
	}
	dir := f.dir
	if dir != "" && remote.Near() { // else it is another machine's
		var err error
		if dir, err = filepath.Abs(dir); err != nil {
			return "", err
		}
	}
	made, err := remote.NewSession(ctx, api.NewSession{Dir: dir, Agent: f.agent, Model: f.model, Mode: f.mode})
	return made.ID, err
}

// stopAt asks a server for a stop. The receipt comes with the turn's end.
func stopAt(ctx context.Context, remote *client.Client, id bellcord.TurnID, sig os.Signal, nth int) {
	stop := api.Stop{Why: sig.String(), Wait: "1s"}
	if nth > 1 {
		stop.Mode = string(bellcord.Force)
	}
	if _, err := remote.Stop(ctx, id, stop); err != nil && ctx.Err() == nil {
		logger().Warn("the stop did not arrive", "turn", id, "err", err)
	}
}

// again is what it takes to come back to the same server.
func (f *runFlags) again() string {
	if f.server == os.Getenv("BELLCORD_SERVER") {
		return ""
	}
	return "--server " + f.server + " "
}

// written is a duration as the server reads it, "" for none.
func written(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return d.String()
}
