package laws_test

import (
	"context"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

func TestLaw07_RepeatedStops_ReturnTheSameReceipt(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		for range 5 {
			other := bellcord.Cause{By: "bert", Source: "laws"}
			answers, err := sc.entrance().Stop(bellcord.StopTurn(sc.id, other)).Wait(t.Context())
			if err != nil || len(answers) != 1 || answers[0].Receipt == nil {
				t.Fatalf("answered %+v, %v", answers, err)
			}
			if !sameReceipt(*answers[0].Receipt, sc.receipt) {
				t.Errorf("answered %+v\nfirst was %+v", answers[0].Receipt, sc.receipt)
			}
		}
		if n := count(sc.bodies(sc.id), kind[bellcord.StopRequested]); n > 1 {
			t.Errorf("%d stops on record", n)
		}
	})
}

func TestLaw07_ConcurrentStops_ReturnTheSameReceipt(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		turn := s.send("", "[hang after 2]")
		s.await(turn.ID, emittedText("word2"))
		receipts := make([]*bellcord.Receipt, 20)
		var all sync.WaitGroup
		for i := range receipts {
			all.Go(func() {
				answers, err := s.Stop(bellcord.StopTurn(turn.ID, by)).Wait(s.t.Context())
				if err != nil || len(answers) != 1 {
					s.t.Errorf("answered %v, %v", answers, err)
					return
				}
				receipts[i] = answers[0].Receipt
			})
		}
		all.Wait()
		for _, r := range receipts[1:] {
			if !sameReceipt(*r, *receipts[0]) {
				s.t.Errorf("%+v\nunlike %+v", r, receipts[0])
			}
		}
	})
}

// Law 8: a stop is sent while the agent returns. Only stops that are sent after
// the agent was allowed to return and before the turn has settled count as races.
// The delay of the stop follows the winner, so that the two stay close together.
func TestLaw08_StopRacesCompletion_AnswerNamesTheOneWinner(t *testing.T) {
	t.Parallel()
	working, finish := make(chan struct{}), make(chan struct{})
	s := bareStage(t, agentFunc(func(context.Context, *hub.Work) error {
		working <- struct{}{}
		<-finish
		return nil
	}), hub.Options{})
	won := map[bellcord.Winner]int{}
	const most = 5 * time.Millisecond
	delay := time.Duration(0)
	rounds := 0
	for ; rounds < *races || rounds < 10**races && (won[bellcord.StopWon] == 0 || won[bellcord.CompletionWon] == 0); rounds++ {
		turn := s.send("", "go")
		<-working
		finish <- struct{}{}
		for began := time.Now(); time.Since(began) < delay; {
			runtime.Gosched()
		}
		racing := !isClosed(turn.Settled())
		winner := s.stopNamesOneEnd(turn)
		if racing {
			won[winner]++
		}
		switch winner {
		case bellcord.StopWon:
			delay = min(most, delay+delay/8+time.Microsecond)
		case bellcord.CompletionWon:
			delay -= delay / 4
		}
	}
	t.Logf("%d rounds; races won by: %v", rounds, won)
	if won[bellcord.StopWon] == 0 || won[bellcord.CompletionWon] == 0 {
		t.Errorf("this was no race: one side has never won: %v", won)
	}
}

// stopNamesOneEnd stops a turn, checks that the turn has one end and that the
// answer to the stop is its receipt, and returns the winner.
func (s *stage) stopNamesOneEnd(turn *hub.Turn) bellcord.Winner {
	s.t.Helper()
	answers, err := s.Stop(bellcord.StopTurn(turn.ID, by)).Wait(s.t.Context())
	if err != nil || len(answers) != 1 || answers[0].Receipt == nil {
		s.t.Fatalf("answered %+v, %v", answers, err)
	}
	r := *answers[0].Receipt
	ends := 0
	for _, b := range s.bodies(turn.ID) {
		if end, is := b.(bellcord.TurnEnded); is {
			ends++
			if !sameReceipt(end.Receipt, r) {
				s.t.Fatalf("on record %+v\nthe answer was %+v", end.Receipt, r)
			}
		}
	}
	want := bellcord.EndDone
	if r.RaceWinner == bellcord.StopWon {
		want = bellcord.EndStopped
	}
	if ends != 1 || r.End != want {
		s.t.Fatalf("%d ends, won by %s, and yet ended %s", ends, r.RaceWinner, r.End)
	}
	return r.RaceWinner
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestLaw08_StopAtEveryCutPoint_AnswerNamesTheWinner(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		want := bellcord.StopWon
		if sc.end == bellcord.EndDone {
			want = bellcord.CompletionWon
		}
		if sc.receipt.End != sc.end || sc.receipt.RaceWinner != want {
			t.Errorf("ended %s, won by %s", sc.receipt.End, sc.receipt.RaceWinner)
		}
		if n := count(sc.bodies(sc.id), kind[bellcord.TurnEnded]); n != 1 {
			t.Errorf("%d ends", n)
		}
	})
}

// agentFunc is an agent made of a function.
type agentFunc func(ctx context.Context, w *hub.Work) error

func (f agentFunc) Run(ctx context.Context, w *hub.Work) error { return f(ctx, w) }

