package acp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/store"
)

// costs returns a table of what the session's ended turns have used, by model,
// with a note if running turns are not included yet.
func (s *session) costs() (string, error) {
	if err := s.server.allow(bellcord.ScopeRead); err != nil {
		return "", err
	}
	running := s.hub.Unsettled()
	spent, err := s.hub.Spending(context.Background(), store.SpendingQuery{Session: s.id})
	if err != nil {
		return "", err
	}
	text := "No usage yet.\n"
	if sums := byModel(spent); len(sums) > 0 {
		text = costTable(sums)
	}
	uncounted := func(t *hub.Turn) bool {
		counted := func(one store.Spending) bool { return one.Turn == t.ID }
		return t.Session == s.id && !slices.ContainsFunc(spent, counted)
	}
	if slices.ContainsFunc(running, uncounted) {
		text += "Running turns are counted when they end.\n"
	}
	return text, nil
}

// byModel adds up usage by model, in the order in which the models first
// appear.
func byModel(spent []store.Spending) []bellcord.ModelUsage {
	var sums []bellcord.ModelUsage
	for _, one := range spent {
		i := slices.IndexFunc(sums, func(sum bellcord.ModelUsage) bool { return sum.Model == one.Model })
		if i < 0 {
			sums = append(sums, one.ModelUsage)
			continue
		}
		sums[i].Usage = sums[i].Add(one.Usage)
	}
	return sums
}

// costTable formats the sums as a fenced block, so that a client that renders
// Markdown keeps the columns.
func costTable(sums []bellcord.ModelUsage) string {
	var table strings.Builder
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	row := func(name string, u bellcord.Usage) {
		fmt.Fprintf(columns, "%s\t%d (%d)\t%d\t%s\n", name, u.InputTokens, u.CacheReadTokens, u.OutputTokens, costInWords(u))
	}
	total := bellcord.Usage{Exact: true}
	fmt.Fprintln(columns, "model\tinput (cached)\toutput\tcost")
	for _, sum := range sums {
		row(sum.Model, sum.Usage)
		total = total.Add(sum.Usage)
	}
	if len(sums) > 1 {
		row("total", total)
	}
	_ = columns.Flush() // a strings.Builder never fails
	return "```\n" + table.String() + "```\n"
}

func costInWords(u bellcord.Usage) string {
	cost := "price unknown"
	if u.CostNanoUSD > 0 {
		cost = plural.Dollars(u.CostNanoUSD)
	}
	if !u.Exact {
		cost += ", estimated"
	}
	return cost
}
