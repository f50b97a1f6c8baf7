package main

import (
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/config"
)

func TestUsageIsSummedUpWithABarForEachShare(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.Local)
	spent := func(model string, input int64, exact bool) bellcord.Spending {
		return bellcord.Spending{At: at, Spent: bellcord.Spent{Model: model, Usage: bellcord.Usage{Input: input, CacheRead: input / 2, Output: 10, Cost: input * 1000, Exact: exact}}}
	}
	all := []bellcord.Spending{spent("a/small", 90, true), spent("b/big", 1_000_000, true), spent("b/big", 990, false)}
	byModel := sums(all, func(s bellcord.Spending) string { return s.Model })
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

func TestAModelIsFoundByItsProvidersName(t *testing.T) {
	t.Parallel()
	c := config.Config{
		Provider: map[string]config.Provider{"openai": {API: config.Responses}, "claude": {API: config.Anthropic}, "g": {API: config.Gemini}, "local": {API: config.Chat}},
		Facts:    map[string]config.Facts{"local/x": {Window: 5000, Input: 3, Output: 15, CacheRead: 0.3}},
	}
	m := newModels(c)
	defer m.close()
	for name, want := range map[string]struct {
		model  string
		window int64
		fails  string
	}{
		"openai/gpt": {"gpt", 128_000, ""}, "claude/opus": {"opus", 200_000, ""}, "g/flash": {"flash", 1_000_000, ""},
		"local/x": {"x", 5000, ""}, "local/a/b": {"a/b", 128_000, ""},
		"": {fails: "no model"}, "gpt": {fails: "provider/model"}, "openai/": {fails: "provider/model"}, "other/x": {fails: "there is claude, g, local, openai"},
	} {
		found, err := m.find(name)
		if want.fails != "" {
			if err == nil || !strings.Contains(err.Error(), want.fails) {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		if err != nil || found.Name != want.model || found.Window != want.window || found.Model == nil {
			t.Errorf("%q: %+v, %v", name, found, err)
		}
	}
	if p := m.price("local/x"); p == nil || *p != (bellcord.Price{Input: 3000, Output: 15_000, CacheRead: 300, CacheWrite: 3000}) {
		t.Errorf("the price is %+v", p)
	}
	m.config.Limits.Cost = 1
	if _, err := m.find("local/other"); err == nil || !strings.Contains(err.Error(), "no price is known") {
		t.Errorf("a limit on cost and no price: %v", err)
	}
}
