package storetest

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/storecheck"
)

var bodyChecks = []check{
	{"every kind of event survives a round trip", roundTrips},
	{"a call's arguments come back byte for byte", argsKept},
	{"an event of an unknown kind is kept as it is, and is neither damage nor a gap", unknownKind},
}

// awkward is text that stores and encodings often corrupt.
const awkward = "tab\t, \x00, \"quotes\", 'single', \\, <&>, ü, 漢, 🔔, \u2028\r\n$1 ? %s "

func everyBody() []bellcord.Body {
	at := time.Date(2026, 5, 4, 3, 2, 1, 987654321, time.UTC)
	cause := bellcord.Cause{Kind: bellcord.CauseBudget, By: "anna", Source: "web", Reason: awkward, At: at, Mode: bellcord.StopAfterStep}
	usage := bellcord.Usage{InputTokens: 1 << 40, CacheReadTokens: 3, CacheWriteTokens: 4, OutputTokens: 2, CostNanoUSD: 5, Exact: true}
	price := &bellcord.Price{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}
	return []bellcord.Body{
		bellcord.TurnAccepted{Prompt: bellcord.Prompt{
			Text: awkward, Images: []bellcord.Image{{Type: "image/png", Data: []byte(awkward)}},
			Files: []bellcord.File{{Name: awkward, Text: awkward}},
			Links: []bellcord.Link{{Name: awkward, URI: "file:///a%20b#L1:2"}}, Task: bellcord.TaskCompact,
			Blocks:   []bellcord.Block{{Type: "text", Text: awkward, Meta: json.RawMessage(`{"a":1}`)}, {Type: "image", Number: 1}, {Type: "resource", Content: json.RawMessage(`{"type":"resource"}`)}},
			WhenBusy: bellcord.BusyReplace,
			Deadline: time.Minute, MaxTokens: 9, MaxCostNanoUSD: 8, SessionBudget: bellcord.SpendingLimit{MaxTokens: 7, MaxCostNanoUSD: 6}, MaxSteps: 3, OnDisconnect: bellcord.StopOnDisconnect,
		}},
		bellcord.TurnStarted{},
		bellcord.StopRequested{Cause: cause},
		bellcord.TurnEnded{Receipt: everyField(at, &cause, usage)},
		bellcord.StepStarted{Step: 4, Model: "a/b", EstimatedInput: 77, Price: price},
		bellcord.AttachmentLoaded{Link: bellcord.Link{Name: "a", URI: "file:///a"}, Text: awkward},
		bellcord.ContextAdded{Reason: "instructions", Path: "a/AGENTS.md", Text: awkward},
		bellcord.UsageReported{Usage: usage},
		bellcord.UsageReported{Context: &bellcord.ContextUse{UsedTokens: 1, SizeTokens: 2, Cost: &bellcord.Money{Amount: 0.25, Currency: "credits"}}},
		bellcord.ThinkingDelta{Text: awkward},
		bellcord.ThinkingDelta{Text: awkward, Message: awkward},
		bellcord.ThinkingSigned{Signature: json.RawMessage(`{"signature":"ü"}`)},
		bellcord.TextDelta{Text: awkward},
		bellcord.TextDelta{},
		bellcord.TextDelta{Text: awkward, Message: awkward, Meta: json.RawMessage(`{"a":1}`)},
		bellcord.ToolCallRequested{Call: "c", Name: "shell", Title: awkward, ToolKind: "edit", Arguments: json.RawMessage(`{"a":[1,"ü"]}`), Signature: json.RawMessage(`"s"`), ArgumentError: awkward},
		bellcord.ToolCallRequested{Call: "c", Name: "shell", Arguments: json.RawMessage(`{"command":"ls"}`), Original: &bellcord.OriginalCall{Name: "Bash", Arguments: json.RawMessage(`{"cmd":"ls"}`)}},
		bellcord.ToolCallRequested{Call: "c", Name: "edit", Arguments: json.RawMessage(`{}`), CallView: everyView()},
		bellcord.ToolCallUpdated{Call: "c", Title: awkward, ToolKind: "edit", Arguments: json.RawMessage(`{"a":2}`), CallView: everyView()},
		bellcord.ToolCallUpdated{Call: "c", CallView: bellcord.CallView{Locations: []bellcord.Location{}, Content: []bellcord.CallContent{}}},
		bellcord.ToolCallStarted{Call: "c"},
		bellcord.ToolOutputDelta{Call: "c", Text: awkward},
		bellcord.ToolCallEnded{
			Call: "c", Outcome: bellcord.CallStopped, Failed: true, Result: awkward, RawOutput: json.RawMessage(`{"a":"ü"}`),
			Images:    []bellcord.Image{{Type: "image/png", Data: []byte(awkward)}},
			Processes: &bellcord.Processes{Ended: []bellcord.Process{{PID: 5, Name: "sh", How: "killed"}}, Proof: "cgroup_empty"},
		},
		bellcord.QuestionOpened{Question: bellcord.Question{
			ID: "q", Call: "c", Text: awkward, Tool: "write_file", Arguments: json.RawMessage(`{"path":"a"}`),
			Changes: []bellcord.Change{{Path: "/a", New: awkward}}, Choices: []bellcord.Choice{{ID: "y", Text: "yes", Kind: "allow_once"}},
		}},
		bellcord.QuestionAnswered{Question: "q", Choice: "y", By: "anna"},
		bellcord.QuestionAnswered{Question: "q", Choice: "n", Reason: awkward, By: "anna"},
		bellcord.QuestionOpened{Question: bellcord.Question{ID: "f", Text: awkward, Choices: bellcord.FormChoices(), Fields: []bellcord.Field{{
			Name: awkward, Type: bellcord.FieldArray, Title: awkward, Description: awkward, Required: true, Default: json.RawMessage(`["a"]`),
			Options: []bellcord.Option{{Value: "a", Title: awkward}}, Format: "date", Pattern: awkward,
			MinLength: new(0), MaxLength: new(3), Minimum: new(-0.5), Maximum: new(1e9), MinItems: new(0), MaxItems: new(2),
		}}}},
		bellcord.QuestionOpened{Question: bellcord.Question{ID: "u", Text: awkward, Choices: bellcord.FormChoices(), URL: "https://a.example/?q=1"}},
		bellcord.QuestionAnswered{Question: "f", Choice: bellcord.ChoiceAccept, Values: map[string]json.RawMessage{awkward: json.RawMessage(`["a"]`)}, By: "anna"},
		bellcord.ModelRetryScheduled{Attempt: 2, RetryIn: 1500 * time.Millisecond, Reason: awkward},
		bellcord.FilesScanned{Files: 1 << 40, Bytes: 1 << 50, Done: true},
		bellcord.StepEnded{Finish: "stop", Usage: &usage},
		bellcord.StepEnded{Finish: "length", AgentReply: json.RawMessage(`{"usage":{"totalTokens":1}}`)},
		bellcord.PlanUpdated{Entries: []bellcord.PlanEntry{{Text: awkward, Priority: "high", Status: "in_progress"}}},
		bellcord.AgentUpdate{AgentSession: awkward, Update: json.RawMessage(`{"sessionUpdate":"x","ü":[1]}`)},
		bellcord.CustomEvent{Name: "x", Data: json.RawMessage(`{"ü":[1]}`)},
		bellcord.MessageImported{Text: awkward},
		bellcord.SessionUpdated{Dir: "/d", Title: awkward, Model: "m", Mode: "ask", Effort: "low", AdditionalDirs: &[]string{"/b"}},
		bellcord.SideRequestStarted{Purpose: "title", Model: "a/b", EstimatedInput: 3, Price: price},
		bellcord.SideRequestEnded{Purpose: "title", Usage: usage},
		bellcord.ConversationCompacted{Summary: awkward, FromSeq: 1 << 40},
		bellcord.ConversationCleared{},
		bellcord.ConversationRewound{Turn: "t", FromSeq: 1 << 40, TakenBack: true},
		bellcord.ProcessConfirmed{Turn: "t", Call: "c", Process: bellcord.Process{PID: 5, Name: awkward, How: "terminated"}},
		bellcord.ChangesRecorded{Turn: "t", Changes: everyChange()},
		bellcord.AnswerForwarded{Turn: "t", Answer: bellcord.QuestionAnswered{Question: "q", Choice: "n", Reason: awkward, By: awkward}},
		bellcord.ProcessesRecovered{Turn: "t", Recovery: "r", Processes: bellcord.Processes{Ended: []bellcord.Process{{PID: 5, Name: awkward}}, Unknown: bellcord.ProcessesContainerGone, Node: "n"}},
		bellcord.Undone{Undo: "u", Turns: []bellcord.TurnID{"t"}, Redone: "v", By: awkward, Source: "web", UndoResult: bellcord.UndoResult{
			Restored: 1, Already: 2, Conflicts: 3, NotKept: 4, Skipped: 5, More: 6,
			Files: []bellcord.UndoneFile{{Path: awkward, Result: bellcord.UndoLate, Removed: true, Reason: awkward, Trash: awkward}},
		}},
		bellcord.AgentSessionOpened{Agent: "goose", AgentSession: awkward},
	}
}

