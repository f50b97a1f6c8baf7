package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/front/line"
)

type stopFlags struct {
	settings
	serverFlags
	why, queue                  string
	wait                        time.Duration
	all, force, afterStep, json bool
}

func stopCommand() *cobra.Command {
	var f stopFlags
	cmd := &cobra.Command{
		Use:   "stop TURN | SESSION | --all",
		Short: "Stop a turn, a session or everything; print the receipt",
		Long: `Stops a turn, the running turn of a session, or everything: on the server that
--server names, or on the server of the data directory, or else in whichever process
on the data directory runs the turn. The beginning or the end of an id is enough;
bellcord ps shows the ids. A turn that does not exist yet is stopped when it arrives,
if that is within ten minutes.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.sendStop(cmd.Context(), args) },
	}
	f.dataFlags(cmd)
	f.flags(cmd)
	cmd.Flags().BoolVar(&f.all, "all", false, "stop all your turns; with the scope admin, the turns of all owners")
	cmd.Flags().BoolVar(&f.force, "force", false, "do not wait for processes to end by themselves")
	cmd.Flags().BoolVar(&f.afterStep, "after-step", false, "let the current step end first")
	cmd.Flags().StringVar(&f.queue, "queue", "", "`action` for the prompts queued behind a stopped turn: hold, drop or next (default hold)")
	cmd.Flags().StringVar(&f.why, "reason", "", "`reason` of the stop, for the receipt")
	cmd.Flags().DurationVar(&f.wait, "wait", 15*time.Second, "how long to wait for the receipt; a server waits at most one minute")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	cmd.MarkFlagsMutuallyExclusive("force", "after-step")
	return cmd
}

func (f *stopFlags) sendStop(ctx context.Context, args []string) error {
	request, err := f.stopRequest()
	if err != nil {
		return err
	}
	if f.all == (len(args) == 1) {
		return errors.New("name a turn or a session, or use --all")
	}
	c, err := f.load()
	if err != nil {
		return err
	}
	at, err := backend.Open(ctx, f.backend(c, "stop"))
	if err != nil {
		return err
	}
	var turn bellcord.TurnID
	var stopped api.Stopped
	if f.all {
		stopped, err = at.Stop(ctx, "", "", request)
	} else {
		turn, stopped, err = backend.StopTarget(ctx, at, args[0], request)
	}
	if err = errors.Join(err, at.Close()); err != nil {
		return err
	}
	return f.print(stopped, turn)
}

// request returns the stop that the flags describe, or an error if they are invalid.
func (f *stopFlags) stopRequest() (api.Stop, error) {
	s := api.Stop{Queue: f.queue, Reason: f.why, Wait: f.wait.String()}
	switch {
	case f.force:
		s.Mode = string(bellcord.StopForce)
	case f.afterStep:
		s.Mode = string(bellcord.StopAfterStep)
	}
	switch bellcord.QueueAction(f.queue) {
	case "", bellcord.QueueHold, bellcord.QueueDrop, bellcord.QueueNext:
		return s, nil
	}
	return s, fmt.Errorf("--queue %s: use hold, drop or next", f.queue)
}

// print prints the result for each turn. With named it prints the result of that turn even if s
// contains no turns.
func (f *stopFlags) print(s api.Stopped, named bellcord.TurnID) error {
	if named != "" && len(s.Turns) == 0 {
		s.Turns = []bellcord.StopAnswer{{Turn: named, State: s.State}}
	}
	switch {
	case f.json && named != "":
		return json.NewEncoder(os.Stdout).Encode(s.Turns[0])
	case f.json:
		return json.NewEncoder(os.Stdout).Encode(s)
	case len(s.Turns) == 0 && s.State.UnderWay():
		fmt.Println("stopping; the stopped turns are not known yet, because the store does not respond")
	case len(s.Turns) == 0:
		fmt.Println("Nothing is running.")
	}
	for _, a := range s.Turns {
		if len(s.Turns) > 1 {
			fmt.Print(a.Turn, "  ")
		}
		fmt.Println(words(a))
	}
	if s.State.UnderWay() {
		return exitCode(exitFailed)
	}
	return nil
}

// words describes what a stop did to a turn.
func words(a bellcord.StopAnswer) string {
	receipt := ""
	if a.Receipt != nil {
		receipt = line.Receipt(*a.Receipt)
	}
	switch a.State {
	case bellcord.StopStateWaitingForTurn:
		return "no such turn yet; if it arrives within ten minutes, it is stopped at once"
	case bellcord.StopStateAlreadyEnded:
		return "already ended: " + receipt
	case bellcord.StopStateSettled:
		return receipt
	case bellcord.StopStateWorkEnded:
		return "stopped: all its work has ended; the end is not recorded yet"
	case bellcord.StopStateInProgress:
	}
	return "stopping; it has not ended yet"
}
