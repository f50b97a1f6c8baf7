package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/transcript"
	"github.com/bellcord/bellcord/store"
)

// sessionFlags are the flags of commands that change one session.
type sessionFlags struct {
	settings
	serverFlags
}

// with finds the session that word identifies and calls do with it.
func (f *sessionFlags) with(ctx context.Context, command, word string, do func(backend.Backend, bellcord.SessionID) error) error {
	c, err := f.load()
	if err != nil {
		return err
	}
	at, err := backend.Open(ctx, f.backend(c, command))
	if err != nil {
		return err
	}
	id, err := backend.FindSession(ctx, at, word)
	if err == nil {
		err = do(at, id)
	}
	return errors.Join(err, at.Close())
}

func renameCommand() *cobra.Command {
	var f sessionFlags
	cmd := &cobra.Command{
		Use:   "rename SESSION TITLE",
		Short: "Change a session's title",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.with(cmd.Context(), "sessions", args[0], func(at backend.Backend, id bellcord.SessionID) error {
				return at.Rename(cmd.Context(), id, args[1])
			})
		},
	}
	f.dataFlags(cmd)
	f.flags(cmd)
	return cmd
}

func deleteCommand() *cobra.Command {
	var f sessionFlags
	var files bool
	cmd := &cobra.Command{
		Use:   "delete SESSION",
		Short: "Stop a session's turns and delete the session",
		Long: `Stops the session's turns, wherever they run, and deletes the session with its whole
log and the outputs of its tool calls. Files that its turns wrote are kept. With
--files, the workspace that Bellcord created for the session is removed too; a
directory that you chose is kept.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.with(cmd.Context(), "sessions", args[0], func(at backend.Backend, id bellcord.SessionID) error {
				if err := at.Remove(cmd.Context(), id, files); err != nil {
					return err
				}
				fmt.Println("deleted", id)
				return nil
			})
		},
	}
	f.dataFlags(cmd)
	f.flags(cmd)
	cmd.Flags().BoolVar(&files, "files", false, "also remove the workspace that Bellcord created for the session")
	return cmd
}

func exportCommand() *cobra.Command {
	var s settings
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "export SESSION",
		Short: "Print a session as Markdown, or as JSON with --json",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withStore(cmd.Context(), func(store app.Store) error {
				return exportSession(cmd.Context(), os.Stdout, store, args[0], asJSON)
			})
		},
	}
	s.dataFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the session and all its events as JSON")
	return cmd
}

func exportSession(ctx context.Context, out io.Writer, store app.Store, word string, asJSON bool) error {
	id, err := backend.FindStored(ctx, store, word)
	if err != nil {
		return err
	}
	s, err := store.Session(ctx, id)
	if err != nil {
		return err
	}
	if asJSON {
		return writeTranscript(ctx, transcript.NewJSON(out, s), store, id)
	}
	return writeTranscript(ctx, transcript.NewMarkdown(out, s), store, id)
}

func printSessions(ctx context.Context, out io.Writer, kept app.Store) error {
	all, err := kept.Sessions(ctx, store.SessionQuery{})
	if err != nil {
		return err
	}
	lines := json.NewEncoder(out)
	for _, s := range all {
		if err := lines.Encode(s); err != nil {
			return err
		}
	}
	return nil
}
