package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/front/line"
)

// undoFlags are the flags of bellcord undo and bellcord redo.
type undoFlags struct {
	changesFlags
	paths       []string
	dryRun, yes bool
}

func undoCommand() *cobra.Command {
	var f undoFlags
	cmd := &cobra.Command{
		Use:   "undo [TURN | SESSION]",
		Short: "Set the files that a turn changed to their state before the turn",
		Long: `Shows what would be restored, asks, and then sets the files that a turn created, changed
or deleted to their state before the turn. Without an argument it is the last turn that
changed files and is not undone, for a session its last such turn. A file that was changed
since is left alone. Nothing is lost: bellcord redo reverses the undo. The conversation
stays as it is; the next prompt has a note for the model with the restored files.

Exit codes: 0 everything is restored, 3 files were left alone because they were changed
since, cannot be changed or must be named with --path, 4 files could not be restored because
they were not kept.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.within(cmd.Context(), "undo", func(at backend.Backend) error {
				turn, err := backend.FindChanged(cmd.Context(), at, first(args))
				if err != nil {
					return err
				}
				return f.carryOut(cmd.Context(), at, bellcord.UndoRequest{Turn: turn, Paths: f.paths})
			})
		},
	}
	f.register(cmd)
	cmd.Flags().StringArrayVar(&f.paths, "path", nil, "only this `path` and everything below it; can be repeated")
	return cmd
}

func redoCommand() *cobra.Command {
	var f undoFlags
	cmd := &cobra.Command{
		Use:   "redo [TURN | SESSION]",
		Short: "Reverse the last undo of a session",
		Long: `Shows what would change, asks, and then reverses the last undo of the session. Without an
argument it is the last undo of all sessions, and those in the current directory come first.
For a turn it is the last undo of its session, if that has undone the turn. A file that was
changed since the undo is left alone. Exit codes are those of bellcord undo.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.within(cmd.Context(), "redo", func(at backend.Backend) error {
				session, undo, err := backend.FindUndo(cmd.Context(), at, first(args))
				if err != nil {
					return err
				}
				return f.carryOut(cmd.Context(), at, bellcord.UndoRequest{Session: session, Undo: undo})
			})
		},
	}
	f.register(cmd)
	return cmd
}

func (f *undoFlags) register(cmd *cobra.Command) {
	f.dataFlags(cmd)
	f.flags(cmd)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "only show what would be done")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON; needs --yes or --dry-run")
}

// carryOut shows a preview, asks, and undoes.
func (f *undoFlags) carryOut(ctx context.Context, at backend.Backend, q bellcord.UndoRequest) error {
	if f.json && !f.yes && !f.dryRun {
		return errors.New("--json asks nothing: add --yes, or --dry-run to only see what would be done")
	}
	q.Confirmed, q.Preview = true, true
	preview, err := at.Undo(ctx, q)
	if err != nil {
		return err
	}
	if f.dryRun {
		return f.printResult(preview)
	}
	if !f.yes {
		if err := confirmUndo(preview); err != nil {
			return err
		}
	}
	q.Preview = false
	done, err := at.Undo(ctx, q)
	if err != nil {
		return err
	}
	return f.printResult(done)
}

func confirmUndo(preview bellcord.Undone) error {
	if preview.Restored == 0 {
		return nil
	}
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return errors.New("nobody can be asked: add --yes, or --dry-run to only see what would be done")
	}
	fmt.Print(line.Undone(preview, true))
	fmt.Print("Go on? [y/N] ")
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n') // without an answer it is empty
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return errors.New("nothing was changed")
	}
	return nil
}

// printResult prints the result. The exit code reports whether everything is restored.
func (f *undoFlags) printResult(u bellcord.Undone) error {
	if f.json {
		if err := json.NewEncoder(os.Stdout).Encode(u); err != nil {
			return err
		}
	} else {
		fmt.Print(line.Undone(u, f.dryRun))
		if !f.dryRun {
			fmt.Println(u.Text())
		}
	}
	switch {
	case u.Conflicts > 0 || u.Skipped > 0:
		return exitCode(exitConflict)
	case u.NotKept > 0:
		return exitCode(exitNotKept)
	}
	return nil
}
