//go:build unix

package main

import (
	"regexp"
	"strconv"
	"testing"
)

// The model reports fewer tokens than the estimate before its answer.
func TestChat_CostOfARunningTurn_NeverDecreases(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	prices := "[model_info.\"openai/fake\"]\ninput_usd_per_million = 1000\noutput_usd_per_million = 1000\n"
	c := w.chats("--mode", "full", "--config", w.writeFile("config.toml", prices, 0o600))
	c.enters(`[usage 100 20] [tool shell {"command":"true"}] [then [usage 100 20] [tool shell {"command":"true"}] [then [slow 400 10ms]]]`)
	cost, end := regexp.MustCompile(`● running .*~\$([0-9.]+)`), regexp.MustCompile(`● done .* \$([0-9.]+)`)
	var seen []float64
	comesTrue(t, "the end of the turn", func() bool {
		screen := c.tmux("capture-pane", "-p")
		if found := cost.FindStringSubmatch(screen); found != nil {
			dollars, err := strconv.ParseFloat(found[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			seen = append(seen, dollars)
		}
		return end.MatchString(screen)
	})
	for i := 1; i < len(seen); i++ {
		if seen[i] < seen[i-1] {
			t.Fatalf("the cost decreased: %v", seen)
		}
	}
	if len(seen) < 5 || seen[0] == seen[len(seen)-1] {
		t.Errorf("the screen showed %v, too little to compare", seen)
	}
}

func TestChat_Continue_ShowsTheLastSessionOfTheDirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.chats()
	c.enters("[say The earlier words.]")
	c.sees("● done")
	c.leaves()
	again := w.chats("--continue")
	again.sees("\nThe earlier words.")
	again.enters("[say And more.]")
	again.sees("\nAnd more.")
	again.leaves()
	w.onlySession()
}
