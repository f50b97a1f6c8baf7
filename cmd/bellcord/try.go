package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/app/tour"
	"github.com/bellcord/bellcord/internal/front/chat"
	"github.com/bellcord/bellcord/internal/front/chat/tty"
	"github.com/bellcord/bellcord/internal/front/line"
)

func tryCommand() *cobra.Command {
	auto := false
	cmd := &cobra.Command{
		Use:   "try",
		Short: "Take a two-minute tour: question, queue, stop and receipt",
		Long: `Leads you through the chat in two minutes: you answer a question, queue a prompt, stop a
command that tries to outlive its turn, and read the receipt. The turns, the command and
the receipt are real; the model is the built-in fake model, so you need no key. All files
are in a temporary directory, which is deleted at the end. Ctrl-C leaves at any moment.

With --auto, or without a terminal, the tour presses the keys itself and prints plain
text.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return try(cmd.Context(), auto) },
	}
	cmd.Flags().BoolVar(&auto, "auto", false, "press the keys automatically and print plain text")
	hideMemory(cmd)
	return cmd
}

// try shows the tour, and then ends its turns and deletes its files.
func try(ctx context.Context, auto bool) error {
	if runtime.GOOS == "windows" {
		return errors.New("the tour needs a Unix shell: on Windows, run bellcord chat --model fake/fake")
	}
	auto = auto || !interactive()
	// On the screen, Ctrl-C is a key. A signal also leaves.
	ctx, done := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer done()
	t, err := tour.Open(ctx, tour.Config{Version: version, Secrets: secretSet, Logger: logger()})
	if err != nil {
		return err
	}
	if auto {
		err = t.Play(ctx, version, os.Stdout)
	} else {
		options := t.Options(version)
		options.Theme = theme("auto", os.Getenv)
		err = tty.Run(ctx, t.Hub, chat.New(options), tty.Options{})
	}
	left := ctx.Err() != nil
	if left || errors.Is(err, line.ErrDeaf) {
		err = nil // the person has left, or the terminal takes no output
	}
	if err = errors.Join(err, t.Close()); err != nil {
		return err
	}
	fmt.Println("\nNothing is left of the tour: its processes have ended and its files are deleted.")
	fmt.Println("Next: bellcord init · bellcord chat · bellcord help")
	if left {
		return exitCode(exitStopped)
	}
	return nil
}
