package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/form"
	"github.com/bellcord/bellcord/internal/front/line"
)

type runFlags struct {
	settings
	serverFlags
	session, dir, turn string
	additional         []string
	again              bool
	json, verbose      bool
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [PROMPT]",
		Short: "Run one turn and print the answer; Ctrl-C stops it",
		Long: `Runs one turn. The answer goes to stdout as it arrives, everything else to stderr.
Text from a pipe or a file on standard input is added to the prompt. The prompt "-"
stands for standard input alone.

Ctrl-C stops the turn: the answer so far is kept, the receipt is printed, and the
exit code is 130. After a deadline it is 124. A second Ctrl-C forces the stop: it
does not wait for processes to end by themselves. The turn is also stopped when the
output cannot be written, as with run … | head.

A prompt that begins with a slash and a word is refused, because commands such as
/stop belong to chat. Write //word to send it as text. Paths are sent unchanged.

With --server the turn runs on a server. A lost connection does not stop it; the
output continues when the connection is back. A third Ctrl-C leaves without an
answer.`,
		Args: onePrompt,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := promptText(args, os.Stdin, os.Stderr)
			if err != nil {
				return err
			}
			return f.runTurn(cmd.Context(), text)
		},
	}
	f.agentFlags(cmd)
	f.flags(cmd)
	cmd.Flags().StringVar(&f.session, "session", "", "continue this session; the beginning or the end of its `id` is enough")
	cmd.Flags().BoolVarP(&f.again, "continue", "c", false, "continue the newest session of the directory")
	cmd.MarkFlagsMutuallyExclusive("continue", "session")
	cmd.Flags().StringVar(&f.dir, "dir", "", "`directory` to work in (default: the current one; with --server, a new one for the session)")
	addDirFlag(cmd, &f.additional)
	cmd.Flags().StringVar(&f.turn, "turn", "", "`id` of the new turn: a UUID that you choose, so that you can stop the turn by it (default: random)")
	cmd.Flags().BoolVar(&f.verbose, "verbose", false, "log stopped and failed turns to stderr, as serve does")
	cmd.Flags().BoolVar(&f.json, "json", false, "print every event as a line of JSON; the last line has the receipt and the answer")
	hideMemory(cmd)
	return cmd
}

// addDirFlag adds the flag for the additional directories of a session.
func addDirFlag(cmd *cobra.Command, dirs *[]string) {
	cmd.Flags().StringArrayVar(dirs, "add-dir", nil, "another `directory` that file tools may access, by absolute paths; repeat it for several")
}

func (f *runFlags) runTurn(ctx context.Context, text string) error {
	c, err := f.load()
	if err != nil {
		return err
	}
	turn, err := f.turnID()
	if err != nil {
		return err
	}
	at := f.backend(c, "run")
	at.App.TurnLog = turnLog(f.verbose)
	receipt, err := backend.Run{
		Config: at, Turn: turn, Text: text, Session: f.session, Continue: f.again, Dir: f.dir, AdditionalDirs: f.additional,
		Agent: f.agent, Model: f.model, Mode: f.mode,
		Deadline: f.deadline, MaxSteps: f.steps, MaxTokens: f.tokens, MaxCost: f.cost,
		View: f.view(), OnSignal: onSignal,
	}.Do(ctx)
	if errors.Is(err, syscall.EPIPE) && receipt.Turn != "" {
		err = nil // the reader of the output has left, which has stopped the turn
	}
	if err != nil {
		return err
	}
	if !f.json && line.Notable(receipt) {
		fmt.Fprintln(os.Stderr, line.Receipt(receipt))
	}
	if !f.json && receipt.End != bellcord.EndDone {
		fmt.Fprintf(os.Stderr, "  to continue: bellcord run %s--session %s \"…\"\n", f.sameServer(), receipt.Session)
	}
	return codeOf(receipt)
}