func everyChange() bellcord.Changes {
	return bellcord.Changes{
		Pending: true, Created: 1, Changed: 2, Deleted: 3, NotKept: 4, More: 5, Problem: awkward,
		Files: []bellcord.FileChange{{Path: awkward, Kind: bellcord.FileCreated, Directory: true, Certainty: bellcord.ChangeDuring, NotKept: awkward}},
		Gaps:  []bellcord.FileGap{{Path: awkward, Reason: awkward}},
	}
}

func everyView() bellcord.CallView {
	old := awkward
	return bellcord.CallView{
		Locations: []bellcord.Location{{Path: "/a", Line: 3}, {Path: awkward}},
		Content: []bellcord.CallContent{
			{Change: &bellcord.Change{Path: "/a", Old: &old, New: awkward}, Meta: json.RawMessage(`{"m":1}`)},
			{Terminal: awkward},
			{Block: json.RawMessage(`{"type":"image"}`)},
		},
		Meta: json.RawMessage(`{"a":{"b":"ü"}}`),
	}
}

func everyField(at time.Time, cause *bellcord.Cause, usage bellcord.Usage) bellcord.Receipt {
	calls := []bellcord.CallRef{{Call: "c", Name: "shell"}}
	ended := []bellcord.Process{{PID: 5, Name: "sh", How: "terminated"}}
	return bellcord.Receipt{
		Turn: "t", Session: "s", End: bellcord.EndStopped, Cause: cause, RaceWinner: bellcord.StopWon, Error: awkward, Prompt: awkward,
		Times:              bellcord.Times{Accepted: at, Started: at.Add(1), StopRequested: at.Add(2), StreamClosed: at.Add(3), LastProcessEnded: at.Add(4), Settled: at.Add(5)},
		Calls:              bellcord.Calls{Finished: 1, Stopped: calls, NotStarted: calls, Unknown: calls},
		Processes:          bellcord.Processes{Ended: ended, Survivors: ended, Unconfirmed: ended, Proof: "process_scan", Background: ended},
		WithdrawnQuestions: []string{"q"}, Queue: bellcord.QueueDrop, HeldTurns: []bellcord.TurnID{"h"}, DroppedTurns: []bellcord.TurnID{"d"},
		Usage: usage, UsageByModel: []bellcord.ModelUsage{{Model: "a/b", Usage: usage}}, Kept: bellcord.Kept{TextBytes: 1, ThinkingBytes: 2, FinishedCalls: 3}, AgentAbandoned: true, EndNotDurable: true,
	}
}

