package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/app/backend"
	"github.com/bellcord/bellcord/internal/clip"
	"github.com/bellcord/bellcord/internal/front/line"
)

type psFlags struct {
	settings
	serverFlags
	all, json bool
}

func psCommand() *cobra.Command {
	var f psFlags
	cmd := &cobra.Command{
		Use:   "ps",
		Short: "List the turns that have not ended, and what they wait for",
		Long: `Lists the turns that have not ended: those of the server that --server names, or of
the server on the data directory, or else of all processes on the data directory.
With a token that has the scope admin, a server lists your own turns, and those of
all owners with --all.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.printTurns(cmd.Context()) },
	}
	f.dataFlags(cmd)
	f.flags(cmd)
	cmd.Flags().BoolVar(&f.all, "all", false, "also show turns of other owners, if your token may see them")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the turns as JSON")
	return cmd
}

// listed is a turn with its owner.
type listed struct {
	api.Turn
	Owner string `json:"owner,omitempty"`
}

func (f *psFlags) printTurns(ctx context.Context) error {
	c, err := f.load()
	if err != nil {
		return err
	}
	at, err := backend.Open(ctx, f.backend(c, "ps"))
	if err != nil {
		return err
	}
	if local, is := at.(backend.Local); is {
		if text := local.App.Recovered().Text(); text != "" {
			fmt.Fprintln(os.Stderr, text)
		}
	}
	shown, hidden, err := f.gather(ctx, at)
	if err = errors.Join(err, at.Close()); err != nil {
		return err
	}
	if f.json {
		return json.NewEncoder(os.Stdout).Encode(map[string][]listed{"turns": shown})
	}
	return listTurns(os.Stdout, shown, hidden, time.Now())
}

// gather returns the turns to show and the number of hidden turns, which belong to other owners.
// Nothing is hidden with --all or on the local machine.
func (f *psFlags) gather(ctx context.Context, at backend.Backend) ([]listed, int, error) {
	turns, err := at.Turns(ctx)
	if err != nil {
		return nil, 0, err
	}
	me := ""
	if remote, ok := at.(backend.Remote); ok && f.server != "" && !strings.HasPrefix(f.server, "unix:") && !f.all {
		caller, err := remote.Client.Me(ctx)
		if err != nil {
			return nil, 0, err
		}
		me = caller.Owner
	}
	owners := map[bellcord.SessionID]string{}
	shown, hidden := []listed{}, 0
	for _, t := range turns {
		owner, known := owners[t.Session]
		if !known {
			if s, err := at.Session(ctx, t.Session); err == nil { // on an error the session was deleted in the meantime
				owner = s.Owner
			}
			owners[t.Session] = owner
		}
		if me != "" && owner != "" && owner != me {
			hidden++
			continue
		}
		shown = append(shown, listed{t, owner})
	}
	return shown, hidden, nil
}

func listTurns(to io.Writer, turns []listed, hidden int, now time.Time) error {
	others := ""
	if hidden > 0 {
		others = fmt.Sprintf("%d more of other owners (--all shows them)", hidden)
	}
	if len(turns) == 0 {
		if others != "" {
			others = " " + others
		}
		_, err := fmt.Fprintln(to, "Nothing is running."+others)
		return err
	}
	var table strings.Builder
	out := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "TURN\tSESSION\tSTATE\tSINCE\tOWNER\tTITLE")
	for _, t := range turns {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Session, standing(t.Turn), since(t.Accepted, now),
			orDash(t.Owner), oneLine(clip.FirstWords(t.Text)))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	rows := strings.SplitAfter(table.String(), "\n")
	fmt.Fprintf(to, "%s", rows[0])
	for i, t := range turns {
		fmt.Fprintf(to, "%s%s", rows[i+1], waitsFor(t.Turn))
	}
	if others != "" {
		fmt.Fprintln(to, others)
	}
	return nil
}

// standing returns the turn's state as all commands show it.
func standing(t api.Turn) string {
	if t.Held && t.State == api.Queued {
		return "held"
	}
	return string(t.State)
}

// waitsFor returns one line for each question that the turn waits for and for a stop in progress.
func waitsFor(t api.Turn) string {
	text := ""
	if t.State == api.Waiting {
		for _, q := range t.Questions {
			text += "  waiting for your answer: " + oneLine(q.Text) + "\n"
		}
	}
	if t.State == api.Stopping && t.StopRequest != nil {
		requester := t.StopRequest.By
		if requester == "" {
			requester = string(t.StopRequest.Kind)
		}
		if t.StopRequest.Source != "" {
			requester += ", " + t.StopRequest.Source
		}
		text += "  stop requested by " + oneLine(requester) + "\n"
	}
	return text
}

// since returns the time of day, or the date and time if at is at least a day ago.
func since(at, now time.Time) string {
	if now.Sub(at) < 24*time.Hour {
		return at.Local().Format(time.TimeOnly)
	}
	return at.Local().Format("2006-01-02 15:04")
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return oneLine(s)
}

// oneLine removes line breaks and control characters, so that a text fits into a table row.
func oneLine(s string) string { return line.Visible(strings.Join(strings.Fields(s), " ")) }
