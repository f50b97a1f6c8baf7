package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/proc"
	"github.com/bellcord/bellcord/store/sqlite"
)

// runner is an agent that runs each prompt as a shell command.
type runner struct{ keeper *proc.Keeper }

// Run implements hub.Agent. A stop ends ctx, and with it the command.
func (r runner) Run(ctx context.Context, work *hub.Work) error {
	if err := work.Sync(ctx); err != nil { // the prompt is durable before the command starts
		return err
	}
	exit, err := r.keeper.Run(ctx, proc.Command{
		Args:   []string{"sh", "-c", work.Prompt.Text},
		Owner:  string(work.Turn),
		Output: func(text []byte) { _ = work.Emit(bellcord.TextDelta{Text: string(text)}) },
	}, bellcord.Forced(ctx)) // a stop with mode "force" skips the grace period
	if err != nil {
		return err
	}
	work.Processes(bellcord.Processes{Ended: listed(exit.Ended), Survivors: listed(exit.Survivors), Proof: exit.Proof})
	return context.Cause(ctx)
}

func listed(ended []proc.Ended) (all []bellcord.Process) {
	for _, p := range ended {
		all = append(all, bellcord.Process{PID: p.PID, Name: p.Name, How: string(p.How)})
	}
	return all
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	store, err := sqlite.Open(ctx, "data")
	if err != nil {
		return err
	}
	defer store.Close()
	keeper, err := proc.Open("data/processes", proc.Options{})
	if err != nil {
		return err
	}
	defer keeper.Close()
	h, err := hub.Open(ctx, store, runner{keeper}, hub.Options{})
	if err != nil {
		return err
	}
	defer h.Close(ctx)
	session, err := h.NewSession(ctx, bellcord.Session{Title: "tutorial"})
	if err != nil {
		return err
	}

	// The command starts a process in a new session, and then waits for it.
	turn, err := h.Prompt(session.ID, bellcord.Prompt{Text: "setsid sleep 1000 & sleep 1; echo ready; wait"})
	if err != nil {
		return err
	}
	if err := untilText(ctx, h, session.ID, "ready"); err != nil {
		return err
	}
	stop := bellcord.StopTurn(turn.ID, bellcord.Cause{Kind: bellcord.CausePerson, By: "anna", Reason: "seen enough"})
	answers, err := h.Stop(stop).Wait(ctx)
	if err != nil {
		return err
	}
	printReceipt(answers[0].Receipt)
	return nil
}

// untilText returns when the session's log contains the text.
func untilText(ctx context.Context, h *hub.Hub, session bellcord.SessionID, text string) error {
	events, err := h.Events(ctx, session, 0)
	if err != nil {
		return err
	}
	defer events.Close()
	for {
		batch, err := events.Next(ctx)
		if err != nil {
			return err
		}
		for _, ev := range batch {
			if delta, ok := ev.Body.(bellcord.TextDelta); ok && strings.Contains(delta.Text, text) {
				return nil
			}
		}
	}
}

func printReceipt(r *bellcord.Receipt) {
	fmt.Printf("%s by %s: %s\n", r.End, r.Cause.By, r.Cause.Reason)
	fmt.Printf("%d bytes of text kept\n", r.Kept.TextBytes)
	for _, p := range r.Processes.Ended {
		fmt.Printf("%s: %s\n", p.How, p.Name)
	}
	fmt.Printf("%d processes left, proof: %s\n", len(r.Processes.Survivors), r.Processes.Proof)
}
