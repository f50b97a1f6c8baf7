package main

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

func TestUsage_Chart_ShowsBarPerShare(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.Local)
	spent := func(model string, input int64, exact bool) store.Spending {
		return store.Spending{At: at, ModelUsage: bellcord.ModelUsage{Model: model, Usage: bellcord.Usage{InputTokens: input, CacheReadTokens: input / 2, OutputTokens: 10, CostNanoUSD: input * 1000, Exact: exact}}}
	}
	all := []store.Spending{spent("a/small", 90, true), spent("b/big", 1_000_000, true), spent("b/big", 990, false)}
	byModel := sums(all, func(s store.Spending) string { return s.Model })
	var out strings.Builder
	if err := chart(&out, []table{{"MODEL", byModel}, {"", []sum{total(all)}}}); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"MODEL        INPUT    CACHED    OUTPUT        COST",
		"b/big      1001.0k   500.5k        20     $1.00 ≈  ████████████████████████",
		"a/small         90        45        10   $0.000090  ▏",
		"",
		"total      1001.1k   500.5k        30     $1.00 ≈",
		"",
	}, "\n")
	if got := out.String(); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
	if got := shortName(strings.Repeat("long ", 30)); len([]rune(got)) != mostName {
		t.Errorf("a name of %d characters", len([]rune(got)))
	}
}

// A search through the sums for each turn would take minutes here.
func TestUsage_ManySessions_AreAddedInOnePass(t *testing.T) {
	t.Parallel()
	const turns = 400_000
	all := make([]store.Spending, turns)
	for i := range all {
		all[i] = store.Spending{Session: bellcord.SessionID(strconv.Itoa(i / 2)), ModelUsage: bellcord.ModelUsage{Usage: bellcord.Usage{InputTokens: 1}}}
	}
	if got := sums(all, func(s store.Spending) string { return string(s.Session) }); len(got) != turns/2 || got[0].InputTokens != 2 {
		t.Errorf("%d sums, the first %+v", len(got), got[0])
	}
}
