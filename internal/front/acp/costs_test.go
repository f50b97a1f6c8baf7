package acp_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
)

// pays is an agent with a step that costs 3 dollars and a side request that
// costs 1. With the prompt "wait" it is cut off in a step that has cost 2 so
// far.
func pays(ctx context.Context, w *hub.Work) error {
	dollar := &bellcord.Price{Input: 1e9, Output: 1e9}
	if err := all(ctx, w, bellcord.StepStarted{Model: "fake/big", Price: dollar, EstimatedInput: 2}); err != nil {
		return err
	}
	if w.Prompt.Text == "wait" {
		return waits(ctx, w)
	}
	return all(ctx, w,
		bellcord.SideRequestStarted{Purpose: "title", Model: "fake/small", Price: dollar},
		bellcord.SideRequestEnded{Purpose: "title", Usage: bellcord.Usage{OutputTokens: 1, Exact: true}},
		bellcord.StepEnded{Finish: "stop", Usage: &bellcord.Usage{InputTokens: 2, OutputTokens: 1, Exact: true}})
}

// costs returns the usage updates from a frame on.
func (e *editor) costs(from int) (costs []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.frames[from:] {
		if strings.HasPrefix(inWords(f), "usage_update") {
			u := f.Params["update"].(obj)
			costs = append(costs, fmt.Sprint(u["used"], " of ", u["size"], " for ", u["cost"]))
		}
	}
	return costs
}

func TestUsage_PriceAndContextSizeConfigured_ReportsContextAndSessionCost(t *testing.T) {
	t.Parallel()
	sized := func(c *acp.Config) {
		c.ContextSize = func(model string) int64 { return map[string]int64{"fake/big": 1000}[model] }
	}
	edit(t, pays, sized, func(t *testing.T, e *editor) {
		expect := func(from int, want ...string) {
			t.Helper()
			synctest.Wait()
			if got := e.costs(from); !reflect.DeepEqual(got, want) {
				t.Errorf("told %q, want %q", got, want)
			}
		}
		const first, third = "3 of 1000 for map[amount:4 currency:USD]", "3 of 1000 for map[amount:13 currency:USD]"
		e.ends(e.prompt("go"), "end_turn")
		expect(0, first)
		cut := e.prompt("wait")
		e.shown("here: wait") // 10 bytes: 3 estimated output tokens, and 2 of input
		e.notify("session/cancel", e.here())
		e.ends(cut, "cancelled")
		e.ends(e.prompt("go"), "end_turn")
		expect(0, first, third)

		from := e.count()
		e.request("session/load", obj{"sessionId": e.session, "cwd": e.dir})
		expect(from, first, third)
		e.request("session/close", e.here())
		from = e.count()
		e.request("session/resume", obj{"sessionId": e.session, "cwd": e.dir})
		e.ends(e.prompt("go"), "end_turn")
		expect(from, "3 of 1000 for map[amount:17 currency:USD]")
	})
}

func TestUsage_NoPriceAndUnknownContext_OmitsCostAndUsesDefaultSize(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		return all(ctx, w, bellcord.StepStarted{Model: "fake/one"}, bellcord.StepEnded{Usage: &bellcord.Usage{InputTokens: 2, Exact: true}})
	}
	for name, size := range map[string]func(string) int64{"nobody to ask": nil, "nobody knows": func(string) int64 { return 0 }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edit(t, agent, func(c *acp.Config) { c.ContextSize = size }, func(t *testing.T, e *editor) {
				e.ends(e.prompt("go"), "end_turn")
				if got := e.costs(0); !reflect.DeepEqual(got, []string{"2 of 128000 for <nil>"}) {
					t.Errorf("told %q", got)
				}
			})
		})
	}
}

func TestCostCommand_SeveralModels_ShowsATableByModel(t *testing.T) {
	t.Parallel()
	edit(t, pays, nil, func(t *testing.T, e *editor) {
		last := func() string {
			t.Helper()
			from := e.count()
			e.ends(e.prompt("/cost"), "end_turn")
			words := e.since(from)
			if len(words) != 1 {
				t.Fatalf("said %q", words)
			}
			return words[0]
		}
		expect := func(want ...string) {
			t.Helper()
			if got := last(); got != fmt.Sprintf("agent_message_chunk %q", strings.Join(want, "\n")+"\n") {
				t.Errorf("said %s", got)
			}
		}
		e.shown("available_commands_update") // follows the answer to session/new
		expect("No usage yet.")
		e.ends(e.prompt("go"), "end_turn")
		expect(
			"```",
			"model       input (cached)  output  cost",
			"fake/big    2 (0)           1       $3.00",
			"fake/small  0 (0)           1       $1.00",
			"total       2 (0)           2       $4.00",
			"```")
		id := e.prompt("wait")
		e.shown("here: wait")
		if got := last(); !strings.Contains(got, `$4.00\n`+"```"+`\nRunning turns are counted when they end.\n`) {
			t.Errorf("while a turn runs: %s", got)
		}
		e.notify("session/cancel", e.here())
		e.ends(id, "cancelled")
		expect(
			"```",
			"model       input (cached)  output  cost",
			"fake/big    4 (0)           4       $8.00, estimated",
			"fake/small  0 (0)           1       $1.00",
			"total       4 (0)           5       $9.00, estimated",
			"```")
	})
}