func TestLaw09_AgentIgnoresCancellation_TurnIsStillStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := bareStage(t, agentFunc(func(ctx context.Context, w *hub.Work) error {
			<-ctx.Done()
			_ = w.Emit(bellcord.TextDelta{Text: "all went well"}) // rejected: the turn has been stopped
			return nil                                            // reports success
		}), hub.Options{})
		turn := s.send("", "go")
		synctest.Wait()
		s.Stop(bellcord.StopTurn(turn.ID, by))
		<-turn.Settled()
		if r := turn.Receipt(); r.End != bellcord.EndStopped || r.Kept.TextBytes != 0 {
			t.Errorf("receipt %+v", r)
		}
	})
}

func TestLaw10_StopInProgress_IsNotReportedAsStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ended time.Time
		s := bareStage(t, agentFunc(func(ctx context.Context, _ *hub.Work) error {
			<-ctx.Done()
			<-time.After(3 * time.Second) // simulates cleanup
			ended = time.Now()
			return context.Cause(ctx)
		}), hub.Options{})
		turn := s.send("", "go")
		synctest.Wait()
		stopping := s.Stop(bellcord.StopTurn(turn.ID, by))
		impatient, done := context.WithTimeout(t.Context(), time.Second)
		defer done()
		answers, err := stopping.Wait(impatient)
		if err == nil || answers[0].State != bellcord.StopStateInProgress || answers[0].Receipt != nil {
			t.Errorf("after 1 s answered %+v, %v", answers, err)
		}
		if count(s.bodies(turn.ID), kind[bellcord.StopRequested]) != 1 || count(s.bodies(turn.ID), kind[bellcord.TurnEnded]) != 0 {
			t.Error("viewers should see stopping, and no end yet")
		}
		answers, err = stopping.Wait(t.Context())
		if err != nil || answers[0].State != bellcord.StopStateSettled || answers[0].Receipt.Times.Settled.Before(ended) {
			t.Errorf("answered %+v, %v; the work ended at %v", answers, err, ended)
		}
	})
}

func TestLaw11_Stop_IsNotAnErrorAndItsCauseIsRecorded(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		r := sc.receipt
		if r.Error != "" || r.End == bellcord.EndFailed {
			t.Errorf("failed: %s", r.Error)
		}
		if sc.end == bellcord.EndDone {
			return
		}
		if c := r.Cause; c == nil || c.Kind != bellcord.CausePerson || c.By != by.By || c.Source != by.Source || c.Reason != by.Reason || c.At.IsZero() {
			t.Errorf("cause %+v", r.Cause)
		}
		requested := false
		for _, b := range sc.bodies(sc.id) {
			requested = requested || kind[bellcord.StopRequested](b)
			if requested && kind[bellcord.ModelRetryScheduled](b) {
				t.Error("retried after the stop")
			}
		}
	})
}

func sameReceipt(a, b bellcord.Receipt) bool { return reflect.DeepEqual(plain(a), plain(b)) }

// plain removes what is not stored: monotonic clock readings.
func plain(r bellcord.Receipt) bellcord.Receipt {
	for _, at := range []*time.Time{
		&r.Times.Accepted, &r.Times.Started, &r.Times.StopRequested, &r.Times.StreamClosed, &r.Times.LastProcessEnded, &r.Times.Settled,
	} {
		*at = at.Round(0).UTC()
	}
	if r.Cause != nil {
		c := *r.Cause
		c.At = c.At.Round(0).UTC()
		r.Cause = &c
	}
	return r
}

func count(bodies []bellcord.Body, is func(bellcord.Body) bool) int {
	n := 0
	for _, b := range bodies {
		if is(b) {
			n++
		}
	}
	return n
}

// An agent that ignores the stop tries to continue. Everything that it starts
// is rejected.
func TestLaw17_AfterStop_NoStepCallOrQuestionStarts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tries := map[string]error{}
		s := bareStage(t, agentFunc(func(ctx context.Context, w *hub.Work) error {
			if err := w.Emit(bellcord.ToolCallRequested{Call: "1", Name: "shell", Arguments: []byte(`{}`)}); err != nil {
				return err
			}
			<-ctx.Done()
			detached := context.WithoutCancel(ctx)
			tries["a step"] = w.Step(detached, bellcord.StepStarted{Model: "fake/one"})
			tries["another call"] = w.Emit(bellcord.ToolCallRequested{Call: "2", Name: "shell", Arguments: []byte(`{}`)})
			_, tries["a question"] = w.Ask(detached, bellcord.Question{Text: "May I?"})
			return nil
		}), hub.Options{})
		turn := s.send("", "go")
		synctest.Wait()
		s.Stop(bellcord.StopTurn(turn.ID, by))
		<-turn.Settled()
		if len(tries) != 3 {
			t.Errorf("tried %v", tries)
		}
		for what, err := range tries {
			if err == nil {
				t.Errorf("%s began after the stop", what)
			}
		}
		for _, b := range s.bodies(turn.ID) {
			switch b := b.(type) {
			case bellcord.StepStarted, bellcord.ToolCallStarted, bellcord.QuestionOpened:
				t.Errorf("on record: %T", b)
			case bellcord.ToolCallRequested:
				if b.Call != "1" {
					t.Errorf("on record: call %s", b.Call)
				}
			}
		}
		if r := turn.Receipt(); r.End != bellcord.EndStopped || len(r.Calls.NotStarted) != 1 {
			t.Errorf("receipt %+v", r)
		}
	})
}
