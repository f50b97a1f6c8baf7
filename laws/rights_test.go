package laws_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store/sqlite"
)

// of creates a session of the owner and runs a turn in it that does not end by
// itself.
func (s *stage) of(owner string) *hub.Turn {
	s.t.Helper()
	made, err := s.NewSession(s.t.Context(), bellcord.Session{Dir: "/", Owner: owner})
	if err != nil {
		s.t.Fatal(err)
	}
	turn, err := s.Prompt(made.ID, bellcord.Prompt{Text: "go"})
	if err != nil {
		s.t.Fatal(err)
	}
	synctest.Wait()
	return turn
}

// patientAgent works until it is stopped.
var patientAgent = agentFunc(func(ctx context.Context, _ *hub.Work) error {
	<-ctx.Done()
	return context.Cause(ctx)
})

func TestLaw35_StopWithOwner_StopsOnlyThatOwnersTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := bareStage(t, patientAgent, hub.Options{})
		annas, berts := s.of("anna"), s.of("bert")
		for _, req := range []bellcord.StopRequest{
			{Turn: berts.ID, Owner: "anna", Cause: by},
			{Session: berts.Session, Owner: "anna", Cause: by},
			{Session: berts.Session, Owner: "anna", Queue: bellcord.QueueDrop, Everywhere: true, Cause: by},
		} {
			answers, err := s.Stop(req).Wait(t.Context())
			if len(answers) != 0 || req.Turn != "" && !errors.Is(err, bellcord.ErrNoTurn) {
				t.Errorf("%+v was answered %+v, %v", req, answers, err)
			}
		}
		answers, err := s.Stop(bellcord.StopRequest{Owner: "anna", Everywhere: true, Cause: by}).Wait(t.Context())
		if err != nil || len(answers) != 1 || answers[0].Turn != annas.ID {
			t.Errorf("all of anna's: %+v, %v", answers, err)
		}
		if _, runs := s.QueueEntry(berts.ID); !runs {
			t.Error("bert's turn was stopped")
		}
		answers, err = s.Stop(bellcord.StopAll(by)).Wait(t.Context())
		if err != nil || len(answers) != 1 || answers[0].Turn != berts.ID {
			t.Errorf("everybody's: %+v, %v", answers, err)
		}
	})
}

func TestLaw35_EarlyStopWithOwner_AppliesOnlyToThatOwnersTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := bareStage(t, patientAgent, hub.Options{})
		id := bellcord.NewTurnID()
		answers, err := s.Stop(bellcord.StopRequest{Turn: id, Owner: "anna", Cause: by}).Wait(t.Context())
		if err != nil || answers[0].State != bellcord.StopStateWaitingForTurn {
			t.Fatalf("answered %+v, %v", answers, err)
		}
		for _, test := range []struct {
			owner string
			runs  bool
		}{{"bert", true}, {"anna", false}} {
			made, err := s.NewSession(t.Context(), bellcord.Session{Dir: "/", Owner: test.owner})
			if err != nil {
				t.Fatal(err)
			}
			turn, err := s.Prompt(made.ID, bellcord.Prompt{Turn: id, Text: "go"})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if standing, is := s.QueueEntry(id); is != test.runs || is && standing.State != bellcord.StateRunning {
				t.Errorf("%s's turn: %+v, %v", test.owner, standing, is)
			}
			if err := s.DeleteSession(t.Context(), turn.Session, by); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestLaw07_TwoEarlyStops_ReceiptAndLogHaveTheSameCause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := bareStage(t, patientAgent, hub.Options{})
		made, err := s.NewSession(t.Context(), bellcord.Session{Dir: "/", Owner: "anna"})
		if err != nil {
			t.Fatal(err)
		}
		id := bellcord.NewTurnID()
		for _, req := range []bellcord.StopRequest{
			{Turn: id, Owner: "anna", Cause: bellcord.Cause{By: "anna"}},
			{Turn: id, Cause: bellcord.Cause{By: "an admin, later"}},
		} {
			if _, err := s.Stop(req).Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Second)
		}
		turn, err := s.Prompt(made.ID, bellcord.Prompt{Turn: id, Text: "go"})
		if err != nil {
			t.Fatal(err)
		}
		<-turn.Settled()
		record, err := s.Turn(t.Context(), id)
		if err != nil || record.Stop.By != "anna" || turn.Receipt().Cause.By != "anna" {
			t.Errorf("on record %v, on the receipt %v, %v", record.Stop, turn.Receipt().Cause, err)
		}
	})
}

func TestLaw01_StopOfEverythingEverywhere_IncludesOtherProcesses(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		store, err := sqlite.Open(s.t.Context(), s.dir)
		if err != nil {
			s.t.Fatal(err)
		}
		other, err := hub.Open(s.t.Context(), store, s.agent, hub.Options{})
		if err != nil {
			s.t.Fatal(err)
		}
		defer func() {
			if err := errors.Join(other.Close(context.Background()), store.Close()); err != nil {
				s.t.Error(err)
			}
		}()
		made, err := other.NewSession(s.t.Context(), bellcord.Session{Dir: "/", Model: "chat/fake"})
		if err != nil {
			s.t.Fatal(err)
		}
		foreign, err := other.Prompt(made.ID, bellcord.Prompt{Text: "[hang]"})
		if err != nil {
			s.t.Fatal(err)
		}
		own := s.send("", "[hang]")
		s.requested(2)
		answers, err := s.Stop(bellcord.StopRequest{Everywhere: true, Cause: by}).Wait(s.t.Context())
		var got []bellcord.TurnID
		for _, a := range answers {
			if a.State != bellcord.StopStateSettled || a.Receipt == nil || a.Receipt.End != bellcord.EndStopped {
				s.t.Errorf("answered %+v", a)
			}
			got = append(got, a.Turn)
		}
		if err != nil || !slices.Equal(got, []bellcord.TurnID{own.ID, foreign.ID}) {
			s.t.Errorf("stopped %v, %v", got, err)
		}
	})
}

