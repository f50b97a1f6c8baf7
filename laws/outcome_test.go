package laws_test

import (
	"context"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
)

func TestLaw07_ManyStopsAreOneStopAndEachAnswerCarriesTheSameRecord(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		for range 5 {
			other := bellcord.Cause{By: "bert", From: "laws"}
			answers, err := sc.entrance().Stop(bellcord.StopTurn(sc.id, other)).Wait(t.Context())
			if err != nil || len(answers) != 1 || answers[0].Receipt == nil {
				t.Fatalf("answered %+v, %v", answers, err)
			}
			if !sameReceipt(*answers[0].Receipt, sc.receipt) {
				t.Errorf("answered %+v\nfirst was %+v", answers[0].Receipt, sc.receipt)
			}
		}
		if n := count(sc.bodies(sc.id), kind[bellcord.StopAsked]); n > 1 {
			t.Errorf("%d stops on record", n)
		}
	})
}

func TestLaw07_StopsAtTheSameMomentGetTheSameRecord(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		turn := s.send("", "[hang after 2]")
		s.await(turn.ID, saidSo("word2"))
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

func TestLaw08_AStopThatRacesCompletionHasOneWinnerAndTheOneWhoStoppedIsTold(t *testing.T) {
	t.Parallel()
	won := map[bellcord.Winner]int{}
	for range 40 {
		onStage(t, func(s *stage) {
			turn := s.send("", "[fast 3]")
			var answers []bellcord.StopAnswer
			var all sync.WaitGroup
			all.Go(func() { answers, _ = s.Stop(bellcord.StopTurn(turn.ID, by)).Wait(s.t.Context()) })
			<-turn.Settled()
			all.Wait()
			ends := 0
			for _, b := range s.bodies(turn.ID) {
				if end, is := b.(bellcord.Ended); is {
					ends++
					if !sameReceipt(end.Receipt, *answers[0].Receipt) {
						s.t.Errorf("on record %+v\nthe answer was %+v", end.Receipt, answers[0].Receipt)
					}
				}
			}
			if ends != 1 {
				s.t.Errorf("%d ends", ends)
			}
			won[answers[0].Receipt.Won]++
		})
	}
	t.Logf("winners: %v", won)
}

func TestLaw08_TheAnswerSaysWhoWonAtEveryCut(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		want := bellcord.StopWon
		if sc.end == bellcord.Done {
			want = bellcord.CompletionWon
		}
		if sc.receipt.End != sc.end || sc.receipt.Won != want {
			t.Errorf("ended %s, won by %s", sc.receipt.End, sc.receipt.Won)
		}
		if n := count(sc.bodies(sc.id), kind[bellcord.Ended]); n != 1 {
			t.Errorf("%d ends", n)
		}
	})
}

// agentFunc is an agent that is a function.
type agentFunc func(ctx context.Context, w *bellcord.Work) error

func (f agentFunc) Run(ctx context.Context, w *bellcord.Work) error { return f(ctx, w) }

func TestLaw09_AnAgentThatSwallowsTheCancellationCannotMakeTheTurnSucceed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := bareStage(t, agentFunc(func(ctx context.Context, w *bellcord.Work) error {
			<-ctx.Done()
			return w.Emit(bellcord.Said{Text: "all went well"}) // nil: success, it says
		}), bellcord.Options{})
		turn := s.send("", "go")
		synctest.Wait()
		s.Stop(bellcord.StopTurn(turn.ID, by))
		<-turn.Settled()
		if r := turn.Receipt(); r.End != bellcord.Stopped || r.Kept.Text == 0 {
			t.Errorf("receipt %+v", r)
		}
	})
}

func TestLaw10_StoppedIsNotSaidBeforeTheWorkHasEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ended time.Time
		s := bareStage(t, agentFunc(func(ctx context.Context, _ *bellcord.Work) error {
			<-ctx.Done()
			<-time.After(3 * time.Second) // its cleaning up
			ended = time.Now()
			return context.Cause(ctx)
		}), bellcord.Options{})
		turn := s.send("", "go")
		synctest.Wait()
		stopping := s.Stop(bellcord.StopTurn(turn.ID, by))
		impatient, done := context.WithTimeout(t.Context(), time.Second)
		defer done()
		answers, err := stopping.Wait(impatient)
		if err == nil || answers[0].State != bellcord.InProgress || answers[0].Receipt != nil {
			t.Errorf("after 1 s answered %+v, %v", answers, err)
		}
		if count(s.bodies(turn.ID), kind[bellcord.StopAsked]) != 1 || count(s.bodies(turn.ID), kind[bellcord.Ended]) != 0 {
			t.Error("viewers should see stopping, and no end yet")
		}
		answers, err = stopping.Wait(t.Context())
		if err != nil || answers[0].State != bellcord.Settled || answers[0].Receipt.Times.Settled.Before(ended) {
			t.Errorf("answered %+v, %v; the work ended at %v", answers, err, ended)
		}
	})
}

func TestLaw11_AStopIsNotAnErrorAndItsCauseIsOnRecord(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		r := sc.receipt
		if r.Error != "" || r.End == bellcord.Failed {
			t.Errorf("failed: %s", r.Error)
		}
		if sc.end == bellcord.Done {
			return
		}
		if c := r.Cause; c == nil || c.Kind != bellcord.Person || c.By != by.By || c.From != by.From || c.Why != by.Why || c.At.IsZero() {
			t.Errorf("cause %+v", r.Cause)
		}
		asked := false
		for _, b := range sc.bodies(sc.id) {
			asked = asked || kind[bellcord.StopAsked](b)
			if asked && kind[bellcord.Retrying](b) {
				t.Error("retried after the stop")
			}
		}
	})
}

func sameReceipt(a, b bellcord.Receipt) bool { return reflect.DeepEqual(plain(a), plain(b)) }

// plain strips what does not survive being written down: monotonic clocks.
func plain(r bellcord.Receipt) bellcord.Receipt {
	for _, at := range []*time.Time{
		&r.Times.Accepted, &r.Times.Started, &r.Times.Requested, &r.Times.StreamClosed, &r.Times.ProcessGone, &r.Times.Settled,
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
