package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/line"
)

type runFlags struct {
	settings
	serverFlags
	session, dir, turn string
	json               bool
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run PROMPT",
		Short: "Run one turn: the answer on stdout; Ctrl-C stops it, twice forces it",
		Long: `Runs one turn. The answer goes to stdout as it comes, everything else to stderr.

Ctrl-C stops the turn: what was said is kept, the receipt is printed, the exit
code is 130. A second Ctrl-C does not wait for processes to end by themselves.

With --server the turn runs at a server: a connection that breaks stops nothing,
and the view goes on when it is back. A third Ctrl-C leaves without an answer.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), args[0]) },
	}
	f.agentFlags(cmd)
	f.flags(cmd)
	cmd.Flags().StringVar(&f.session, "session", "", "continue this session (see bellcord sessions)")
	cmd.Flags().StringVar(&f.dir, "dir", "", "`directory` to work in (default: the current one; at a server, one of the session's own)")
	cmd.Flags().StringVar(&f.turn, "turn", "", "`id` for the turn, a UUID of your own, so that it can be stopped by name")
	cmd.Flags().BoolVar(&f.json, "json", false, "print every event as a line of JSON")
	return cmd
}

func (f *runFlags) run(ctx context.Context, text string) error {
	c, err := f.load()
	if err != nil {
		return err
	}
	receipt, err := f.anywhere(ctx, c, text)
	if err != nil {
		return err
	}
	if !f.json && receipt.End != bellcord.Done {
		fmt.Fprintln(os.Stderr, line.Receipt(receipt))
		fmt.Fprintf(os.Stderr, "  go on: bellcord run %s--session %s \"…\"\n", f.again(), receipt.Session)
	}
	return codeOf(receipt.End)
}

// codeOf is the exit code that tells how a turn ended.
func codeOf(end bellcord.End) error {
	switch end {
	case bellcord.Done:
		return nil
	case bellcord.Stopped:
		return exitCode(exitStopped)
	case bellcord.Failed, bellcord.Lost:
	}
	return exitCode(exitFailed)
}

// anywhere runs the turn at the server that is named, or here.
func (f *runFlags) anywhere(ctx context.Context, c config.Config, text string) (bellcord.Receipt, error) {
	if f.server != "" {
		remote, err := f.named(c, "run")
		if err != nil {
			return bellcord.Receipt{}, err
		}
		return f.turnAt(ctx, remote, text)
	}
	h, err := openHouse(ctx, c)
	if err != nil {
		return bellcord.Receipt{}, err
	}
	receipt, err := f.turnIn(ctx, h, c, text)
	return receipt, errors.Join(err, h.close())
}

// turnIn runs the turn in its session and shows it.
func (f *runFlags) turnIn(ctx context.Context, h *house, c config.Config, text string) (bellcord.Receipt, error) {
	session, err := f.openSession(ctx, h, c)
	if err != nil {
		return bellcord.Receipt{}, err
	}
	after, err := h.Tail(ctx, session.ID)
	if err != nil {
		return bellcord.Receipt{}, err
	}
	prompt := limits(c)
	prompt.Text, prompt.OnDisconnect = text, bellcord.StopOnDisconnect
	if prompt.Turn, err = f.turnID(); err != nil {
		return bellcord.Receipt{}, err
	}
	turn, err := h.Prompt(session.ID, prompt)
	if err != nil {
		return bellcord.Receipt{}, err
	}
	defer onSignal(turn.Settled(), func(sig os.Signal, nth int) {
		req := bellcord.StopTurn(turn.ID, bellcord.Cause{Kind: bellcord.Shutdown, By: sig.String(), From: "run"})
		if sig == os.Interrupt {
			req.Cause = bellcord.Cause{Kind: bellcord.Person, By: "Ctrl-C", From: "run"}
		}
		if nth > 1 {
			req.Mode = bellcord.Force
		}
		h.Stop(req)
	})()
	return f.view().FollowHub(ctx, h.Hub, turn, after)
}

// turnID is the one that was asked for, or a new one.
func (f *runFlags) turnID() (bellcord.TurnID, error) {
	if f.turn == "" {
		return bellcord.NewTurnID(), nil
	}
	id, err := bellcord.ParseTurnID(f.turn)
	if err != nil {
		return "", fmt.Errorf("--turn: %w", err)
	}
	return id, nil
}

func (f *runFlags) view() *line.View {
	view := &line.View{Out: os.Stdout, Err: os.Stderr, JSON: f.json, Terminal: isatty.IsTerminal(os.Stdout.Fd())}
	if isatty.IsTerminal(os.Stdin.Fd()) && !f.json {
		view.Ask = askOnTerminal
	}
	return view
}

func (f *runFlags) openSession(ctx context.Context, h *house, c config.Config) (bellcord.Session, error) {
	if f.session != "" {
		s, err := h.OpenSession(ctx, bellcord.SessionID(f.session))
		if err == nil && (f.model != "" || f.mode != "") {
			s, err = h.Configure(s.ID, bellcord.Configured{Model: f.model, Mode: f.mode})
		}
		return s, err
	}
	dir := f.dir
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return bellcord.Session{}, err
		}
	}
	return h.NewSession(ctx, bellcord.Session{Dir: dir, Agent: c.Agent, Model: modelOf(c), Mode: c.Mode})
}

// farewell is how long after the turn's end the rest of it may be on its way out
// before a signal ends the program as it would any other: whoever is to read it may
// never do so.
const farewell = 2 * time.Second

// onSignal tells of every signal that asks for an end, and how many Ctrl-Cs there
// have been. The first stops the turn, the second forces it; SIGTERM and SIGHUP
// are a shutdown. Once it is over there is nothing left to stop.
func onSignal(over <-chan struct{}, tell func(sig os.Signal, interrupts int)) func() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		interrupts := 0
		var left <-chan time.Time
		for {
			select {
			case <-done:
				return
			case <-over:
				over, left = nil, time.After(farewell)
			case <-left:
				signal.Stop(signals)
				return
			case sig := <-signals:
				if sig == os.Interrupt {
					interrupts++
				}
				tell(sig, interrupts)
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

func askOnTerminal(_ context.Context, q bellcord.Question) (string, error) {
	fmt.Fprintf(os.Stderr, "? %s [y]es, [a]lways exactly this, [N]o ", line.Visible(q.Text))
	said, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return "", err
	}
	return line.Choose(q, line.ParseReply(said)), nil
}
