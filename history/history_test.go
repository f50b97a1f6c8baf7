package history_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/store"
)

// record is a Reader of the given events.
type record struct {
	store.Reader
	events []bellcord.Event
}

func (r record) Events(_ context.Context, _ bellcord.SessionID, after int64, limit int) ([]bellcord.Event, error) {
	rest := r.events[min(after, int64(len(r.events))):]
	return rest[:min(len(rest), limit)], nil
}

func (r record) Tail(context.Context, bellcord.SessionID) (int64, error) {
	return int64(len(r.events)), nil
}

// of returns the bodies as numbered events. A string sets the turn of the
// following bodies.
func of(entries ...any) (events []bellcord.Event) {
	turn := bellcord.TurnID("one")
	for _, e := range entries {
		switch e := e.(type) {
		case string:
			turn = bellcord.TurnID(e)
		case bellcord.Body:
			events = append(events, bellcord.Event{Seq: int64(len(events) + 1), Turn: turn, Body: e})
		}
	}
	return events
}

func prompted(text string) bellcord.Body {
	return bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: text}}
}

func textDelta(text string) bellcord.Body { return bellcord.TextDelta{Text: text} }

func called(id string) bellcord.Body {
	return bellcord.ToolCallRequested{Call: id, Name: "shell", Arguments: json.RawMessage(`{}`)}
}

func returned(id, text string) bellcord.Body {
	return bellcord.ToolCallEnded{Call: id, Outcome: bellcord.CallFinished, Result: text}
}

func ended(end bellcord.End, stopped ...string) bellcord.Body {
	r := bellcord.Receipt{End: end}
	for _, id := range stopped {
		r.Calls.Stopped = append(r.Calls.Stopped, bellcord.CallRef{Call: id, Name: "shell"})
	}
	return bellcord.TurnEnded{Receipt: r}
}

// inWords formats a conversation, one message per line.
func inWords(messages []bellcord.Message) string {
	var out strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&out, "%s%s: %q", m.Role, m.Call, m.Text)
		for _, c := range m.Calls {
			fmt.Fprintf(&out, " %s(%s)", c.ID, c.Arguments)
		}
		out.WriteString("\n")
	}
	return out.String()
}

var begun, step = bellcord.TurnStarted{}, bellcord.StepStarted{}

