package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/transcript"
	"github.com/bellcord/bellcord/store"
)

func sessionsCommand() *cobra.Command {
	var s settings
	var asJSON bool
	list := &cobra.Command{
		Use:   "sessions",
		Short: "List sessions with their running and queued turns",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withStore(cmd.Context(), func(store app.Store) error {
				if asJSON {
					return printSessions(cmd.Context(), os.Stdout, store)
				}
				return listSessions(cmd.Context(), store)
			})
		},
	}
	s.dataFlags(list)
	list.Flags().BoolVar(&asJSON, "json", false, "print every session as a line of JSON")
	var of settings
	show := &cobra.Command{
		Use:   "show SESSION",
		Short: "Print a session's transcript",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return of.withStore(cmd.Context(), func(store app.Store) error {
				var out io.Writer = os.Stdout
				if isatty.IsTerminal(os.Stdout.Fd()) {
					out = visibly{out}
				}
				return exportSession(cmd.Context(), out, store, args[0], false)
			})
		},
	}
	of.dataFlags(show)
	list.AddCommand(show, renameCommand(), rewindCommand(), deleteCommand(), exportCommand())
	return list
}

func (s *settings) withStore(ctx context.Context, do func(app.Store) error) error {
	c, err := s.load()
	if err != nil {
		return err
	}
	a, err := app.Open(ctx, appConfig(c, nil)) // it also ends the turns of dead processes
	if err != nil {
		return err
	}
	err = do(a.Store)
	if cerr := a.Close(); err == nil {
		err = cerr
	}
	return err
}

func listSessions(ctx context.Context, kept app.Store) error {
	sessions, err := kept.Sessions(ctx, store.SessionQuery{})
	if err != nil {
		return err
	}
	unended, err := kept.UnendedTurns(ctx, "")
	if err != nil {
		return err
	}
	if len(sessions) == 0 {
		fmt.Println("no sessions yet")
		return nil
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "SESSION\tUPDATED\tTITLE\tDIRECTORY")
	for _, s := range sessions {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", s.ID, s.Updated.Format("2006-01-02 15:04"), oneLine(s.Title), oneLine(s.Dir))
		for _, t := range unended {
			if t.Session == s.ID {
				fmt.Fprintf(out, "  %s\t%s\t%s\tsince %s\n", t.ID, api.TurnOf(t, nil).State, oneLine(t.Prompt.Text), t.Accepted.Format(time.TimeOnly))
			}
		}
	}
	return out.Flush()
}

// visibly writes to a terminal and makes control characters visible, so that recorded text cannot
// control the terminal. A transcript written to a file is unchanged.
type visibly struct{ to io.Writer }

// Write implements io.Writer. A character must not be split across two writes.
func (v visibly) Write(p []byte) (int, error) {
	if _, err := io.WriteString(v.to, line.Visible(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func writeTranscript(ctx context.Context, page transcript.Writer, store app.Store, id bellcord.SessionID) error {
	for after := int64(0); ; {
		events, err := store.Events(ctx, id, after, 1000)
		if err != nil {
			return err
		}
		if len(events) == 0 {
			return page.Close()
		}
		if err := page.Write(events); err != nil {
			return err
		}
		after = events[len(events)-1].Seq
	}
}