func roundTrips(b *bench) {
	n, reader := b.node(), b.node()
	s := n.session()
	want := everyBody()
	n.ok(store.AppendEvents{Session: s, Bodies: want, At: now()})
	got := reader.log(s)
	if len(got) != len(want) {
		b.Fatalf("%d of %d events came back", len(got), len(want))
	}
	for i, ev := range got {
		if !reflect.DeepEqual(ev.Body, want[i]) {
			b.Errorf("written:\n%#v\nread:\n%#v", want[i], ev.Body)
		}
	}
}

func argsKept(b *bench) {
	n := b.node()
	s := n.session()
	args := `{"path": "a<b>.txt",  "n": 1.0}`
	n.ok(store.AppendEvents{Session: s, Bodies: []bellcord.Body{bellcord.ToolCallRequested{Call: "c", Arguments: json.RawMessage(args)}}, At: now()})
	for _, ev := range n.log(s) {
		if got := string(ev.Body.(bellcord.ToolCallRequested).Arguments); got != args {
			b.Errorf("written arguments %s, read %s", args, got)
		}
	}
}

func unknownKind(b *bench) {
	n := b.node()
	s := n.session()
	newer := bellcord.UnknownEvent{Name: "newer", Data: json.RawMessage(`{"b":"\u003cb\u003e","a":[1.0,"ü"]}`)}
	n.ok(store.AppendEvents{Session: s, Bodies: []bellcord.Body{newer}, At: now()})
	n.ok(note(s, "after it"))
	events, err := b.node().Events(b.Context(), s, 0, 10)
	if err != nil || len(events) != 2 || !reflect.DeepEqual(events[0].Body, bellcord.Body(newer)) {
		b.Fatalf("reading returned %v and the error %v", events, err)
	}
	report, err := storecheck.Run(b.Context(), n.Node)
	if err != nil || len(report.Problems) > 0 {
		b.Errorf("the check found %q, error %v", report.Problems, err)
	}
}
