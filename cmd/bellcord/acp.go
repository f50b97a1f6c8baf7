package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/acp"
)

func acpCommand() *cobra.Command {
	var s settings
	var install acpInstall
	cmd := &cobra.Command{
		Use:   "acp",
		Short: "Serve an editor: the Agent Client Protocol on stdin and stdout",
		Long: `Serves an editor on stdin and stdout: the editor starts it.

With --install it tells the editor so instead: it prints what belongs into the
editor's settings, and with --write it puts that there, keeps everything else as
it is, and the old file beside it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if install.editor != "" {
				return install.tell(&s, os.Stdout)
			}
			return s.serveACP(cmd.Context())
		},
	}
	s.agentFlags(cmd)
	cmd.Flags().StringVar(&install.editor, "install", "", "tell an `editor` of Bellcord: zed, jetbrains, emacs or neovim")
	cmd.Flags().BoolVar(&install.write, "write", false, "with --install: change the editor's settings")
	return cmd
}

func (s *settings) serveACP(ctx context.Context) error {
	c, err := s.load()
	if err != nil {
		return err
	}
	var e editorHouse
	front := acp.Config{Version: version, Logger: logger(), SetUp: func(asked context.Context) (acp.Config, error) {
		c, err := s.setUp(asked)
		if err != nil {
			return acp.Config{}, err
		}
		return e.front(ctx, c), nil
	}}
	if answers(c) {
		front = e.front(ctx, c)
	}
	err = acp.Serve(endedBySignal(os.Stdin), os.Stdout, e.hub, front)
	return errors.Join(err, e.close())
}

// answers reports whether somebody does: a model, or an agent that is hosted.
func answers(c config.Config) bool { return c.Model != "" || c.Agent != "" || len(c.Models) > 0 }

// setUp does what bellcord init does, unless somebody has done it meanwhile.
func (s *settings) setUp(ctx context.Context) (config.Config, error) {
	if c, err := s.load(); err != nil || answers(c) {
		return c, err
	}
	if file, _ := config.File(s.file); isFile(file) {
		return config.Config{}, fmt.Errorf("%s names no model: add one, as in model = \"provider/model\", or write it anew by bellcord init --force; then start again", file)
	}
	f := initFlags{file: s.file}
	if err := f.run(ctx, io.Discard); err != nil { // stdout is the editor's
		return config.Config{}, err
	}
	return s.load()
}

// editorHouse is the house of an editor's sessions. There is none before there is
// a model.
type editorHouse struct {
	opened func() (*house, error)
}

// front begins to open the house: the store opens while the editor and we say hello.
func (e *editorHouse) front(ctx context.Context, c config.Config) acp.Config {
	known := newModels(c) // for their names alone
	e.opened = sync.OnceValues(func() (*house, error) { return openHouse(ctx, c) })
	go e.opened() //nolint:errcheck // whoever needs the house is told
	return acp.Config{
		Version: version, Agent: c.Agent, Model: modelOf(c), Models: c.Models, Mode: c.Mode, Prompt: limits(c), Logger: logger(),
		CheckModel: known.check, ContextSize: known.window,
		Opened: func(id bellcord.SessionID, desk *acp.Desk, servers []acp.MCPServer) {
			if h, err := e.opened(); err == nil {
				h.extras.opened(id, desk, servers)
			}
		},
		Closed: func(id bellcord.SessionID) {
			if h, err := e.opened(); err == nil {
				h.extras.closed(id)
				h.yard.End(id)
				h.agents.end(id)
			}
		},
	}
}

func (e *editorHouse) hub() (*bellcord.Hub, error) {
	h, err := e.opened()
	if err != nil {
		return nil, err
	}
	return h.Hub, nil
}

func (e *editorHouse) close() error {
	if e.opened == nil {
		return nil
	}
	h, err := e.opened()
	if err != nil {
		return err
	}
	return h.close()
}

// endedBySignal is the input until SIGTERM or SIGINT, which end it like the
// editor's own leaving: every turn is stopped, every prompt answered.
func endedBySignal(in io.Reader) io.Reader {
	r, w := io.Pipe()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	go func() { // both live as long as the process
		<-signals
		_ = w.Close()
	}()
	go func() {
		_, err := io.Copy(w, in)
		_ = w.CloseWithError(err)
	}()
	return r
}
