package history_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
)

func TestAnswerBuilder_EventsOfATurn_BecomeMessagesInOrder(t *testing.T) {
	t.Parallel()
	step := func(model string) bellcord.Body { return bellcord.StepStarted{Model: model} }
	call := func(id string) bellcord.Body {
		return bellcord.ToolCallRequested{Call: id, Name: "shell", Arguments: json.RawMessage(`{}`)}
	}
	started := func(id string) bellcord.Body { return bellcord.ToolCallStarted{Call: id} }
	finished := func(id string, failed bool) bellcord.Body {
		return bellcord.ToolCallEnded{Call: id, Outcome: bellcord.CallFinished, Failed: failed, Result: "output"}
	}
	ended := bellcord.TurnEnded{}
	answered := func(id string, fate bellcord.CallOutcome, failed bool) bellcord.AnswerCall {
		return bellcord.AnswerCall{ID: id, Name: "shell", Arguments: json.RawMessage(`{}`), Outcome: fate, Failed: failed}
	}
	for _, c := range []struct {
		name   string
		bodies []bellcord.Body
		want   bellcord.TurnAnswer
	}{
		{"nothing", []bellcord.Body{bellcord.TurnStarted{}, ended}, bellcord.TurnAnswer{Messages: []bellcord.AnswerMessage{}}},
		{
			"one step",
			[]bellcord.Body{step("a/b"), bellcord.ThinkingDelta{Text: "h"}, bellcord.ThinkingDelta{Text: "m"}, textDelta("Hel"), textDelta("lo."), ended},
			bellcord.TurnAnswer{Text: "Hello.", Messages: []bellcord.AnswerMessage{{Model: "a/b", Thinking: "hm", Text: "Hello."}}},
		},
		{
			"two steps whose calls have the same id",
			[]bellcord.Body{
				step("a/b"), textDelta("I look."), call("1"), started("1"), finished("1", true),
				step("a/c"), call("1"), started("1"), finished("1", false),
				step("a/c"), textDelta("Found."), ended,
			},
			bellcord.TurnAnswer{Text: "Found.", Messages: []bellcord.AnswerMessage{
				{Model: "a/b", Text: "I look.", Calls: []bellcord.AnswerCall{answered("1", bellcord.CallFinished, true)}},
				{Model: "a/c", Calls: []bellcord.AnswerCall{answered("1", bellcord.CallFinished, false)}},
				{Model: "a/c", Text: "Found."},
			}},
		},
		{
			"an agent without steps that speaks after a call",
			[]bellcord.Body{textDelta("I look."), call("1"), call("2"), started("1"), finished("1", false), textDelta("Found."), ended},
			bellcord.TurnAnswer{Text: "Found.", Messages: []bellcord.AnswerMessage{
				{Text: "I look.", Calls: []bellcord.AnswerCall{answered("1", bellcord.CallFinished, false), answered("2", bellcord.CallNotStarted, false)}},
				{Text: "Found."},
			}},
		},
		{
			"an end in the middle of a call",
			[]bellcord.Body{step("a/b"), textDelta("I run it."), call("1"), call("2"), started("1"), ended},
			bellcord.TurnAnswer{Text: "I run it.", Messages: []bellcord.AnswerMessage{
				{Model: "a/b", Text: "I run it.", Calls: []bellcord.AnswerCall{answered("1", bellcord.CallUnknown, false), answered("2", bellcord.CallNotStarted, false)}},
			}},
		},
		{
			"a call that still runs",
			[]bellcord.Body{step("a/b"), call("1"), started("1")},
			bellcord.TurnAnswer{Messages: []bellcord.AnswerMessage{{Model: "a/b", Calls: []bellcord.AnswerCall{answered("1", "", false)}}}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var b history.AnswerBuilder
			for _, body := range c.bodies {
				b.Add(body)
			}
			if got := b.Answer(); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}
