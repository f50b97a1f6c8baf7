package storetest

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/bellcord/bellcord"
)

var bodyChecks = []check{
	{"every kind of event survives a round trip", roundTrips},
	{"a call's arguments come back byte for byte", argsKept},
	{"an event of an unknown kind is an error and not a gap", unknownKind},
}

// awkward is text that stores and encodings like to spoil.
const awkward = "tab\t, \x00, \"quotes\", 'single', \\, <&>, ü, 漢, 🔔, \u2028\r\n$1 ? %s "

func everyBody() []bellcord.Body {
	at := time.Date(2026, 5, 4, 3, 2, 1, 987654321, time.UTC)
	cause := bellcord.Cause{Kind: bellcord.Budget, By: "anna", From: "web", Why: awkward, At: at, Mode: bellcord.AfterStep}
	usage := bellcord.Usage{Input: 1 << 40, CacheRead: 3, CacheWrite: 4, Output: 2, Cost: 5, Exact: true}
	price := &bellcord.Price{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}
	return []bellcord.Body{
		bellcord.Prompted{Prompt: bellcord.Prompt{
			Text: awkward, Images: []bellcord.Image{{Type: "image/png", Data: []byte(awkward)}},
			Links: []bellcord.Link{{Name: awkward, URI: "file:///a%20b#L1:2"}}, Task: bellcord.Compact, Policy: bellcord.Replace,
			Deadline: time.Minute, Tokens: 9, Cost: 8, Session: bellcord.Allowance{Tokens: 7, Cost: 6}, Steps: 3, OnDisconnect: bellcord.StopOnDisconnect,
		}},
		bellcord.Started{},
		bellcord.StopAsked{Cause: cause},
		bellcord.Ended{Receipt: everyField(at, &cause, usage)},
		bellcord.StepStarted{Step: 4, Model: "a/b", Input: 77, Price: price},
		bellcord.Attached{Link: bellcord.Link{Name: "a", URI: "file:///a"}, Text: awkward},
		bellcord.Metered{Usage: usage},
		bellcord.Thought{Text: awkward},
		bellcord.Sealed{Seal: json.RawMessage(`{"signature":"ü"}`)},
		bellcord.Said{Text: awkward},
		bellcord.Said{},
		bellcord.Called{Call: "c", Name: "shell", Title: awkward, Sort: "edit", Args: json.RawMessage(`{"a":[1,"ü"]}`), Seal: json.RawMessage(`"s"`), Problem: awkward},
		bellcord.CallStarted{Call: "c"},
		bellcord.CallOutput{Call: "c", Text: awkward},
		bellcord.CallEnded{
			Call: "c", Fate: bellcord.CallStopped, Failed: true, Text: awkward,
			Processes: &bellcord.Processes{Ended: []bellcord.Process{{PID: 5, Name: "sh", How: "forced"}}, Proof: "cgroup"},
		},
		bellcord.Asked{Question: bellcord.Question{
			ID: "q", Call: "c", Text: awkward, Choices: []bellcord.Choice{{ID: "y", Text: "yes", Kind: "allow_once"}},
		}},
		bellcord.Answered{Question: "q", Choice: "y", By: "anna"},
		bellcord.Retrying{Attempt: 2, Wait: 1500 * time.Millisecond, Why: awkward},
		bellcord.StepEnded{Finish: "stop", Usage: &usage},
		bellcord.StepEnded{Finish: "length"},
		bellcord.Configured{Dir: "/d", Title: awkward, Model: "m", Mode: "ask"},
		bellcord.AsideStarted{For: "title", Model: "a/b", Input: 3, Price: price},
		bellcord.AsideEnded{For: "title", Usage: usage},
		bellcord.Compacted{Summary: awkward, From: 1 << 40},
		bellcord.Cleared{},
		bellcord.Hosted{Agent: "goose", Session: awkward},
	}
}

func everyField(at time.Time, cause *bellcord.Cause, usage bellcord.Usage) bellcord.Receipt {
	calls := []bellcord.CallRef{{Call: "c", Name: "shell"}}
	gone := []bellcord.Process{{PID: 5, Name: "sh", How: "asked"}}
	return bellcord.Receipt{
		Turn: "t", Session: "s", End: bellcord.Stopped, Cause: cause, Won: bellcord.StopWon, Error: awkward, Prompt: awkward,
		Times:     bellcord.Times{Accepted: at, Started: at.Add(1), Requested: at.Add(2), StreamClosed: at.Add(3), ProcessGone: at.Add(4), Settled: at.Add(5)},
		Calls:     bellcord.Calls{Finished: 1, Stopped: calls, NotStarted: calls, Unknown: calls},
		Processes: bellcord.Processes{Ended: gone, Survivors: gone, Proof: "scan", Background: gone},
		Questions: []string{"q"}, Queue: bellcord.Drop, Held: []bellcord.TurnID{"h"}, Dropped: []bellcord.TurnID{"d"},
		Usage: usage, Spent: []bellcord.Spent{{Model: "a/b", Usage: usage}}, Kept: bellcord.Kept{Text: 1, Thought: 2, Results: 3}, Abandoned: true, Unsettled: true,
	}
}

func roundTrips(b *bench) {
	n, reader := b.node(), b.node()
	s := n.session()
	want := everyBody()
	n.ok(bellcord.AppendEvents{Session: s, Bodies: want, At: now()})
	got := reader.log(s)
	if len(got) != len(want) {
		b.Fatalf("%d of %d events came back", len(got), len(want))
	}
	for i, ev := range got {
		if !reflect.DeepEqual(ev.Body, want[i]) {
			b.Errorf("put in:\n%#v\ncame back:\n%#v", want[i], ev.Body)
		}
	}
}

func argsKept(b *bench) {
	n := b.node()
	s := n.session()
	args := `{"path": "a<b>.txt",  "n": 1.0}`
	n.ok(bellcord.AppendEvents{Session: s, Bodies: []bellcord.Body{bellcord.Called{Call: "c", Args: json.RawMessage(args)}}, At: now()})
	for _, ev := range n.log(s) {
		if got := string(ev.Body.(bellcord.Called).Args); got != args {
			b.Errorf("the model said %s, the record says %s", args, got)
		}
	}
}

// stranger is a body that the core does not know.
type stranger struct{}

func (stranger) Kind() string { return "stranger" }

func unknownKind(b *bench) {
	n := b.node()
	s := n.session()
	results, err := n.Commit(b.Context(), []bellcord.Op{bellcord.AppendEvents{Session: s, Bodies: []bellcord.Body{stranger{}}, At: now()}})
	if err != nil || results[0].Err != nil {
		return // never let in: better still
	}
	if events, err := n.Events(b.Context(), s, 0, 10); err == nil {
		b.Errorf("the reader got %d events and no error", len(events))
	}
}
