package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/store"
)

type usageFlags struct {
	settings
	days    int
	session string
	json    bool
}

func usageCommand() *cobra.Command {
	var f usageFlags
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Show tokens and costs by day, model and session",
		Long: `Sums up the tokens and costs of ended turns, including those of deleted sessions. "≈"
marks sums that contain an estimate, because a stop cut off the model's own count.
Costs are only known for models with prices in the configuration
([model_info."provider/model"]).`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.withStore(cmd.Context(), func(store app.Store) error { return f.showUsage(cmd.Context(), os.Stdout, store) })
		},
	}
	f.dataFlags(cmd)
	cmd.Flags().IntVar(&f.days, "days", 30, "number of `days` to include, up to today; 0 for all")
	cmd.Flags().StringVar(&f.session, "session", "", "`id` of the only session to include (default: all sessions)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the usage of every turn as lines of JSON")
	return cmd
}

func (f *usageFlags) showUsage(ctx context.Context, out io.Writer, kept app.Store) error {
	query := store.SpendingQuery{Session: bellcord.SessionID(f.session)}
	if f.days > 0 {
		year, month, day := time.Now().Date()
		query.Since = time.Date(year, month, day-f.days+1, 0, 0, 0, 0, time.Local)
	}
	all, err := kept.Spending(ctx, query)
	if err != nil {
		return err
	}
	if f.json {
		return printSpendings(out, all)
	}
	if len(all) == 0 {
		fmt.Fprintln(out, "no usage recorded")
		return nil
	}
	titles, err := sessionTitles(ctx, kept)
	if err != nil {
		return err
	}
	byDay := sums(all, func(s store.Spending) string { return s.At.Local().Format(time.DateOnly) })
	slices.SortFunc(byDay, func(a, b sum) int { return cmp.Compare(a.name, b.name) })
	byModel := sums(all, func(s store.Spending) string { return s.Model })
	bySession := sums(all, func(s store.Spending) string { return titles(s.Session) })
	const mostSessions = 15
	return chart(out, []table{
		{"DAY", byDay},
		{"MODEL", byModel},
		{"SESSION", bySession[:min(len(bySession), mostSessions)]},
		{"", []sum{total(all)}},
	})
}

// sessionTitles returns a function that formats a session for display. A deleted session is shown
// with its id.
func sessionTitles(ctx context.Context, kept app.Store) (func(bellcord.SessionID) string, error) {
	sessions, err := kept.Sessions(ctx, store.SessionQuery{})
	titles := map[bellcord.SessionID]string{}
	for _, s := range sessions {
		titles[s.ID] = s.Title
	}
	return func(id bellcord.SessionID) string {
		if title := titles[id]; title != "" {
			return title + " (…" + string(id)[max(len(id)-8, 0):] + ")" // the end of the id: ids begin with the time
		}
		return string(id)
	}, err
}

// sum is the usage of one day, model, session or other group.
type sum struct {
	name string
	bellcord.Usage
}

// sums adds up usage by name. The largest number of tokens comes first.
func sums(all []store.Spending, name func(store.Spending) string) []sum {
	var out []sum
	places := map[string]int{} // in out
	for _, s := range all {
		of := name(s)
		i, known := places[of]
		if !known {
			places[of] = len(out)
			out = append(out, sum{of, s.Usage})
			continue
		}
		out[i].Usage = out[i].Add(s.Usage)
	}
	slices.SortStableFunc(out, func(a, b sum) int { return cmp.Compare(b.Total(), a.Total()) })
	return out
}

func total(all []store.Spending) sum {
	return sums(all, func(store.Spending) string { return "total" })[0]
}

func printSpendings(out io.Writer, all []store.Spending) error {
	enc := json.NewEncoder(out)
	for _, s := range all {
		if err := enc.Encode(struct {
			At      time.Time          `json:"at"`
			Turn    bellcord.TurnID    `json:"turn"`
			Session bellcord.SessionID `json:"session"`
			bellcord.ModelUsage
		}{s.At, s.Turn, s.Session, s.ModelUsage}); err != nil {
			return err
		}
	}
	return nil
}
