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
	cmd := &cobra.Command{
		Use:   "acp",
		Short: "Serve an editor over the Agent Client Protocol (ACP)",
		Long: `Serves an editor over stdin and stdout with the Agent Client Protocol (ACP). The
editor starts this command.

bellcord acp install EDITOR prints the settings that the editor needs.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.serveACP(cmd.Context()) },
	}
	s.agentFlags(cmd)
	hideMemory(cmd)
	cmd.AddCommand(acpInstallCommand())
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
		fmt.Fprintln(os.Stderr, "waiting for an editor on standard input; to set one up: bellcord acp install EDITOR; Ctrl-C to exit")
	}
	err = acp.Serve(endedBySignal(os.Stdin), os.Stdout, e.Hub, front)
	return errors.Join(err, e.Close())
}

// setUp returns the configuration. If it has no model and there is no configuration file, setUp
// first writes one, as bellcord init does; a file without a model is an error.
func (s *settings) setUp(ctx context.Context) (config.Config, error) {
	if c, err := s.load(); err != nil || app.HasModel(c) {
		return c, err
	}
	if file, _ := config.File(s.file); config.IsFile(file) {
		return config.Config{}, fmt.Errorf("no model in %s: add model = \"provider/model\", or replace the file with bellcord init --force; then try again", file)
	}
	if _, err := setup.Write(ctx, s.file, false); err != nil {
		return config.Config{}, err
	}
	return s.load()
}

// endedBySignal returns a reader that ends when in ends, or on SIGTERM or SIGINT. The end of the
// input stops every turn and answers every prompt, as when the editor exits.
func endedBySignal(in io.Reader) io.Reader {
	r, w := io.Pipe()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	go func() { // both goroutines run until the process exits
		<-signals
		_ = w.Close()
	}()
	go func() {
		_, err := io.Copy(w, in)
		_ = w.CloseWithError(err)
	}()
	return r
}
