// Command bellcord is an agent runtime in which stop means stopped.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/client"
	_ "github.com/bellcord/bellcord/internal/sandbox/stage" // this executable is also the sandbox's helper
)

// version is set at build time for a release, and from the module by go install.
var version = "0.1.0-dev"

// Exit codes. A stop is not an error and has a separate code.
const (
	exitFailed   = 1
	exitConflict = 3 // an undo has left files alone
	exitNotKept  = 4 // an undo could not restore files that were not kept
	exitDeadline = 124
	exitStopped  = 130
)

// exitCode is an error that ends the program with the given code and prints nothing.
type exitCode int

// Error implements error.
func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

func main() {
	// Collect garbage less often: most commands run only briefly, and the time to the first answer
	// matters.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	if built, is := debug.ReadBuildInfo(); is && built.Main.Sum != "" { // go install …@VERSION
		version = built.Main.Version
	}
	failOnBrokenPipes()
	err := rootCommand().ExecuteContext(context.Background())
	var code exitCode
	switch {
	case err == nil:
	case errors.As(err, &code):
		os.Exit(int(code))
	case errors.Is(err, syscall.EPIPE): // the reader of the output has left, as head does
		os.Exit(exitFailed)
	default:
		fmt.Fprintln(stderr, "bellcord:", err)
		if hint := nextStep(err); hint != "" {
			fmt.Fprintln(os.Stderr, hint)
		}
		os.Exit(exitFailed)
	}
}

// failOnBrokenPipes makes a write to a pipe without a reader fail. Otherwise SIGPIPE ends the
// process in the middle of such a write, and the commands that it runs continue. Commands do not
// inherit the handler, as they would with signal.Ignore.
func failOnBrokenPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "bellcord",
		Short:         "An agent runtime in which stop means stopped",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return welcome(cmd.Context(), os.Stdout) },
	}
	root.SetFlagErrorFunc(explainFlag)
	root.AddCommand(tryCommand(), initCommand(), doctorCommand(), chatCommand(), openCommand())
	root.AddCommand(serveCommand(), psCommand(), nodesCommand(), attachCommand(), tokenCommand(), telegramCommand(), serviceCommand(), storeCommand())
	root.AddCommand(acpCommand(), runCommand(), stopCommand(), receiptCommand(), changesCommand(), undoCommand(), redoCommand(), sessionsCommand(), usageCommand(), modelsCommand(), agentsCommand(), probeCommand(), devCommand(), versionCommand(), configCommand())
	return root
}

// nextStep returns advice for an error that many commands share, or "" if the error text already
// contains it.
func nextStep(err error) string {
	switch {
	case errors.Is(err, client.ErrUnreachable):
		return "start one with bellcord serve, or check --server and BELLCORD_SERVER"
	case errors.Is(err, syscall.EADDRINUSE):
		return "choose another address with --addr; --addr 127.0.0.1:0 picks a free port"
	}
	return ""
}

// explainFlag adds the next step to the most common mistake: a duration without a unit.
func explainFlag(_ *cobra.Command, err error) error {
	if strings.Contains(err.Error(), "missing unit in duration") {
		return fmt.Errorf("%w: write the unit, as in 5s, 2m or 1h", err)
	}
	return err
}
