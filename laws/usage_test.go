package laws_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/store"
)

func TestLaw27_ReportedUsage_IsRecordedUnchanged(t *testing.T) {
	t.Parallel()
	for _, format := range formats {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			onStageIn(t, format, func(s *stage) {
				r := s.done("[usage 100 50][cache 30 0][think 3][say hello]")
				want := bellcord.Usage{InputTokens: 100, CacheReadTokens: 30, OutputTokens: 50, Exact: true}
				if r.Usage != want || len(r.UsageByModel) != 1 || r.UsageByModel[0] != (bellcord.ModelUsage{Model: format + "/fake", Usage: want}) {
					s.t.Errorf("recorded %+v, %+v", r.Usage, r.UsageByModel)
				}
				spent, err := s.Spending(s.t.Context(), store.SpendingQuery{Session: s.session})
				if err != nil || len(spent) != 1 || spent[0].Usage != want {
					s.t.Errorf("spent %+v, %v", spent, err)
				}
			})
		})
	}
}

// spentAt returns the running token estimate after each event of a turn, as the
// budget counts it: the input, plus one token per four bytes of output.
func spentAt(bodies []bellcord.Body) []int64 {
	var spent []int64
	var input, output int64
	for _, b := range bodies {
		switch b := b.(type) {
		case bellcord.StepStarted:
			input = b.EstimatedInput
		case bellcord.UsageReported:
			input = b.Usage.InputTokens
		case bellcord.TextDelta:
			output += int64(len(b.Text))
		case bellcord.ThinkingDelta:
			output += int64(len(b.Text))
		}
		spent = append(spent, input+(output+3)/4)
	}
	return spent
}

func TestLaw12_TokenBudgetExceeded_StopsWithinOneEvent(t *testing.T) {
	t.Parallel()
	for _, format := range formats {
		for name, prompt := range map[string]string{"in text": "[usage 100 0][slow 5000 20ms]", "in thinking": "[usage 100 0][think 5000 20ms]"} {
			t.Run(format+"/"+name, func(t *testing.T) {
				t.Parallel()
				onStageIn(t, format, func(s *stage) {
					const budget = 1000
					turn := s.sendPrompt(bellcord.Prompt{Text: prompt, MaxTokens: budget})
					<-turn.Settled()
					r := turn.Receipt()
					if r.End != bellcord.EndStopped || r.Cause.Kind != bellcord.CauseBudget || !strings.Contains(r.Cause.Reason, "1000 tokens") {
						s.t.Fatalf("%+v", r)
					}
					over := 0
					for _, spent := range spentAt(worked(s.bodies(turn.ID))) {
						if spent >= budget {
							over++
						}
					}
					if over != 1 {
						s.t.Errorf("%d events at or beyond the budget", over)
					}
					s.done("and now?")
				})
			})
		}
	}
}

// worked removes the events that the hub itself adds.
func worked(bodies []bellcord.Body) []bellcord.Body {
	var out []bellcord.Body
	for _, b := range bodies {
		switch b.(type) {
		case bellcord.StopRequested, bellcord.TurnEnded:
		default:
			out = append(out, b)
		}
	}
	return out
}

func TestLaw12_CostOrSessionBudgetExceeded_StopsTurn(t *testing.T) {
	t.Parallel()
	priced := func(s *stage) {
		plain := s.agent.Model
		s.agent.Model = func(name string) (react.Model, error) {
			m, err := plain(name)
			m.Price = &bellcord.Price{Input: 3000, Output: 15_000, CacheRead: 300, CacheWrite: 3000} // 3 and 15 dollars per million tokens
			return m, err
		}
	}
	for name, c := range map[string]struct {
		first, second bellcord.Prompt
		why           string
	}{
		"a turn's money":     {bellcord.Prompt{Text: "[say hi]"}, bellcord.Prompt{Text: "[slow 5000 20ms]", MaxCostNanoUSD: 10_000_000}, "the turn's budget of $0.0100"},
		"a session's tokens": {bellcord.Prompt{Text: "[usage 900 90]"}, bellcord.Prompt{Text: "[slow 5000 20ms]", SessionBudget: bellcord.SpendingLimit{MaxTokens: 4000}}, "the session's budget of 4000 tokens"},
		"a session's money":  {bellcord.Prompt{Text: "[usage 900 90]"}, bellcord.Prompt{Text: "[slow 5000 20ms]", SessionBudget: bellcord.SpendingLimit{MaxCostNanoUSD: 12_000_000}}, "the session's budget of $0.0120"},
		"a session that has nothing left": {
			bellcord.Prompt{Text: "[usage 900 90]"}, bellcord.Prompt{Text: "[say never]", SessionBudget: bellcord.SpendingLimit{MaxTokens: 900}}, "the session's budget of 900 tokens",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onStage(t, func(s *stage) {
				priced(s)
				<-s.sendPrompt(c.first).Settled()
				before := len(s.model.Requests())
				turn := s.sendPrompt(c.second)
				<-turn.Settled()
				if r := turn.Receipt(); r.End != bellcord.EndStopped || r.Cause.Kind != bellcord.CauseBudget || !strings.Contains(r.Cause.Reason, c.why) {
					s.t.Errorf("%+v", r)
				}
				if requests := len(s.model.Requests()) - before; (requests == 0) != strings.Contains(name, "nothing left") {
					s.t.Errorf("asked the model %d times", requests)
				}
			})
		})
	}
}
