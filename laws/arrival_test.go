package laws_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
)

func TestLaw01_StopOfOneTurn_LeavesTheNextTurnRunning(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		next := sc.send("", "[slow 5] the next turn")
		sc.await(next.ID, emittedText("word2"))
		again, err := sc.entrance().Stop(bellcord.StopTurn(sc.id, by)).Wait(t.Context())
		if err != nil || again[0].State != bellcord.StopStateAlreadyEnded {
			t.Errorf("a late stop was answered %+v, %v", again, err)
		}
		<-next.Settled()
		if r := next.Receipt(); r.End != bellcord.EndDone || r.Cause != nil {
			t.Errorf("the next turn ended %s by %v", r.End, r.Cause)
		}
	})
}

func TestLaw01_StopOfSession_DoesNotAffectLaterTurns(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		first := s.send("", "[slow 50]")
		s.await(first.ID, emittedText("word2"))
		stopping := s.Stop(bellcord.StopSession(s.session, by))
		later := s.send("", "hello") // accepted after the stop
		if _, err := stopping.Wait(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
		<-later.Settled()
		if first.Receipt().End != bellcord.EndStopped || later.Receipt().End != bellcord.EndDone {
			s.t.Errorf("ended %s and %s", first.Receipt().End, later.Receipt().End)
		}
	})
}

func TestLaw02_StopBeforeStart_PreventsModelRequestsAndToolCalls(t *testing.T) {
	t.Parallel()
	for _, on := range grounds(t) {
		for _, from := range on.ways(0) {
			for _, c := range cuts[:3] { // before accept, queued, starting
				c.prompt = `[tool quick {}]`
				atCut(t, on.name+"/"+from.name, c, setting{ground: on, format: formats[0], from: from}, func(t *testing.T, sc scene) {
					<-time.After(20 * time.Minute)
					if n := len(sc.model.Requests()); n != c.requests || sc.ran.of("quick") != 0 {
						t.Errorf("%d model requests, %d tools", n, sc.ran.of("quick"))
					}
					if sc.receipt.End != bellcord.EndStopped || !sc.receipt.Times.Started.IsZero() && c.name != "starting" {
						t.Errorf("receipt %+v", sc.receipt)
					}
				})
			}
		}
	}
}

func TestLaw02_EarlyStop_ExpiresAfterTenMinutes(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		id := bellcord.NewTurnID()
		answers, err := s.Stop(bellcord.StopTurn(id, by)).Wait(s.t.Context())
		if err != nil || answers[0].State != bellcord.StopStateWaitingForTurn {
			s.t.Fatalf("answered %+v, %v", answers, err)
		}
		<-time.After(store.EarlyStopLifetime + 2*time.Second)
		turn := s.send(id, "hello")
		<-turn.Settled()
		if turn.Receipt().End != bellcord.EndDone {
			s.t.Errorf("ended %s", turn.Receipt().End)
		}
	})
}

func TestLaw03_StopWithoutTurns_ChangesNothingAndReturnsNoAnswers(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		for _, req := range []bellcord.StopRequest{
			bellcord.StopSession(s.session, by),
			bellcord.StopSession(bellcord.NewSessionID(), by),
			bellcord.StopAll(by),
		} {
			answers, err := s.Stop(req).Wait(s.t.Context())
			if err != nil || len(answers) != 0 {
				s.t.Errorf("answered %+v, %v", answers, err)
			}
		}
		s.done("hello")
	})
}

// Law 4: stops that no person requested take the same path: the receipts differ
// only in the cause and in the action for the queue.
func TestLaw04_EveryKindOfCause_GivesTheSameReceipt(t *testing.T) {
	t.Parallel()
	ways := []struct {
		name string
		kind bellcord.CauseKind
		stop func(s *stage, turn *hub.Turn)
	}{
		{"a turn", bellcord.CausePerson, func(s *stage, turn *hub.Turn) { s.Stop(bellcord.StopTurn(turn.ID, by)) }},
		{"a session", bellcord.CausePerson, func(s *stage, _ *hub.Turn) { s.Stop(bellcord.StopSession(s.session, by)) }},
		{"everything", bellcord.CausePerson, func(s *stage, _ *hub.Turn) { s.Stop(bellcord.StopAll(by)) }},
		{"a newer prompt", bellcord.CauseReplaced, func(s *stage, _ *hub.Turn) {
			s.sendPrompt(bellcord.Prompt{Text: "instead", WhenBusy: bellcord.BusyReplace})
		}},
		{"a shutdown", bellcord.CauseShutdown, func(s *stage, _ *hub.Turn) {
			if err := s.Drain(s.t.Context(), bellcord.Cause{Kind: bellcord.CauseShutdown}); err != nil {
				s.t.Error(err)
			}
		}},
		{"a closed session", bellcord.CausePerson, func(s *stage, _ *hub.Turn) {
			if _, err := s.CloseSession(s.t.Context(), s.session, by); err != nil {
				s.t.Error(err)
			}
		}},
		{"a deadline", bellcord.CauseDeadline, func(_ *stage, turn *hub.Turn) { <-turn.Settled() }},
		{"another process", bellcord.CausePerson, func(s *stage, turn *hub.Turn) { s.stopFromOutside(turn.ID) }},
	}
	receipts := make([]bellcord.Receipt, len(ways))
	t.Run("origins", func(t *testing.T) {
		for i, o := range ways {
			t.Run(o.name, func(t *testing.T) {
				t.Parallel()
				onEvenStage(t, setting{}, func(s *stage) {
					p := bellcord.Prompt{Text: "[hang after 3]"}
					if o.kind == bellcord.CauseDeadline {
						p.Deadline = time.Minute
					}
					turn := s.sendPrompt(p)
					s.await(turn.ID, emittedText("word3"))
					o.stop(s, turn)
					<-turn.Settled()
					receipts[i] = turn.Receipt()
				})
			})
		}
	})
	for i, r := range receipts {
		if r.Cause == nil || r.Cause.Kind != ways[i].kind {
			t.Errorf("%s: cause %+v", ways[i].name, r.Cause)
		}
		want := receipts[0]
		r.Cause, r.Queue, want.Cause, want.Queue = nil, "", nil, ""
		for field, how := range differences("", reflect.ValueOf(r), reflect.ValueOf(want)) {
			t.Errorf("%s: %s is %s", ways[i].name, field, how)
		}
	}
}

func TestLaw05_StopWhileStoreIsStuck_ClosesModelRequestImmediately(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		turn := s.send("", "[slow 1000]")
		s.await(turn.ID, emittedText("word3"))
		held := s.store.shut(func(store.Op) bool { return true })
		<-held // no commit completes from here on
		requested := time.Now()
		s.Stop(bellcord.StopTurn(turn.ID, by))
		s.aborted(1)
		if took := time.Since(requested); took != 0 {
			s.t.Errorf("the model was let go after %v", took)
		}
		s.store.open()
		<-turn.Settled()
		if turn.Receipt().End != bellcord.EndStopped {
			s.t.Errorf("ended %s", turn.Receipt().End)
		}
	})
}

func TestLaw06_Stop_SendsNoRequestToTheModel(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		<-time.After(20 * time.Minute)
		if n := len(sc.model.Requests()); n != sc.requests {
			t.Errorf("the model saw %d requests, %d before the stop", n, sc.requests)
		}
	})
}
