package web_test

import (
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

func TestStop_RunningTurn_ReturnsAReceiptThatNamesTheCaller(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "hang half of ")
	s.until(id, "text_delta")
	a := s.roundTrip("stopper", "POST", "/v1/turns/"+string(turn.ID)+"/stop", api.Stop{Reason: "enough"}).is(200).stopped()
	if a.State != bellcord.StopStateSettled || len(a.Turns) != 1 || a.Turns[0].Receipt == nil {
		t.Fatalf("%+v", a)
	}
	r := a.Turns[0].Receipt
	if r.Turn != turn.ID || r.End != bellcord.EndStopped || r.RaceWinner != bellcord.StopWon || r.Kept.TextBytes != int64(len("half of ")) {
		t.Errorf("%+v", r)
	}
	if c := r.Cause; c.Kind != bellcord.CausePerson || c.By != "anna" || c.Source != "http" || c.Reason != "enough" || c.At.IsZero() {
		t.Errorf("the cause is %+v", c)
	}
	again := s.roundTrip("anna", "POST", "/v1/turns/"+string(turn.ID)+"/stop", api.Stop{Reason: "once more"}).is(200).stopped()
	if again.State != bellcord.StopStateAlreadyEnded || again.Turns[0].Receipt == nil || !again.Turns[0].Receipt.Times.Settled.Equal(r.Times.Settled) || again.Turns[0].Receipt.Cause.Reason != "enough" {
		t.Errorf("again: %+v", again)
	}
	if on := s.roundTrip("anna", "GET", "/v1/turns/"+string(turn.ID), nil).turn(); on.State != "stopped" || on.StopRequest == nil || on.StopRequest.By != "anna" {
		t.Errorf("on record: %+v", on)
	}
}

func TestStop_WithoutWaiting_ReturnsInProgress(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "linger on")
	s.until(id, "text_delta")
	a := s.roundTrip("anna", "POST", "/v1/turns/"+string(turn.ID)+"/stop", api.Stop{Wait: "0s"}).is(202).stopped()
	if a.State != bellcord.StopStateInProgress || len(a.Turns) != 1 || a.Turns[0].Turn != turn.ID || a.Turns[0].Receipt != nil {
		t.Errorf("%+v", a)
	}
	if on := s.roundTrip("anna", "GET", "/v1/turns/"+string(turn.ID), nil).turn(); on.State != api.Stopping {
		t.Errorf("it is %s", on.State)
	}
	s.release()
	if r := s.ended("anna", turn.ID); r.End != bellcord.EndStopped {
		t.Errorf("%+v", r)
	}
	s.roundTrip("anna", "POST", "/v1/stop", `{"wait":"soon"}`).isA(422, "bad-input")
	s.roundTrip("anna", "POST", "/v1/stop", `{"mode":"gently"}`).is(422)
	s.roundTrip("anna", "POST", "/v1/stop", `{"owner":"bert"}`).is(422)
	s.roundTrip("anna", "POST", "/v1/turns/x/stop", nil).isA(422, "bad-input")
}

func TestStop_BeforeItsTurn_StopsTheTurnOnArrival(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	id := bellcord.NewTurnID()
	a := s.roundTrip("anna", "POST", "/v1/turns/"+string(id)+"/stop", api.Stop{Reason: "changed my mind"}).is(202).stopped()
	if a.State != bellcord.StopStateWaitingForTurn || len(a.Turns) != 1 || a.Turns[0].Turn != id {
		t.Errorf("%+v", a)
	}
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{ID: string(id), Text: "hang on"}).is(202)
	r := s.ended("anna", id)
	if r.End != bellcord.EndStopped || r.Cause.Reason != "changed my mind" || !r.Times.Started.IsZero() {
		t.Errorf("%+v", r)
	}
	if _, ran := s.given(id); ran {
		t.Error("the agent was asked")
	}
}

func TestStop_BeforeItsTurnWithoutWaiting_ReturnsWaitingForTurn(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for range 20 {
		a := s.roundTrip("anna", "POST", "/v1/turns/"+string(bellcord.NewTurnID())+"/stop", api.Stop{Wait: "0s"}).is(202).stopped()
		if a.State != bellcord.StopStateWaitingForTurn || !a.Recorded {
			t.Fatalf("%+v", a)
		}
	}
}

func TestStop_BeforeATurnOfAnotherOwner_HasNoEffect(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	id := bellcord.NewTurnID()
	s.roundTrip("bert", "POST", "/v1/turns/"+string(id)+"/stop", nil).is(202)
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{ID: string(id), Text: "say hi"}).is(202)
	if r := s.ended("anna", id); r.End != bellcord.EndDone || r.Cause != nil {
		t.Errorf("%+v", r)
	}
}

