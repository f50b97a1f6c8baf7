package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/chat"
	"github.com/bellcord/bellcord/internal/front/chat/tty"
	"github.com/bellcord/bellcord/internal/front/line"
)

type chatFlags struct {
	settings
	serverFlags
	session, dir string
	again, plain bool
}

func chatCommand() *cobra.Command {
	var f chatFlags
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk to an agent in the terminal; Esc stops it",
		Long: `Starts a conversation in the terminal, with streaming answers, tool calls, a queue
and questions. Turns run on the server that --server names, or on the server of the
data directory if one is running, or else in this process. Turns in this process end
when the command exits.

Enter sends a prompt, or queues it while a turn runs. Esc stops the turn. Ctrl-C
stops it too; a second one within two seconds forces the stop, a third one exits.
When nothing runs, the first Ctrl-C clears the input and the second one exits. /help
lists everything else.

With --plain the screen is never redrawn: output is only appended, and states are
written as text, for screen readers and simple terminals.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.chat(cmd.Context()) },
	}
	f.agentFlags(cmd)
	f.flags(cmd)
	cmd.Flags().StringVar(&f.session, "session", "", "continue this session; the beginning or the end of its `id` is enough")
	cmd.Flags().BoolVarP(&f.again, "continue", "c", false, "continue the newest session of the directory")
	cmd.MarkFlagsMutuallyExclusive("continue", "session")
	cmd.Flags().StringVar(&f.dir, "dir", "", "`directory` in which new sessions work (default: the current one; with --server, a new one for each session)")
	cmd.Flags().BoolVar(&f.plain, "plain", false, "never redraw the screen, for screen readers and simple terminals")
	hideMemory(cmd)
	return cmd
}

func (f *chatFlags) chat(ctx context.Context) error {
	c, err := f.load()
	if err != nil {
		return err
	}
	seen := term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))
	if !f.plain && !seen {
		return errors.New("chat needs a terminal: use --plain, or bellcord run")
	}
	if f.dir, err = f.directory(); err != nil {
		return err
	}
	// In a terminal, Ctrl-C is a key. It is a signal only in plain mode, which reads lines.
	ctx, done := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer done()
	at, err := backend.Open(ctx, f.backend(c, "chat"))
	if err != nil {
		return err
	}
	id, err := f.talk(ctx, at, c)
	deaf := errors.Is(err, line.ErrDeaf)
	if deaf {
		err = nil // the terminal takes no output, so the error cannot be shown
	}
	if err = errors.Join(err, at.Close()); err == nil && id != "" && !deaf {
		fmt.Fprintf(os.Stderr, "to continue: bellcord chat --session %s\n", id)
	}
	return err
}

// directory returns the working directory for new sessions; "" lets the server choose one.
func (f *chatFlags) directory() (string, error) {
	if f.dir == "" && f.server != "" {
		return "", nil
	}
	return filepath.Abs(f.dir)
}

// talk shows the session until the person leaves, and returns the session's id.
func (f *chatFlags) talk(ctx context.Context, at backend.Backend, c config.Config) (bellcord.SessionID, error) {
	hub, err := backend.Chat(at, c, f.dir)
	if err != nil {
		return "", err
	}
	first := bellcord.Session{Agent: f.agent, Model: f.model, Mode: f.mode, Dir: f.dir}
	if _, here := at.(backend.Local); here { // a server has its own defaults
		first.Agent, first.Model, first.Mode = c.Agent, app.DefaultModel(c), c.Mode
	}
	if f.again {
		id, err := backend.Newest(ctx, at, f.dir)
		if err != nil {
			return "", err
		}
		f.session = string(id) // "" starts a new session
	}
	if f.session != "" {
		id, err := backend.FindSession(ctx, at, f.session)
		if err == nil {
			first, err = hub.Find(ctx, string(id))
		}
		if err == nil && (f.model != "" || f.mode != "") {
			first, err = hub.Change(ctx, id, bellcord.SessionUpdated{Model: f.model, Mode: f.mode})
		}
		if err != nil {
			return "", err
		}
	}
	model := chat.New(chat.Options{Session: first, Confirm: c.ConfirmStop, Spoken: f.plain, Now: time.Now()})
	if f.plain {
		err = talkPlainly(ctx, hub, model)
	} else {
		err = tty.Run(ctx, hub, model)
	}
	return model.Session().ID, err
}

func talkPlainly(ctx context.Context, hub chat.Hub, model *chat.Model) error {
	signals, interrupts := make(chan os.Signal, 8), make(chan time.Time)
	signal.Notify(signals, os.Interrupt)
	ended := make(chan struct{})
	passed := make(chan struct{})
	go func() {
		defer close(passed)
		for {
			select {
			case <-signals:
				select {
				case interrupts <- time.Now():
				case <-ended:
				}
			case <-ended:
				return
			}
		}
	}()
	err := (&chat.Plain{Hub: hub, Model: model, In: os.Stdin, Out: os.Stdout, Interrupts: interrupts, Flush: func() { flushTyped(os.Stdin) }}).Run(ctx)
	signal.Stop(signals)
	close(ended)
	<-passed
	return err
}