// sameServer returns the flag that selects the same server in another command.
func (f *runFlags) sameServer() string {
	if f.server == os.Getenv("BELLCORD_SERVER") {
		return ""
	}
	return "--server " + f.server + " "
}

// codeOf returns the exit code for a turn's end. A deadline exits with the code of timeout(1).
func codeOf(receipt bellcord.Receipt) error {
	switch receipt.End {
	case bellcord.EndDone:
		return nil
	case bellcord.EndStopped:
		if receipt.Cause != nil && receipt.Cause.Kind == bellcord.CauseDeadline {
			return exitCode(exitDeadline)
		}
		return exitCode(exitStopped)
	case bellcord.EndFailed, bellcord.EndLost:
	}
	return exitCode(exitFailed)
}

// turnID returns the id given with --turn, or a new one.
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

// farewell is how long signals are still caught after the turn's end, while the rest of its output
// is written. After that a signal terminates the program: the reader of the output may never read.
const farewell = 2 * time.Second

// onSignal calls notify for every SIGINT, SIGTERM and SIGHUP, with the number of Ctrl-Cs so far. The
// first Ctrl-C stops the turn, the second forces the stop; SIGTERM and SIGHUP are a shutdown. Two
// seconds after over is closed, signals get their default effect. The returned function ends the
// delivery; it must be called once.
func onSignal(over <-chan struct{}, notify func(sig os.Signal, interrupts int)) func() {
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
				notify(sig, interrupts)
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// questionMu is held while a question reads the terminal, so that a line answers one question.
var questionMu sync.Mutex

// askOnTerminal reads the answer to a question. It shows the question, discards everything typed
// during a short delay, and only then shows how to answer: a line that was meant for something else
// approves nothing.
func askOnTerminal(ctx context.Context, q bellcord.Question) (bellcord.Reply, error) {
	questionMu.Lock()
	defer questionMu.Unlock()
	fmt.Fprintf(os.Stderr, "? %s\n", line.Visible(form.Text(q)))
	select {
	case <-time.After(line.Settling):
	case <-ctx.Done():
		return bellcord.Reply{}, ctx.Err()
	}
	flushTyped(os.Stdin)
	if q.HasForm() {
		return fillInForm(bufio.NewReader(os.Stdin), os.Stderr, q)
	}
	always := ""
	if words := line.OfferAlways(q); words != "" {
		always = "[a]: " + words + ", "
	}
	fmt.Fprintf(os.Stderr, "  [y]es, %s[N]o; then Enter: ", always)
	input, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return bellcord.Reply{}, err
	}
	return bellcord.Reply{Choice: line.Choose(q, line.ParseReply(input))}, nil
}

// fillInForm reads the answer to a question with fields or a URL: first whether the user accepts it,
// then one line for each field.
func fillInForm(in *bufio.Reader, out io.Writer, q bellcord.Question) (bellcord.Reply, error) {
	accept := "fill it in"
	if q.URL != "" {
		accept = "continue"
	}
	fmt.Fprintf(out, "  [y]: %s, [N]o; then Enter: ", accept)
	reply, err := in.ReadString('\n')
	switch {
	case err != nil:
		return bellcord.Reply{}, err
	case line.ParseReply(reply) != line.Yes:
		return bellcord.Reply{Choice: bellcord.ChoiceDecline}, nil
	case q.URL != "":
		return bellcord.Reply{Choice: bellcord.ChoiceAccept}, nil
	}
	filling := form.NewFilling(q)
	for {
		fmt.Fprintf(out, "  %s: ", line.Visible(filling.Prompt()))
		input, err := in.ReadString('\n')
		if err != nil {
			return bellcord.Reply{}, err
		}
		switch complete, err := filling.Enter(strings.TrimRight(input, "\r\n")); {
		case err != nil:
			fmt.Fprintf(out, "  %s\n", line.Visible(err.Error()))
		case complete:
			return filling.Reply(), nil
		}
	}
}
