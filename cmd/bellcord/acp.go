package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/app/setup"
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
	hideMemory(cmd)
	return cmd
}

func (s *settings) serveACP(ctx context.Context) error {
	c, err := s.load()
	if err != nil {
		return err
	}
	var e app.Editor
	front := acp.Config{Version: version, Logger: logger(), SetUp: func(asked context.Context) (acp.Config, error) {
		c, err := s.setUp(asked)
		if err != nil {
			return acp.Config{}, err
		}
		return e.Open(ctx, appConfig(c, turnLog(true))), nil
	}}
	if app.HasModel(c) {
		front = e.Open(ctx, appConfig(c, turnLog(true)))
	}
	if isatty.IsTerminal(os.Stdin.Fd()) {
		fmt.Fprintln(os.Stderr, "waiting for an editor on standard input; bellcord acp --install EDITOR sets one up, Ctrl-C ends this")
	}
	err = acp.Serve(endedBySignal(os.Stdin), os.Stdout, e.Hub, front)
	return errors.Join(err, e.Close())
}

// setUp does what bellcord init does, unless somebody has done it meanwhile.
func (s *settings) setUp(ctx context.Context) (config.Config, error) {
	if c, err := s.load(); err != nil || app.HasModel(c) {
		return c, err
	}
	if file, _ := config.File(s.file); config.IsFile(file) {
		return config.Config{}, fmt.Errorf("%s names no model: add one, as in model = \"provider/model\", or write it anew by bellcord init --force; then start again", file)
	}
	if _, err := setup.Write(ctx, s.file, false); err != nil {
		return config.Config{}, err
	}
	return s.load()
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