func TestLaw29_HeldTurn_CanBeEditedSentAndDiscarded(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		first := s.send("", "[hang] one")
		s.requested(1)
		two, three, four := s.send("", "[say two]"), s.send("", "[say three]"), s.send("", "[say four]")
		if err := s.Edit(first.ID, "too late"); !errors.Is(err, bellcord.ErrStarted) {
			s.t.Errorf("what runs was edited: %v", err)
		}
		if _, err := s.Stop(bellcord.StopTurn(first.ID, by)).Wait(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
		if err := errors.Join(s.Edit(three.ID, "[say better]"), s.MoveToFront(three.ID)); err != nil {
			s.t.Fatal(err)
		}
		<-three.Settled()
		if got := s.textOf(three.ID); got != "better" {
			s.t.Errorf("it said %q", got)
		}
		if line := s.Queue(s.session); len(line) != 2 || !line[0].Held || line[0].Turn != two.ID || line[0].State != bellcord.StateQueued {
			s.t.Errorf("the line is %+v", line)
		}
		if stats := s.Stats(); stats.Held != 2 || stats.Running != 0 {
			s.t.Errorf("counted %+v", stats)
		}
		answers, err := s.Stop(bellcord.StopTurn(two.ID, by)).Wait(s.t.Context())
		if err != nil || answers[0].Receipt.Prompt != "[say two]" {
			s.t.Errorf("discarded: %+v, %v", answers, err)
		}
		if err := s.Edit(two.ID, "gone"); !errors.Is(err, bellcord.ErrNoTurn) {
			s.t.Errorf("what is gone was edited: %v", err)
		}
		s.Release(s.session)
		<-four.Settled()
	})
}

func TestLaw33_AcceptedTurn_IsStoredAndItsIDIsTaken(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		turn := s.send("", "[say yes]")
		if err := turn.Accepted(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
		if _, err := s.Turn(s.t.Context(), turn.ID); err != nil {
			s.t.Errorf("it was called accepted and is not on record: %v", err)
		}
		if err := s.Await(s.t.Context(), turn.ID); err != nil {
			s.t.Fatal(err)
		}
		<-time.After(time.Second) // at the same time it would be the same prompt
		again := s.send(turn.ID, "[say no]")
		if err := again.Accepted(s.t.Context()); !errors.Is(err, bellcord.ErrTurnExists) {
			s.t.Errorf("its id is taken: %v", err)
		}
		<-again.Settled()
		if got := again.Receipt(); !sameReceipt(got, turn.Receipt()) {
			s.t.Errorf("the receipt is %+v", got)
		}
	})
}

func TestCloseIdle_SessionWithoutTurns_IsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := bareStage(t, patientAgent, hub.Options{Idle: -1})
		busy := s.of("anna")
		<-time.After(2 * time.Minute)
		if idle := s.CloseIdle(time.Now().Add(-time.Minute)); !slices.Equal(idle, []bellcord.SessionID{s.session}) {
			t.Errorf("let go of %v", idle)
		}
		if _, err := s.Prompt(s.session, bellcord.Prompt{Text: "go"}); !errors.Is(err, bellcord.ErrNotOpen) {
			t.Errorf("prompted: %v", err)
		}
		if _, err := s.OpenSession(t.Context(), s.session); err != nil {
			t.Error(err)
		}
		if _, err := s.Stop(bellcord.StopTurn(busy.ID, by)).Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestWaitForTurns_BeforeDrain_LetsRunningTurnFinish(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		quick, slow := s.send("", "[slow 10]"), bellcord.NewTurnID()
		s.requested(1)
		s.send(slow, "[hang]")
		bounded, done := context.WithTimeout(s.t.Context(), 30*time.Second)
		defer done()
		if err := s.WaitForTurns(bounded); !errors.Is(err, context.DeadlineExceeded) {
			s.t.Errorf("finished: %v", err)
		}
		if _, err := s.Prompt(s.session, bellcord.Prompt{Text: "go"}); !errors.Is(err, bellcord.ErrDraining) {
			s.t.Errorf("prompted: %v", err)
		}
		if err := s.Drain(s.t.Context(), bellcord.Cause{Kind: bellcord.CauseShutdown}); err != nil {
			s.t.Error(err)
		}
		if end := quick.Receipt().End; end != bellcord.EndDone {
			s.t.Errorf("the quick one ended %s", end)
		}
		if r := s.ended(slow); r.End != bellcord.EndStopped || r.Cause.Kind != bellcord.CauseShutdown {
			s.t.Errorf("the slow one: %+v", r)
		}
	})
}