func TestStop_SessionOrAll_StopsOnlyTheCallersTurns(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	type running struct {
		path string
		turn api.Turn
	}
	begin := func(user string) running {
		path, id := s.session(user)
		turn := s.prompt(user, path, "hang on")
		s.until(id, "text_delta")
		return running{path, turn}
	}
	one, two, berts := begin("anna"), begin("anna"), begin("bert")
	a := s.roundTrip("anna", "POST", one.path+"/stop", nil).is(200).stopped()
	if a.State != bellcord.StopStateSettled || len(a.Turns) != 1 || a.Turns[0].Turn != one.turn.ID {
		t.Errorf("the session: %+v", a)
	}
	if a := s.roundTrip("anna", "POST", one.path+"/stop", nil).is(200).stopped(); a.State != api.NothingToStop || len(a.Turns) != 0 {
		t.Errorf("the session again: %+v", a)
	}
	a = s.roundTrip("anna", "POST", "/v1/stop", nil).is(200).stopped()
	if a.State != bellcord.StopStateSettled || len(a.Turns) != 1 || a.Turns[0].Turn != two.turn.ID {
		t.Errorf("all: %+v", a)
	}
	if on := s.roundTrip("bert", "GET", "/v1/turns/"+string(berts.turn.ID), nil).turn(); on.State != api.Running || on.StopRequest != nil {
		t.Errorf("bert's is %+v", on)
	}
	if a := s.roundTrip("anna", "POST", "/v1/stop", nil).is(200).stopped(); a.State != api.NothingToStop {
		t.Errorf("all again: %+v", a)
	}
	if a := s.roundTrip("admin", "POST", "/v1/stop", nil).is(200).stopped(); len(a.Turns) != 1 || a.Turns[0].Turn != berts.turn.ID {
		t.Errorf("an admin's: %+v", a)
	}
}

func TestStop_QueueAction_AppliesToTheQueuedTurns(t *testing.T) {
	t.Parallel()
	for fate, want := range map[string]struct {
		states  [2]api.TurnState // of the two queued turns, in the end
		stopped int
	}{
		"":     {[2]api.TurnState{api.Queued, api.Queued}, 1},
		"hold": {[2]api.TurnState{api.Queued, api.Queued}, 1},
		"drop": {[2]api.TurnState{"stopped", "stopped"}, 3},
		"next": {[2]api.TurnState{"done", "done"}, 1},
	} {
		t.Run(fate, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, nil)
			path, id := s.session("anna")
			runs := s.prompt("anna", path, "hang on")
			waits := []api.Turn{s.prompt("anna", path, "say one"), s.prompt("anna", path, "say two")}
			s.until(id, "text_delta")
			a := s.roundTrip("anna", "POST", path+"/stop", api.Stop{Queue: fate}).is(200).stopped()
			if len(a.Turns) != want.stopped || a.Turns[0].Turn != runs.ID {
				t.Errorf("stopped %+v", a)
			}
			for i, w := range waits {
				wait := ""
				if want.states[i] != api.Queued {
					wait = "?wait=30s"
				}
				on := s.roundTrip("anna", "GET", "/v1/turns/"+string(w.ID)+wait, nil).is(200).turn()
				if on.State != want.states[i] || on.Held != (want.states[i] == api.Queued) {
					t.Errorf("number %d: %+v", i, on)
				}
				if fate == "drop" && (on.Receipt.Prompt != w.Text || !on.Receipt.Times.Started.IsZero()) {
					t.Errorf("what was dropped comes back as %+v", on.Receipt)
				}
			}
		})
	}
}

func TestStop_AfterStep_LetsTheStepEnd(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "wait on")
	s.until(id, "text_delta")
	a := s.roundTrip("anna", "POST", "/v1/turns/"+string(turn.ID)+"/stop", api.Stop{Mode: "after_step", Wait: "0s"}).is(202).stopped()
	if a.State != bellcord.StopStateInProgress {
		t.Errorf("%+v", a)
	}
	s.until(id, "stop_requested")
	if on := s.roundTrip("anna", "GET", "/v1/turns/"+string(turn.ID), nil).turn(); on.State != api.Running || on.StopRequest == nil {
		t.Errorf("meanwhile: %+v", on)
	}
	s.release()
	if r := s.ended("anna", turn.ID); r.End != bellcord.EndDone || r.RaceWinner != bellcord.CompletionWon {
		t.Errorf("%+v", r)
	}
	if on := s.roundTrip("anna", "GET", "/v1/turns/"+string(turn.ID), nil).turn(); on.StopRequest == nil || on.StopRequest.Mode != bellcord.StopAfterStep {
		t.Errorf("on record: %+v", on)
	}
}

func TestStop_Force_AbandonsAnAgentThatDoesNotReturn(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	defer s.release()
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "linger on")
	s.until(id, "text_delta")
	a := s.roundTrip("anna", "POST", "/v1/turns/"+string(turn.ID)+"/stop", api.Stop{Mode: "force", Wait: "5s"}).is(200).stopped()
	if r := a.Turns[0].Receipt; r == nil || r.End != bellcord.EndStopped || !r.AgentAbandoned {
		t.Errorf("%+v", a)
	}
}