func TestRead_Events_BecomeMessages(t *testing.T) {
	t.Parallel()
	started := func(id string) bellcord.Body { return bellcord.ToolCallStarted{Call: id} }
	const notStarted = `"[not started: the turn was stopped before this call ran; it had no effect]"`
	tests := []struct {
		name   string
		events []bellcord.Event
		want   string
	}{
		{"nothing", nil, ""},
		{
			"an answer in pieces", of(prompted("hi"), begun, step, bellcord.ThinkingDelta{Text: "hm"}, textDelta("hel"), textDelta("lo"), bellcord.StepEnded{}, ended(bellcord.EndDone)),
			"user: \"hi\"\nassistant: \"hello\"\n",
		},
		{
			"a prompt with files, edited in the queue", of(
				bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: "look", Files: []bellcord.File{{Name: "a.md", Text: "x ```` y"}, {Name: "b.txt", Text: "z\n"}}}},
				bellcord.PromptEdited{Text: "look closely"}, begun),
			"user: \"look closely\\n\\na.md:\\n`````\\nx ```` y\\n`````\\n\\nb.txt:\\n````\\nz\\n````\"\n",
		},
		{
			"an imported conversation", of(
				bellcord.TurnAccepted{Prompt: bellcord.Prompt{Task: bellcord.TaskImport, Text: "agent session"}}, begun,
				bellcord.MessageImported{Text: "hi"}, textDelta("hello"), called("a"), bellcord.ToolCallUpdated{Call: "a", Arguments: json.RawMessage(`{"x":1}`)}, started("a"), returned("a", "x"),
				bellcord.MessageImported{Text: "bye"}, textDelta("ciao"), ended(bellcord.EndDone)),
			"user: \"hi\"\nassistant: \"hello\" a({\"x\":1})\ntoola: \"x\"\nuser: \"bye\"\nassistant: \"ciao\"\n",
		},
		{
			"an answer that is only space", of(prompted("hi"), begun, step, textDelta(" \n"), textDelta("\t"), ended(bellcord.EndDone)),
			"user: \"hi\"\n",
		},
		{
			"a call beside text that is only space", of(prompted("hi"), begun, step, textDelta("\n"), called("a"), started("a"), returned("a", "x"), ended(bellcord.EndDone)),
			"user: \"hi\"\nassistant: \"\" a({})\ntoola: \"x\"\n",
		},
		{
			"results in the order of the calls, and one that is empty",
			of(prompted("hi"), begun, step, textDelta("so"), called("a"), called("b"), started("b"), started("a"), returned("b", "B"), returned("a", " "), step, textDelta("done"), ended(bellcord.EndDone)),
			"user: \"hi\"\nassistant: \"so\" a({}) b({})\ntoola: \"(no output)\"\ntoolb: \"B\"\nassistant: \"done\"\n",
		},
		{
			"an id that the model uses in every step",
			of(prompted("hi"), begun, step, called("0"), started("0"), returned("0", "first"), step, called("0"), started("0"), returned("0", "second"), ended(bellcord.EndDone)),
			"user: \"hi\"\nassistant: \"\" 0({})\ntool0: \"first\"\nassistant: \"\" 0({})\ntool0: \"second\"\n",
		},
		{
			"prompts where they were begun, not where they were queued",
			of(
				prompted("one"), begun, step, textDelta("ans"), "two", prompted("two"), "three", prompted("three"), "one", textDelta("wer"), ended(bellcord.EndDone),
				"two", begun, step, textDelta("second"), ended(bellcord.EndDone), "three", begun, step, textDelta("third"), ended(bellcord.EndDone),
			),
			"user: \"one\"\nassistant: \"answer\"\nuser: \"two\"\nassistant: \"second\"\nuser: \"three\"\nassistant: \"third\"\n",
		},
		{
			"a queued prompt that was stopped was never said",
			of(prompted("one"), begun, step, "two", prompted("two"), ended(bellcord.EndStopped), "one", textDelta("yes"), ended(bellcord.EndDone), "three", prompted("three"), begun),
			"user: \"one\"\nassistant: \"yes\"\nuser: \"three\"\n",
		},
		{
			"a stop: each call has the fate that is true of it",
			of(
				prompted("one"), begun, step, textDelta("so"), called("a"), called("b"), called("c"), started("a"), returned("a", "A"), started("b"),
				bellcord.ToolOutputDelta{Call: "b", Text: "half"}, bellcord.ToolOutputDelta{Call: "b", Text: " way"}, bellcord.StopRequested{}, ended(bellcord.EndStopped, "b"),
				"two", prompted("two"), begun,
			),
			"user: \"one\"\nassistant: \"so\" a({}) b({}) c({})\ntoola: \"A\"\n" +
				"toolb: \"[output so far]\\nhalf way\\n[stopped while running; it may have had effects]\"\ntoolc: " + notStarted + "\n" +
				"user: \"[the previous turn was stopped before it was complete]\\n\\ntwo\"\n",
		},
		{
			"a failure is told to the next prompt, once",
			of(prompted("one"), begun, ended(bellcord.EndFailed), "two", prompted("two"), begun, ended(bellcord.EndDone), "three", prompted("three"), begun),
			"user: \"one\"\nuser: \"[the previous turn failed before it was complete]\\n\\ntwo\"\nuser: \"three\"\n",
		},
		{
			"a death: what had been started is unknown",
			of(prompted("one"), begun, step, called("a"), called("b"), started("a"), ended(bellcord.EndLost), "two", prompted("two"), begun),
			"user: \"one\"\nassistant: \"\" a({}) b({})\n" +
				"toola: \"[outcome unknown: the call started, but its end was not observed; it may have had effects]\"\ntoolb: " + notStarted + "\n" +
				"user: \"[the previous turn was cut off: the process that ran it died]\\n\\ntwo\"\n",
		},
		{
			"settings are no conversation",
			of(bellcord.SessionUpdated{Title: "x"}, prompted("hi"), bellcord.SessionUpdated{Mode: "full"}, begun, bellcord.ModelRetryScheduled{}, bellcord.QuestionOpened{}, bellcord.QuestionAnswered{}),
			"user: \"hi\"\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := history.Read(t.Context(), record{events: test.events}, "s")
			if err != nil || inWords(got) != test.want {
				t.Errorf("%v\n%swant\n%s", err, inWords(got), test.want)
			}
			var c history.Conversation
			for k := range test.events {
				before := test.events[:k+1]
				got, err := c.Read(t.Context(), record{events: before}, "s")
				if want := history.Repair(history.Recorded(before)); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("read in pieces, after event %d: %v\n%swant\n%s", k+1, err, inWords(got), inWords(want))
				}
			}
		})
	}
}

