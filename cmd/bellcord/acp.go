package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
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
	known := newModels(c) // for their names alone
	// The store opens while the editor and we say hello.
	opened := sync.OnceValues(func() (*house, error) { return openHouse(ctx, c) })
	go opened() //nolint:errcheck // whoever needs the house is told
	in := endedBySignal(os.Stdin)
	err = acp.Serve(in, os.Stdout, func() (*bellcord.Hub, error) {
		h, err := opened()
		if err != nil {
			return nil, err
		}
		return h.Hub, nil
	}, acp.Config{
		Version: version, Agent: c.Agent, Model: modelOf(c), Models: c.Models, Mode: c.Mode, Prompt: limits(c), Logger: logger(),
		CheckModel: known.check, ContextSize: known.window,
		Opened: func(id bellcord.SessionID, desk *acp.Desk, servers []acp.MCPServer) {
			if h, err := opened(); err == nil {
				h.extras.opened(id, desk, servers)
			}
		},
		Closed: func(id bellcord.SessionID) {
			if h, err := opened(); err == nil {
				h.extras.closed(id)
				h.yard.End(id)
				h.agents.end(id)
			}
		},
	})
	h, openErr := opened()
	if openErr != nil {
		return errors.Join(err, openErr)
	}
	return errors.Join(err, h.close())
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
