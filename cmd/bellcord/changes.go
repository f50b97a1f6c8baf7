package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/tool/edit"
)

// changesFlags are the flags of bellcord changes.
type changesFlags struct {
	settings
	serverFlags
	json, diff bool
	path       string
}

func changesCommand() *cobra.Command {
	var f changesFlags
	cmd := &cobra.Command{
		Use:   "changes [TURN | SESSION]",
		Short: "List what a turn changed in the session's directory",
		Long: `Lists the files that a turn created, changed or deleted. Without an argument it is the
last turn that changed files and is not undone, for a session its last such turn. The
beginning or the end of an id is enough. A file that changed while a command was running
may also have been changed by another program; the list marks it.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.within(cmd.Context(), "changes", func(at backend.Backend) error {
				turn, err := backend.FindChanged(cmd.Context(), at, first(args))
				if err != nil {
					return err
				}
				return f.print(cmd.Context(), at, turn, cmd.OutOrStdout())
			})
		},
	}
	f.dataFlags(cmd)
	f.flags(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the changes as JSON")
	cmd.Flags().BoolVar(&f.diff, "diff", false, "print the changed lines of text files")
	cmd.Flags().StringVar(&f.path, "path", "", "with --diff, only this `path` and everything below it")
	cmd.MarkFlagsMutuallyExclusive("json", "diff")
	return cmd
}

func (f *changesFlags) within(ctx context.Context, command string, do func(backend.Backend) error) error {
	c, err := f.load()
	if err != nil {
		return err
	}
	at, err := backend.Open(ctx, f.backend(c, command))
	if err != nil {
		return err
	}
	defer showRecovery(at)()
	return errors.Join(do(at), at.Close())
}

// showRecovery prints the progress while the command waits for the changes of a
// turn that was interrupted, until the returned function is called.
func showRecovery(at backend.Backend) (end func()) {
	local, is := at.(backend.Local)
	if !is {
		return func() {} // the server recovers its turns
	}
	over := make(chan struct{})
	var printing sync.WaitGroup
	printing.Go(func() {
		again := time.NewTicker(time.Second)
		defer again.Stop()
		for {
			select {
			case <-over:
				return
			case <-again.C:
				if p, running := local.App.Files().Recorder.Recovering(); running {
					fmt.Fprintln(stderr, "bellcord: a turn was interrupted:", p.Text())
				}
			}
		}
	})
	return func() {
		close(over)
		printing.Wait()
	}
}

func (f *changesFlags) print(ctx context.Context, at backend.Backend, turn bellcord.TurnID, to io.Writer) error {
	if f.diff {
		texts, err := at.Texts(ctx, turn, f.path)
		for _, c := range texts {
			if err == nil {
				_, err = io.WriteString(to, changedLines(c))
			}
		}
		return err
	}
	c, err := at.Changes(ctx, turn)
	if err != nil {
		return err
	}
	if f.json {
		return json.NewEncoder(to).Encode(c)
	}
	_, err = io.WriteString(to, line.Changes(c))
	return err
}

// changedLines returns the change of a text file as lines that begin with - and +.
func changedLines(c bellcord.Change) string {
	var b strings.Builder
	old := ""
	if c.Old != nil {
		old = *c.Old
	}
	fmt.Fprintf(&b, "%s\n", line.Visible(filepath.ToSlash(c.Path)))
	for _, part := range edit.Parts(old, c.New, 0) {
		fmt.Fprintf(&b, "@@ -%d +%d @@\n", part.OldLine, part.NewLine)
		writeLines(&b, "-", part.Old)
		writeLines(&b, "+", part.New)
	}
	return b.String()
}

func writeLines(b *strings.Builder, sign, text string) {
	for l := range strings.Lines(text) {
		b.WriteString(sign + line.Visible(strings.TrimRight(l, "\n")) + "\n")
	}
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return strings.TrimSpace(args[0])
}
