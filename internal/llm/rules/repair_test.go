package rules_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/llm/rules"
	"github.com/bellcord/bellcord/store"
)

// conversation generates the events of a session: turns of several steps with
// thinking, text and calls, some of them stopped, failed or lost.
type conversation struct {
	t      *rapid.T
	events []bellcord.Event
	turn   bellcord.TurnID
	n      int
}

func (c *conversation) add(bodies ...bellcord.Body) {
	for _, b := range bodies {
		c.events = append(c.events, bellcord.Event{Seq: int64(len(c.events) + 1), Turn: c.turn, Body: b})
	}
}

func drawConversation(t *rapid.T) []bellcord.Event {
	c := &conversation{t: t}
	for range rapid.IntRange(1, 4).Draw(t, "turns") {
		c.prompt(rapid.SampledFrom([]string{"do it", "and now?", "  ", "漢字"}).Draw(t, "prompt"))
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			c.step()
		}
		end := rapid.SampledFrom([]bellcord.End{bellcord.EndDone, bellcord.EndStopped, bellcord.EndFailed, bellcord.EndLost}).Draw(t, "end")
		c.add(bellcord.TurnEnded{Receipt: bellcord.Receipt{End: end}})
	}
	return c.events
}

func (c *conversation) prompt(text string) {
	c.n++
	c.turn = bellcord.TurnID(fmt.Sprint("turn", c.n))
	c.add(bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: text}}, bellcord.TurnStarted{})
}

func (c *conversation) step() {
	model := rapid.SampledFrom([]string{"a/one", "b/two"}).Draw(c.t, "model")
	c.add(bellcord.StepStarted{Model: model})
	for range rapid.IntRange(0, 4).Draw(c.t, "pieces") {
		switch rapid.IntRange(0, 3).Draw(c.t, "piece") {
		case 0:
			c.add(bellcord.ThinkingDelta{Text: "hm "}, bellcord.ThinkingDelta{Text: "so"}, bellcord.ThinkingSigned{Signature: json.RawMessage(`{"s":1}`)})
		case 1:
			c.add(bellcord.ThinkingSigned{Signature: json.RawMessage(`{"redacted":1}`)})
		default:
			c.add(bellcord.TextDelta{Text: rapid.SampledFrom([]string{"word ", "\n", "漢", "the end."}).Draw(c.t, "said")})
		}
	}
	calls := rapid.IntRange(0, 3).Draw(c.t, "calls")
	for i := range calls {
		c.add(bellcord.ToolCallRequested{Call: fmt.Sprint("c", i), Name: "look", Arguments: json.RawMessage(`{"x":1}`), Signature: json.RawMessage(`"s"`)})
	}
	c.add(bellcord.StepEnded{Finish: "stop"})
	for i := range calls {
		id := fmt.Sprint("c", i)
		c.add(bellcord.ToolCallStarted{Call: id}, bellcord.ToolOutputDelta{Call: id, Text: "half"})
		text := rapid.SampledFrom([]string{"whole", "", " \n"}).Draw(c.t, "result")
		c.add(bellcord.ToolCallEnded{Call: id, Outcome: bellcord.CallFinished, Result: text})
	}
}

// then returns events followed by what comes after a cut: the end of the turn
// (after a crash, ended is false and there is no end), and the next prompt.
func then(events []bellcord.Event, ended bool) []bellcord.Event {
	c := &conversation{events: append([]bellcord.Event(nil), events...), n: 1000}
	if len(events) > 0 {
		c.turn = events[len(events)-1].Turn
	}
	if ended {
		c.add(bellcord.TurnEnded{Receipt: bellcord.Receipt{End: bellcord.EndStopped}})
	}
	c.prompt("go on")
	return c.events
}

func TestLaw21_CutAtAnyEvent_RepairedHistoryIsValidForEveryProvider(t *testing.T) {
	t.Parallel()
	broken := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		events := drawConversation(t)
		for k := range len(events) + 1 {
			for _, ended := range []bool{true, false} {
				recorded := history.Recorded(then(events[:k], ended))
				repaired := history.Repair(recorded)
				for name, rule := range rules.All {
					if rule(recorded) != nil {
						broken[name]++
					}
					if err := rule(repaired); err != nil {
						t.Fatalf("cut after %d events: %s: %v\n%+v", k, name, err, repaired)
					}
					if err := rule(history.ForModel(repaired, "a/one")); err != nil {
						t.Fatalf("cut after %d events, for one of the models: %s: %v", k, name, err)
					}
				}
				heldByRepair(t, recorded, repaired)
			}
		}
	})
	for name := range rules.All {
		if broken[name] == 0 {
			t.Errorf("%s found nothing to repair: the test tests nothing", name)
		}
	}
	t.Logf("histories that an API would have refused before repair: %v; after: none", broken)
}