func TestRead_ThousandsOfEvents_ReadsToTheEnd(t *testing.T) {
	t.Parallel()
	entries := []any{prompted("count"), begun, step}
	for i := range 1000 {
		entries = append(entries, textDelta(fmt.Sprint(i, " ")), bellcord.SessionUpdated{Mode: "ask"})
	}
	got, err := history.Read(t.Context(), record{events: of(entries...)}, "s")
	if err != nil || len(got) != 2 || !strings.HasPrefix(got[1].Text, "0 1 2 ") || !strings.HasSuffix(got[1].Text, " 999 ") {
		t.Errorf("%d messages, %v", len(got), err)
	}
}

func TestJoined_AdjacentPiecesOfOneStream_AreMerged(t *testing.T) {
	t.Parallel()
	output := func(call, text string) bellcord.Body { return bellcord.ToolOutputDelta{Call: call, Text: text} }
	events := of(
		textDelta("a"), textDelta("b"), bellcord.ThinkingDelta{Text: "c"}, bellcord.ThinkingDelta{Text: "d"}, textDelta("e"),
		output("x", "1"), output("x", "2"), output("y", "3"), step, textDelta("f"), "two", textDelta("g"),
		bellcord.TextDelta{Text: "h", Message: "m1"}, bellcord.TextDelta{Text: "i", Message: "m1"}, bellcord.TextDelta{Text: "j", Message: "m2"},
		bellcord.TextDelta{Text: "k", Message: "m2", Meta: json.RawMessage(`{}`)},
	)
	before := fmt.Sprint(events)
	var got []string
	for _, ev := range bellcord.Joined(events) {
		got = append(got, fmt.Sprintf("%d %s %v", ev.Seq, ev.Turn, ev.Body))
	}
	want := []string{
		"2 one {ab  []}", "4 one {cd  []}", "5 one {e  []}", "7 one {x 12 0}", "8 one {y 3 0}", "9 one {0  0 <nil>}", "10 one {f  []}", "11 two {g  []}",
		"13 two {hi m1 []}", "14 two {j m2 []}", "15 two {k m2 [123 125]}",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if fmt.Sprint(events) != before {
		t.Error("the events themselves were changed")
	}
}

func TestRecorded_CommandOfTheUser_IsAUserMessage(t *testing.T) {
	t.Parallel()
	turn := func(id bellcord.TurnID, bodies ...bellcord.Body) []bellcord.Event {
		var events []bellcord.Event
		for _, b := range bodies {
			events = append(events, bellcord.Event{Turn: id, Body: b})
		}
		return events
	}
	asked := bellcord.ToolCallRequested{Call: "command", Name: "shell", Arguments: json.RawMessage(`{"command":"ls"}`)}
	events := append(
		turn("t1", bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: "!ls", Task: bellcord.TaskCommand}}, bellcord.TurnStarted{}, asked,
			bellcord.ToolCallStarted{Call: "command"}, bellcord.ToolCallEnded{Call: "command", Outcome: bellcord.CallFinished, Result: "a.txt"}, bellcord.TurnEnded{}),
		turn("t2", bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: "!ls", Task: bellcord.TaskCommand}}, bellcord.TurnStarted{}, asked,
			bellcord.ToolCallEnded{Call: "command", Outcome: bellcord.CallNotStarted, Failed: true, Result: "[not started]"}, bellcord.TurnEnded{Receipt: bellcord.Receipt{End: bellcord.EndStopped}})...)
	for i := range events {
		events[i].Seq = int64(i + 1)
	}
	messages := history.Recorded(events)
	if len(messages) != 1 || messages[0].Role != bellcord.RoleUser || messages[0].Seq != 3 ||
		messages[0].Text != "[I ran this command in the working directory]\n$ ls\n\n[its output]\na.txt" {
		t.Errorf("the messages are %+v", messages)
	}
}
