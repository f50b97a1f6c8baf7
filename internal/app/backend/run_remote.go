package backend

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/client"
	"github.com/bellcord/bellcord/internal/front/line"
)

// doRemote runs the turn on a server and shows it. The turn can be stopped
// even before it is sent, because its id is chosen here.
func (r Run) doRemote(ctx context.Context, remote *client.Client) (bellcord.Receipt, error) {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	defer r.OnSignal(ctx.Done(), func(sig os.Signal, interrupts int) {
		if interrupts > 2 {
			leave(fmt.Errorf("left before the turn ended; it may still run: bellcord stop %s", r.Turn))
			return
		}
		go r.stopRemote(ctx, remote, sig.String(), interrupts) // a second Ctrl-C must not wait for the first
	})()
	receipt, err := r.promptAndFollow(ctx, remote)
	if errors.Is(err, line.ErrOutput) {
		r.stopRemote(ctx, remote, "output closed", 0)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return receipt, err
}

func (r Run) promptAndFollow(ctx context.Context, remote *client.Client) (bellcord.Receipt, error) {
	session, err := r.remoteSession(ctx, remote)
	if err != nil {
		return bellcord.Receipt{}, err
	}
	turn, err := remote.Prompt(ctx, session, api.NewTurn{
		ID: string(r.Turn), Text: r.Text, Deadline: written(r.Deadline), MaxSteps: r.MaxSteps,
		Budget: api.Budget{MaxTokens: r.MaxTokens, MaxCostUSD: r.MaxCost},
	})
	if err != nil {
		return bellcord.Receipt{}, fmt.Errorf("turn %s: %w", r.Turn, err)
	}
	r.View.Answer = func(ctx context.Context, turn bellcord.TurnID, question string, answer bellcord.Reply, _ string) {
		if err := remote.Answer(ctx, turn, question, answer); err != nil && !refused(err, http.StatusNotFound, http.StatusConflict) { // too late is not an error
			r.Config.App.Logger.Warn("answer not delivered", "turn", turn, "err", err)
		}
	}
	stream := remote.Events(session, max(turn.FirstSeq-1, 0))
	defer stream.Close()
	stream.Lost = func(err error) { _ = r.View.Note("… connection to the server lost (%v); reconnecting", err) }
	return r.View.Follow(ctx, stream, r.Turn)
}

// remoteSession returns the session in the Run, or a new one. The server
// chooses the settings that the Run leaves empty.
func (r *Run) remoteSession(ctx context.Context, remote *client.Client) (bellcord.SessionID, error) {
	if err := r.findSession(ctx, Remote{remote}); err != nil {
		return "", err
	}
	if r.Session != "" {
		id := bellcord.SessionID(r.Session)
		if r.Model == "" && r.Mode == "" {
			return id, nil
		}
		_, err := remote.Change(ctx, id, api.SessionChange{Model: r.Model, Mode: r.Mode})
		return id, err
	}
	dir := r.Dir
	if dir != "" && remote.Near() { // otherwise it is a directory on another machine
		var err error
		if dir, err = filepath.Abs(dir); err != nil {
			return "", err
		}
	}
	made, err := remote.NewSession(ctx, api.NewSession{Dir: dir, Agent: r.Agent, Model: r.Model, Mode: r.Mode})
	return made.ID, err
}

// stopRemote requests a stop and does not wait for the end of the turn: the
// receipt comes with it.
func (r Run) stopRemote(ctx context.Context, remote *client.Client, reason string, interrupts int) {
	stop := api.Stop{Reason: reason, Wait: "1s"}
	if interrupts > 1 {
		stop.Mode = string(bellcord.StopForce)
	}
	if _, err := remote.Stop(ctx, r.Turn, stop); err != nil && ctx.Err() == nil {
		r.Config.App.Logger.Warn("stop not delivered", "turn", r.Turn, "err", err)
	}
}

// written returns a duration in the format that the server expects, or "" for
// none.
func written(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return d.String()
}
