package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

type stopFlags struct {
	settings
	why  string
	wait time.Duration
	json bool
}

func stopCommand() *cobra.Command {
	var f stopFlags
	cmd := &cobra.Command{
		Use:   "stop TURN",
		Short: "Stop a turn of any process on the same data directory, and print its receipt",
		Long: `Stops a turn, whichever process on the same data directory runs it. A turn that
has not come yet is stopped when it comes, within ten minutes. Turn ids are
shown by bellcord sessions.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.stop(cmd.Context(), args[0]) },
	}
	f.dataFlags(cmd)
	cmd.Flags().StringVar(&f.why, "why", "", "a reason, for the record")
	cmd.Flags().DurationVar(&f.wait, "wait", 15*time.Second, "how long to wait for the receipt")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the answer as JSON")
	return cmd
}

func (f *stopFlags) stop(ctx context.Context, arg string) error {
	id, err := bellcord.ParseTurnID(arg)
	if err != nil {
		return fmt.Errorf("%s: %w", arg, err)
	}
	c, err := f.load()
	if err != nil {
		return err
	}
	h, err := openHouse(ctx, c)
	if err != nil {
		return err
	}
	ctx, done := context.WithTimeout(ctx, f.wait)
	defer done()
	cause := bellcord.Cause{Kind: bellcord.Person, By: whoAmI(), From: "bellcord stop", Why: f.why}
	answers, err := h.Stop(bellcord.StopTurn(id, cause)).Wait(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil // the answer says stopping
	}
	if err = errors.Join(err, h.close()); err != nil {
		return err
	}
	return f.print(answers[0])
}

func (f *stopFlags) print(a bellcord.StopAnswer) error {
	if f.json {
		return json.NewEncoder(os.Stdout).Encode(a)
	}
	switch a.State {
	case bellcord.KeptForLater:
		fmt.Println("no such turn yet: should it come within ten minutes, it is stopped at once")
	case bellcord.InProgress:
		fmt.Println("stopping; it has not settled yet")
		return exitCode(exitFailed)
	case bellcord.AlreadyEnded:
		fmt.Println("it had ended: " + line.Receipt(*a.Receipt))
	case bellcord.Settled:
		fmt.Println(line.Receipt(*a.Receipt))
	}
	return nil
}

func whoAmI() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "somebody"
}
