package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/acpbridge"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/app/setup"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/acp"
)

type acpFlags struct {
	settings
	connect, tokenFile string
	workspace, setUp   bool
	onDisconnect       string
}

func acpCommand() *cobra.Command {
	var f acpFlags
	cmd := &cobra.Command{
		Use:   "acp",
		Short: "Serve an editor over the Agent Client Protocol (ACP)",
		Long: `Serves an editor over stdin and stdout with the Agent Client Protocol (ACP). The
editor starts this command.

With --connect, the sessions are on a server (bellcord serve), and this command only
passes messages on. If the connection is lost, it reconnects within two minutes and
continues where it was. Turns continue while there is no connection, and after the
editor has exited; --on-disconnect stop stops them instead.

bellcord acp install EDITOR prints the settings that the editor needs.

With --agent, arguments after -- run the agent's own command with these arguments
instead. Editors use it for an agent's login in a terminal.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() == 0 {
				return nil
			}
			return cobra.NoArgs(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case cmd.ArgsLenAtDash() == 0:
				return f.runAgent(cmd.Context(), args)
			case f.setUp:
				return f.setUpInTerminal(cmd.Context())
			case f.connect != "":
				return f.bridgeACP(cmd.Context())
			}
			return f.serveACP(cmd.Context())
		},
	}
	f.agentFlags(cmd)
	cmd.Flags().StringVar(&f.connect, "connect", "", "`URL` of a server that has the sessions: http://host:port, https://host or unix:/path (its token: env BELLCORD_TOKEN)")
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "`file` with the token for --connect (default: env BELLCORD_TOKEN, or the file token in the data directory of a server on this machine)")
	cmd.Flags().BoolVar(&f.workspace, "workspace", false, "with --connect: new sessions work in a new directory on the server, instead of the editor's directory")
	cmd.Flags().StringVar(&f.onDisconnect, "on-disconnect", "continue", "with --connect: what happens to turns when the editor has disconnected, a `choice` of continue and stop")
	cmd.Flags().BoolVar(&f.setUp, strings.TrimPrefix(setUpFlag, "--"), false, "set up a model in this terminal: asks for a provider's API key; editors start it")
	hideMemory(cmd)
	cmd.AddCommand(acpInstallCommand())
	return cmd
}

// bridgeACP connects the editor to a server.
func (f *acpFlags) bridgeACP(ctx context.Context) error {
	if f.onDisconnect != "continue" && f.onDisconnect != "stop" {
		return fmt.Errorf("--on-disconnect %q: use continue or stop", f.onDisconnect)
	}
	c, err := f.load()
	if err != nil {
		return err
	}
	dial, err := backend.DialACP(backend.Config{App: appConfig(c, turnLog(false)), Server: f.connect, TokenFile: f.tokenFile, Command: "acp"})
	if err != nil {
		return err
	}
	in, out := editorStreams(os.Stdin, os.Stdout)
	return acpbridge.Run(ctx, acpbridge.Config{
		Dial: dial, Final: backend.RefusedACP, In: in, Out: out,
		Workspace: f.workspace, StopOnDisconnect: f.onDisconnect == "stop", Logger: logger(),
	})
}

func (s *settings) serveACP(ctx context.Context) error {
	c, err := s.load()
	if err != nil {
		return err
	}
	var e app.Editor
	front := acp.Config{Version: version, Logger: logger(), SetUp: func(requestCtx context.Context) (acp.Config, error) {
		c, err := s.setUp(requestCtx)
		if err != nil {
			return acp.Config{}, err
		}
		return e.Open(ctx, appConfig(c, turnLog(true))), nil
	}}
	if app.HasModel(c) {
		front = e.Open(ctx, appConfig(c, turnLog(true)))
	}
	front.SetUpArgs, front.Command = []string{setUpFlag}, ownCommand()
	if isatty.IsTerminal(os.Stdin.Fd()) {
		fmt.Fprintln(os.Stderr, "waiting for an editor on standard input; to set one up: bellcord acp install EDITOR; Ctrl-C to exit")
	}
	in, out := editorStreams(os.Stdin, os.Stdout)
	err = acp.Serve(in, out, e.Hub, front)
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

// editorStreams returns the input and the output of an editor. The input ends when stdin ends, on
// SIGTERM or SIGINT, and when a write to the output fails. Its end stops every turn and answers
// every prompt, as when the editor exits.
func editorStreams(stdin io.Reader, stdout io.Writer) (io.Reader, io.Writer) {
	r, w := io.Pipe()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	go func() { // both goroutines run until the process exits
		<-signals
		_ = w.Close()
	}()
	go func() {
		_, err := io.Copy(w, stdin)
		_ = w.CloseWithError(err)
	}()
	return r, editorOutput{to: stdout, input: w}
}

// editorOutput ends the input when a write fails.
type editorOutput struct {
	to    io.Writer
	input *io.PipeWriter
}

// Write implements io.Writer.
func (o editorOutput) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if err != nil {
		_ = o.input.Close()
	}
	return n, err
}

// ownCommand returns the command line of this process with the path of its
// program.
func ownCommand() []string {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	return append([]string{program}, os.Args[1:]...)
}
