package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/front/line"
)

type attachFlags struct {
	settings
	serverFlags
}

func attachCommand() *cobra.Command {
	var f attachFlags
	cmd := &cobra.Command{
		Use:   "attach SESSION",
		Short: "Watch a session live, stop its turn, answer its questions",
		Long: `Shows a session live, from the start of the running turn or of the last one, and
continues with later turns until you leave. The beginning or the end of a
session id is enough.

Esc or Ctrl-C stops the turn. A second Ctrl-C within two seconds forces the stop, a
third one leaves. When nothing runs, Ctrl-C leaves. q and Ctrl-D leave without
stopping anything. Without a terminal, the command shows the turn until it ends and
exits with the same code as bellcord run.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.attach(cmd.Context(), args[0]) },
	}
	f.dataFlags(cmd)
	f.flags(cmd)
	return cmd
}

func (f *attachFlags) attach(ctx context.Context, prefix string) error {
	c, err := f.load()
	if err != nil {
		return err
	}
	ctx, done := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer done()
	context.AfterFunc(ctx, done) // a second signal terminates the process: attach runs no work that must end first
	at, err := backend.Open(ctx, f.backend(c, "attach"))
	if err != nil {
		return err
	}
	id, err := backend.FindSession(ctx, at, prefix)
	var receipt bellcord.Receipt
	if err == nil {
		receipt, err = watchSession(ctx, at, id)
	}
	if err = errors.Join(err, at.Close()); err != nil {
		return err
	}
	return codeOf(receipt)
}

// watchSession shows the session until the person leaves or, without a terminal, until its turn
// ends, and returns that turn's receipt.
func watchSession(ctx context.Context, at backend.Backend, id bellcord.SessionID) (bellcord.Receipt, error) {
	begin, err := backend.RunningTurn(ctx, at, id)
	if err != nil {
		return bellcord.Receipt{}, err
	}
	out, errs := io.Writer(os.Stdout), io.Writer(os.Stderr)
	var typed <-chan []byte
	var unwaited *line.Output
	if interactive() {
		in := int(os.Stdin.Fd())
		before, err := term.MakeRaw(in)
		if err != nil {
			return bellcord.Receipt{}, err
		}
		defer func() { _ = term.Restore(in, before) }()
		unwaited = line.NewOutput(out)
		defer func() { unwaited.Drained(line.Parting) }()
		if term.IsTerminal(int(os.Stderr.Fd())) {
			errs = rawWriter{unwaited}
		}
		out, typed = rawWriter{unwaited}, typing(os.Stdin)
		fmt.Fprintln(errs, "Esc or Ctrl-C: stop the turn. Ctrl-C again: force the stop. q or Ctrl-D: leave without stopping.")
	}
	screen := line.NewScreen(&line.View{Out: out, Err: errs, Terminal: term.IsTerminal(int(os.Stdout.Fd()))}, begin.ID)
	screen.Typed, screen.Out = typed, unwaited
	screen.Stop = func(ctx context.Context, turn bellcord.TurnID, mode bellcord.StopMode) error {
		_, err := at.Stop(ctx, turn, "", api.Stop{Mode: string(mode), Wait: "1s"})
		return err
	}
	screen.Answer = at.Answer
	source, done, err := at.Events(ctx, id, max(begin.FirstSeq-1, 0), func(err error) {
		screen.Notify(fmt.Sprintf("… connection to the server lost (%v); reconnecting", err))
	})
	if err != nil {
		return bellcord.Receipt{}, err
	}
	defer done()
	receipt, err := screen.Run(ctx, source)
	if receipt == nil {
		return bellcord.Receipt{End: bellcord.EndDone}, err
	}
	return *receipt, err
}

// typing returns a channel with the input of a terminal. Its goroutine runs until the process exits
// or in ends: a read cannot be canceled.
func typing(in io.Reader) <-chan []byte {
	typed := make(chan []byte)
	go func() {
		for {
			some := make([]byte, 64)
			n, err := in.Read(some)
			if err != nil {
				typed <- []byte{ctrlD} // the terminal is gone
				return
			}
			typed <- some[:n]
		}
	}()
	return typed
}

const ctrlD = 0x04

// rawWriter writes to a terminal in raw mode: it replaces each \n with \r\n, because a line feed
// does not return to the first column in that mode.
type rawWriter struct{ to io.Writer }

// Write implements io.Writer.
func (w rawWriter) Write(p []byte) (int, error) {
	if _, err := w.to.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}
