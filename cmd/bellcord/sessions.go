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
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/transcript"
)

func sessionsCommand() *cobra.Command {
	var s settings
	list := &cobra.Command{
		Use:   "sessions",
		Short: "List the sessions, with the turns that run or wait",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withStore(cmd.Context(), func(store store) error { return listSessions(cmd.Context(), store) })
		},
	}
	s.dataFlags(list)
	var of settings
	show := &cobra.Command{
		Use:   "show SESSION",
		Short: "Print a session's transcript",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return of.withStore(cmd.Context(), func(store store) error {
				var out io.Writer = os.Stdout
				if isatty.IsTerminal(os.Stdout.Fd()) {
					out = visibly{out}
				}
				return showSession(cmd.Context(), out, store, bellcord.SessionID(args[0]))
			})
		},
	}
	of.dataFlags(show)
	list.AddCommand(show)
	return list
}

func (s *settings) withStore(ctx context.Context, do func(store) error) error {
	c, err := s.load()
	if err != nil {
		return err
	}
	h, err := openHouse(ctx, c) // which ends what dead processes left
	if err != nil {
		return err
	}
	err = do(h.store)
	if cerr := h.close(); err == nil {
		err = cerr
	}
	return err
}

func listSessions(ctx context.Context, store store) error {
	sessions, err := store.Sessions(ctx, bellcord.SessionQuery{})
	if err != nil {
		return err
	}
	unended, err := store.Unended(ctx, "")
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
				fmt.Fprintf(out, "  %s\t%s\t%s\tsince %s\n", t.ID, state(t), oneLine(t.Prompt.Text), t.Accepted.Format(time.TimeOnly))
			}
		}
	}
	return out.Flush()
}

func state(t bellcord.TurnRecord) string {
	if t.Stop != nil {
		return "stopping"
	}
	return string(t.State)
}

// visibly writes for a terminal, which nothing on record steers. A file gets a
// transcript as it is.
type visibly struct{ to io.Writer }

// Write implements io.Writer. A character is never in two writes.
func (v visibly) Write(p []byte) (int, error) {
	if _, err := io.WriteString(v.to, line.Visible(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func showSession(ctx context.Context, out io.Writer, store store, id bellcord.SessionID) error {
	s, err := store.Session(ctx, id)
	if err != nil {
		return err
	}
	page := transcript.NewMarkdown(out, s)
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
