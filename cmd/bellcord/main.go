// Command bellcord is an agent runtime in which stop means stopped.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set when a release is built.
var version = "0.1.0-dev"

// Exit codes. A stop is not an error and has its own.
const (
	exitFailed  = 1
	exitStopped = 130
)

// exitCode ends the program with a code when there is nothing left to say.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

func main() {
	// The collector may wait: a short life is the usual one, and the first
	// answer counts.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	err := rootCommand().ExecuteContext(context.Background())
	var code exitCode
	switch {
	case err == nil:
	case errors.As(err, &code):
		os.Exit(int(code))
	default:
		fmt.Fprintln(os.Stderr, "bellcord:", err)
		os.Exit(exitFailed)
	}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "bellcord",
		Short:         "An agent runtime in which stop means stopped",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return welcome(cmd.Context(), os.Stdout) },
	}
	root.AddCommand(initCommand(), doctorCommand(), chatCommand(), openCommand())
	root.AddCommand(serveCommand(), psCommand(), nodesCommand(), attachCommand(), tokenCommand(), telegramCommand(), serviceCommand())
	root.AddCommand(acpCommand(), runCommand(), stopCommand(), sessionsCommand(), usageCommand(), modelsCommand(), agentsCommand(), probeCommand(), devCommand())
	return root
}
