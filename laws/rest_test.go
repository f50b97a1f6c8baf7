package laws_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

func TestLaw34_ViewerLeaves_TurnContinues(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		leaving, leave := context.WithCancel(s.t.Context())
		cursor, err := s.Events(leaving, s.session, 0)
		if err != nil {
			s.t.Fatal(err)
		}
		turn := s.send("", "[slow 10]")
		if _, err := cursor.Next(leaving); err != nil {
			s.t.Fatal(err)
		}
		leave()
		if _, err := cursor.Next(leaving); err == nil {
			if _, err = cursor.Next(leaving); err == nil {
				s.t.Error("it should have left")
			}
		}
		cursor.Close()
		<-turn.Settled()
		if turn.Receipt().End != bellcord.EndDone {
			s.t.Errorf("ended %s", turn.Receipt().End)
		}
	})
}

func TestLaw36_TurnsOfOneSession_NeverOverlap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		s := bareStage(t, agentFunc(func(ctx context.Context, w *hub.Work) error {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			select {
			case <-ctx.Done():
				if strings.HasPrefix(w.Prompt.Text, "slow") {
					<-time.After(2 * time.Second) // simulates cleanup
				}
				return context.Cause(ctx)
			case <-time.After(10 * time.Millisecond):
				return nil
			}
		}), hub.Options{})
		policies := []bellcord.BusyPolicy{bellcord.BusyQueue, bellcord.BusyReplace, bellcord.BusyQueue, bellcord.BusyQueue}
		var turns []*hub.Turn
		for i := range 60 {
			text := "quick"
			if i%3 == 0 {
				text = "slow"
			}
			turns = append(turns, s.sendPrompt(bellcord.Prompt{Text: text, WhenBusy: policies[i%4]}))
			if i%5 == 0 {
				<-time.After(3 * time.Millisecond)
			}
			if i%7 == 0 {
				s.Stop(bellcord.StopRequest{Turn: turns[i].ID, Cause: by, Queue: bellcord.QueueNext})
			}
		}
		for _, turn := range turns {
			<-turn.Settled()
		}
		if most.Load() != 1 {
			t.Errorf("%d ran at the same time", most.Load())
		}
	})
}

func TestLaw36_SeveralReplacements_LastOneWins(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		first := s.send("", "[hang]")
		s.requested(1)
		var turns []*hub.Turn
		for range 5 {
			turns = append(turns, s.sendPrompt(bellcord.Prompt{Text: "[say x]", WhenBusy: bellcord.BusyReplace}))
		}
		last := turns[4]
		<-last.Settled()
		if last.Receipt().End != bellcord.EndDone || len(s.model.Requests()) != 2 {
			s.t.Errorf("the last ended %s; the model saw %d requests", last.Receipt().End, len(s.model.Requests()))
		}
		for _, turn := range append(turns[:4], first) {
			if r := turn.Receipt(); r.End != bellcord.EndStopped || r.Cause.Kind != bellcord.CauseReplaced {
				s.t.Errorf("ended %s by %v", r.End, r.Cause)
			}
		}
		if _, err := s.Prompt(s.session, bellcord.Prompt{Text: "x", WhenBusy: bellcord.BusyReject}); err != nil {
			s.t.Errorf("an idle session rejects nothing: %v", err)
		}
		if _, err := s.Prompt(s.session, bellcord.Prompt{Text: "y", WhenBusy: bellcord.BusyReject}); err == nil {
			s.t.Error("a busy one does")
		}
	})
}

// The audit uses independent sources: the store's events and the model's log.
func TestLaw37_ReceiptOfEveryStop_MatchesEventsAndModelLog(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		if sc.answer.State != bellcord.StopStateWaitingForTurn && !sameReceipt(*sc.answer.Receipt, sc.receipt) {
			t.Errorf("answered %+v\non record %+v", sc.answer.Receipt, sc.receipt)
		}
		synctest.Wait()
		var sent strings.Builder
		for _, r := range sc.model.Requests() {
			if !strings.Contains(r.Prompt, "first") { // the other turn of the queued scene
				sent.WriteString(r.Sent)
			}
		}
		text := sc.textOf(sc.id)
		if !strings.HasPrefix(sent.String(), text) || int64(len(text)) != sc.receipt.Kept.TextBytes {
			t.Errorf("the model sent %q, the store has %q, the receipt says %d", sent.String(), text, sc.receipt.Kept.TextBytes)
		}
		var finished, stopped int
		for _, b := range sc.bodies(sc.id) {
			if end, is := b.(bellcord.ToolCallEnded); is {
				switch end.Outcome {
				case bellcord.CallFinished:
					finished++
				case bellcord.CallStopped:
					stopped++
				case bellcord.CallNotStarted, bellcord.CallUnknown:
				}
			}
		}
		if r := sc.receipt; finished != r.Calls.Finished || finished != r.Kept.FinishedCalls || stopped != len(r.Calls.Stopped) {
			t.Errorf("the store has %d finished and %d stopped calls, the receipt %+v", finished, stopped, r.Calls)
		}
		times := sc.receipt.Times
		if sc.end == bellcord.EndStopped && (times.StopRequested.IsZero() || times.Settled.Before(times.StopRequested) && sc.name != "before accept") {
			t.Errorf("times %+v", times)
		}
	})
}