// heldByRepair checks law 22: Repair only adds or drops messages, and repairing
// twice changes nothing.
func heldByRepair(t *rapid.T, recorded, repaired []bellcord.Message) {
	if again := history.Repair(repaired); !reflect.DeepEqual(again, repaired) {
		t.Fatalf("repaired twice:\n%+v\n%+v", repaired, again)
	}
	var given, kept strings.Builder
	for _, m := range recorded {
		if m.Role == bellcord.RoleAssistant && strings.TrimSpace(m.Text) != "" {
			given.WriteString(m.Text)
		}
	}
	for _, m := range repaired {
		if m.Role == bellcord.RoleAssistant {
			kept.WriteString(m.Text)
		}
		if !comesFrom(m, recorded) {
			t.Fatalf("%+v was not recorded", m)
		}
	}
	if given.String() != kept.String() {
		t.Fatalf("said %q, kept %q", given.String(), kept.String())
	}
}

// comesFrom reports whether a repaired message is a recorded one, possibly
// without parts that cannot be sent, or a placeholder for an empty prompt or a
// missing result.
func comesFrom(m bellcord.Message, recorded []bellcord.Message) bool {
	if m.Role == bellcord.RoleUser && m.Text == "(empty message)" {
		return true
	}
	if m.Role == bellcord.RoleTool && (m.Text == history.ResultText(bellcord.CallNotStarted, "") || m.Text == "(no output)") {
		return true
	}
	for _, r := range recorded {
		if m.Role == r.Role && m.Seq == r.Seq && m.Call == r.Call && (m.Text == r.Text || strings.TrimSpace(r.Text) == "" && m.Text == "") {
			return true
		}
	}
	return false
}

func TestLaw22_NextStep_RequestExtendsThePreviousOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := drawConversation(t)
		var before []bellcord.Message
		for k, ev := range events {
			if _, step := ev.Body.(bellcord.StepStarted); !step {
				continue
			}
			now := history.Repair(history.Recorded(events[:k]))
			if len(now) < len(before) || len(before) > 0 && !reflect.DeepEqual(now[:len(before)], before) {
				t.Fatalf("what was sent is no longer a prefix:\n%+v\n%+v", before, now)
			}
			before = now
		}
	})
}

// log is a session's log in memory.
type log struct {
	store.Reader
	events []bellcord.Event
}

func (l log) Events(_ context.Context, _ bellcord.SessionID, after int64, limit int) ([]bellcord.Event, error) {
	rest := l.events[min(after, int64(len(l.events))):]
	return rest[:min(len(rest), limit)], nil
}

func (l log) Tail(context.Context, bellcord.SessionID) (int64, error) {
	return int64(len(l.events)), nil
}

func TestLaw22_ConversationReadInPieces_IsThatReadAtOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := drawConversation(t)
		var c history.Conversation
		for k := range events {
			if rapid.Bool().Draw(t, "skip") {
				continue
			}
			got, err := c.Read(t.Context(), log{events: events[:k+1]}, "s")
			want := history.Repair(history.Recorded(events[:k+1]))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("after event %d: %v\n%+v\n%+v", k+1, err, got, want)
			}
		}
	})
}

func TestLaw22_Repair_ArbitraryMessages_ProducesValidHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) bellcord.Message {
			id := rapid.SampledFrom([]string{"", "a", "b", "a"})
			m := bellcord.Message{
				Role: rapid.SampledFrom([]bellcord.Role{bellcord.RoleUser, bellcord.RoleAssistant, bellcord.RoleTool}).Draw(t, "role"),
				Text: rapid.SampledFrom([]string{"", " ", "words"}).Draw(t, "text"),
				Call: id.Draw(t, "call"),
			}
			if m.Role != bellcord.RoleAssistant {
				return m
			}
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				m.Calls = append(m.Calls, bellcord.CallRequest{
					ID: id.Draw(t, "id"), Name: rapid.SampledFrom([]string{"look", "", "no name", "look"}).Draw(t, "name"),
					Arguments: json.RawMessage(rapid.SampledFrom([]string{`{}`, `{"a":`, `null`, ``, `{"a":1}`}).Draw(t, "args")),
				})
			}
			for range rapid.IntRange(0, 2).Draw(t, "thoughts") {
				m.Thinking = append(m.Thinking, bellcord.Thinking{
					At: rapid.IntRange(0, 9).Draw(t, "at"), Signature: json.RawMessage(rapid.SampledFrom([]string{"", "{}"}).Draw(t, "seal")),
				})
			}
			return m
		})
		any := rapid.SliceOfN(draw, 0, 8).Draw(t, "history")
		repaired := history.Repair(any)
		if again := history.Repair(repaired); !reflect.DeepEqual(again, repaired) {
			t.Fatalf("repaired twice:\n%+v\n%+v", repaired, again)
		}
		next := slices.Concat(repaired, []bellcord.Message{{Role: bellcord.RoleUser, Text: "go on"}})
		for name, rule := range rules.All {
			if err := rule(next); err != nil {
				t.Fatalf("%s: %v\n%+v", name, err, next)
			}
		}
	})
}
