package hub_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

func TestReceipt_EmittedBodies_AreCounted(t *testing.T) {
	t.Parallel()
	ref := func(ids ...string) (refs []bellcord.CallRef) {
		for _, id := range ids {
			refs = append(refs, bellcord.CallRef{Call: id, Name: "shell"})
		}
		return refs
	}
	start := func(id string) bellcord.Body { return bellcord.ToolCallStarted{Call: id} }
	end := func(id string, fate bellcord.CallOutcome) bellcord.Body {
		return bellcord.ToolCallEnded{Call: id, Outcome: fate, Processes: &bellcord.Processes{Ended: []bellcord.Process{{PID: 7, How: "terminated"}}}}
	}
	usage := func(in, out int64) bellcord.Body {
		return bellcord.StepEnded{Usage: &bellcord.Usage{InputTokens: in, OutputTokens: out, Exact: true}}
	}
	proc := bellcord.Process{PID: 7, How: "terminated"}
	tests := []struct {
		name   string
		bodies []bellcord.Body
		want   bellcord.Receipt
	}{
		{"nothing", nil, bellcord.Receipt{Usage: bellcord.Usage{Exact: true}}},
		{
			"text and thinking, in bytes",
			[]bellcord.Body{bellcord.ThinkingDelta{Text: "hm…"}, textDelta("é"), textDelta("!")},
			bellcord.Receipt{Kept: bellcord.Kept{TextBytes: 3, ThinkingBytes: 5}, Usage: bellcord.Usage{Exact: true}},
		},
		{
			"usage as the model reports it, step by step",
			[]bellcord.Body{step, textDelta("x"), usage(10, 2), step, usage(20, 3)},
			bellcord.Receipt{Kept: bellcord.Kept{TextBytes: 1}, Usage: bellcord.Usage{InputTokens: 30, OutputTokens: 5, Exact: true}},
		},
		{
			"usage that the model did not tell is estimated, and flagged",
			[]bellcord.Body{bellcord.StepStarted{EstimatedInput: 100}, textDelta("12345"), called("a"), bellcord.StepEnded{}, step, usage(20, 3)},
			bellcord.Receipt{Calls: bellcord.Calls{NotStarted: ref("a")}, Kept: bellcord.Kept{TextBytes: 5}, Usage: bellcord.Usage{InputTokens: 120, OutputTokens: 5}},
		},
		{
			"a step that was cut off is estimated",
			[]bellcord.Body{step, usage(20, 3), bellcord.StepStarted{EstimatedInput: 7}, bellcord.ThinkingDelta{Text: "123456789"}},
			bellcord.Receipt{Kept: bellcord.Kept{ThinkingBytes: 9}, Usage: bellcord.Usage{InputTokens: 27, OutputTokens: 6}},
		},
		{
			"calls by their fate",
			[]bellcord.Body{
				called("a"), called("b"), called("c"), called("d"), called("e"), called("f"),
				start("a"), end("a", bellcord.CallFinished), start("b"), end("b", bellcord.CallStopped), end("c", bellcord.CallNotStarted),
				start("d"), end("d", bellcord.CallUnknown), start("e"),
			},
			bellcord.Receipt{
				Calls:     bellcord.Calls{Finished: 1, Stopped: ref("b", "e"), NotStarted: ref("c", "f"), Unknown: ref("d")},
				Processes: bellcord.Processes{Ended: []bellcord.Process{proc, proc, proc, proc}},
				Kept:      bellcord.Kept{FinishedCalls: 1}, Usage: bellcord.Usage{Exact: true},
			},
		},
		{
			"an id that is used again",
			[]bellcord.Body{
				called("a"), start("a"), bellcord.ToolCallEnded{Call: "a", Outcome: bellcord.CallFinished}, called("a"), start("a"), bellcord.ToolCallEnded{Call: "nobody", Outcome: bellcord.CallFinished},
			},
			bellcord.Receipt{Calls: bellcord.Calls{Finished: 1, Stopped: ref("a")}, Kept: bellcord.Kept{FinishedCalls: 1}, Usage: bellcord.Usage{Exact: true}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := open(t, script(func(_ context.Context, w *hub.Work) error {
				for _, b := range test.bodies {
					if err := w.Emit(b); err != nil {
						return err
					}
				}
				return nil
			}), hub.Options{})
			turn := h.prompt("go")
			<-turn.Settled()
			got := turn.Receipt()
			want := test.want
			want.Turn, want.Session, want.Times, want.End, want.RaceWinner = got.Turn, got.Session, got.Times, bellcord.EndDone, bellcord.CompletionWon
			want.LogHead = got.LogHead
			if want.Usage.Total() > 0 {
				want.UsageByModel = []bellcord.ModelUsage{{Usage: want.Usage}} // one model
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%+v\nwant\n%+v", got, want)
			}
			record, err := h.Turn(t.Context(), turn.ID)
			if err != nil || record.Receipt == nil || !reflect.DeepEqual(record.Receipt.Calls, got.Calls) || record.Receipt.Usage != got.Usage {
				t.Errorf("on record %+v, %v", record.Receipt, err)
			}
		})
	}
}

func TestReceipt_MarkedMoments_AreRecorded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := open(t, script(func(_ context.Context, w *hub.Work) error {
			for _, m := range []hub.Moment{hub.MomentStreamClosed, hub.MomentStreamClosed, hub.MomentProcessEnded} {
				<-time.After(time.Second)
				w.Report().Mark(m)
			}
			<-time.After(time.Second)
			return errors.New("no paper")
		}), hub.Options{})
		began := time.Now()
		turn := h.prompt("go")
		<-turn.Settled()
		r := turn.Receipt()
		for want, at := range map[time.Duration]time.Time{
			0: r.Times.Started, 2 * time.Second: r.Times.StreamClosed, 3 * time.Second: r.Times.LastProcessEnded, 4 * time.Second: r.Times.Settled,
		} {
			if got := at.Sub(began); got != want {
				t.Errorf("%v, want %v", got, want)
			}
		}
		if !r.Times.Accepted.Equal(began) || !r.Times.StopRequested.IsZero() || r.End != bellcord.EndFailed || r.Error != "no paper" {
			t.Errorf("%+v", r)
		}
	})
}

func textDelta(text string) bellcord.Body { return bellcord.TextDelta{Text: text} }

func called(id string) bellcord.Body {
	return bellcord.ToolCallRequested{Call: id, Name: "shell", Arguments: json.RawMessage(`{}`)}
}

var step = bellcord.StepStarted{}
