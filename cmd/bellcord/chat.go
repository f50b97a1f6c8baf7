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
	"github.com/bellcord/bellcord/internal/front/recall"
)

type chatFlags struct {
	settings
	serverFlags
	session, dir string
	additional   []string
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
stops it too, and a second one forces the stop. When nothing runs, Ctrl-C clears the
input, and twice with an empty input exits. ? shows everything else.

Finished parts of the conversation stay in the scrollback of the terminal, which
scrolls, searches and copies them.

With --plain the screen is never redrawn: output is only appended, and states are
written as text, for screen readers and simple terminals. The variable ACCESSIBLE=1
selects it, too.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.chat(cmd.Context()) },
	}
	f.agentFlags(cmd)
	f.flags(cmd)
	cmd.Flags().StringVar(&f.session, "session", "", "continue this session; the beginning or the end of its `id` is enough")
	cmd.Flags().BoolVarP(&f.again, "continue", "c", false, "continue the newest session of the directory")
	cmd.MarkFlagsMutuallyExclusive("continue", "session")
	cmd.Flags().StringVar(&f.dir, "dir", "", "`directory` in which new sessions work (default: the current one; with --server, a new one for each session)")
	addDirFlag(cmd, &f.additional)
	cmd.Flags().BoolVar(&f.plain, "plain", false, "never redraw the screen, for screen readers and simple terminals")
	hideMemory(cmd)
	return cmd
}

// accessible reports whether the environment asks for output without redrawing.
// Several programs for terminals use this variable.
func accessible() bool {
	v := os.Getenv("ACCESSIBLE")
	return v != "" && v != "0"
}

// interactive reports whether a person reads the output and types the input.
func interactive() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))
}

func (f *chatFlags) chat(ctx context.Context) error {
	c, err := f.load()
	if err != nil {
		return err
	}
	f.plain = f.plain || accessible()
	if !f.plain && !interactive() {
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
	_, here := at.(backend.Local)
	additional, err := backend.AdditionalDirs(f.additional, !here)
	if err != nil {
		return "", err
	}
	hub, err := backend.Chat(at, c, f.dir, additional)
	if err != nil {
		return "", err
	}
	first := bellcord.Session{Agent: f.agent, Model: f.model, Mode: f.mode, Dir: f.dir}
	if here { // a server has its own defaults
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
		change := bellcord.SessionUpdated{Model: f.model, Mode: f.mode}
		if len(additional) > 0 {
			change.AdditionalDirs = &additional
		}
		if err == nil && change != (bellcord.SessionUpdated{}) {
			first, err = hub.Change(ctx, id, change)
		}
		if err != nil {
			return "", err
		}
	}
	options := chat.Options{Session: first, Confirm: c.ConfirmStop, Plain: f.plain, Now: time.Now()}
	if f.plain {
		model := chat.New(options)
		err := talkPlainly(ctx, hub, model)
		return model.Session().ID, err
	}
	prompts := recall.Of(filepath.Join(c.DataDir, "prompts"), f.server+" "+f.dir)
	if options.Earlier, err = prompts.Load(); err != nil {
		return "", fmt.Errorf("read the earlier prompts: %w", err)
	}
	options.Keep, options.Window = true, backend.Windows(ctx, at)
	options.TakesImages, options.OwnFiles, options.Theme = backend.TakesImages(ctx, at), here, theme(c.Theme, os.Getenv)
	options.Version = version
	if here || f.server == "" { // the directory is on this machine
		home, _ := os.UserHomeDir()
		options.Place = func(dir string) string { return placeIn(home, dir) }
	}
	model := chat.New(options)
	err = tty.Run(ctx, hub, model, tty.Options{Keep: prompts.Add, Notify: c.Notify})
	return model.Session().ID, err
}

// theme returns the colours of the screen. NO_COLOR and a simple terminal turn
// them off.
func theme(setting string, env func(string) string) chat.Theme {
	if env("NO_COLOR") != "" || env("TERM") == "dumb" {
		return chat.ThemePlain
	}
	return chat.Theme(setting)
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
