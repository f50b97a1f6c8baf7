package web_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// line creates a session with one running and three queued turns.
func (s *stage) line() (path string, session bellcord.SessionID, runs bellcord.TurnID, waits []bellcord.TurnID) {
	s.t.Helper()
	path, session = s.session("anna")
	runs = s.prompt("anna", path, "hang on").ID
	for _, text := range []string{"say one", "say two", "say three"} {
		waits = append(waits, s.prompt("anna", path, text).ID)
	}
	s.until(session, "text_delta")
	return path, session, runs, waits
}

func ids(turns []api.Turn) (all []bellcord.TurnID) {
	for _, t := range turns {
		all = append(all, t.ID)
	}
	return all
}

// turnTexts returns the texts of a session's turns, in order.
func (s *stage) turnTexts(id bellcord.SessionID) (all []string) {
	s.t.Helper()
	events, err := s.store.Events(s.t.Context(), id, 0, 10_000)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, ev := range events {
		if delta, is := ev.Body.(bellcord.TextDelta); is {
			all = append(all, delta.Text)
		}
	}
	return all
}

func TestQueue_QueuedTurns_AreListedInOrderAndEditable(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, session, runs, waits := s.line()
	if got := ids(s.roundTrip("anna", "GET", path+"/queue", nil).is(200).turns()); !slices.Equal(got, waits) {
		t.Errorf("it is %v, not %v", got, waits)
	}
	var found api.Session
	s.roundTrip("anna", "GET", path, nil).is(200).into(&found)
	if got := ids(found.Turns); !slices.Equal(got, append([]bellcord.TurnID{runs}, waits...)) {
		t.Errorf("the session has %v", got)
	}
	edited := s.roundTrip("anna", "PATCH", "/v1/turns/"+string(waits[1]), api.EditTurn{Text: "say 2"}).is(200).turn()
	if edited.ID != waits[1] || edited.Text != "say 2" || edited.State != api.Queued {
		t.Errorf("%+v", edited)
	}
	s.roundTrip("anna", "PATCH", "/v1/turns/"+string(runs), api.EditTurn{Text: "say"}).isA(409, "turn-started")
	s.roundTrip("anna", "PATCH", "/v1/turns/"+string(waits[1]), api.EditTurn{Text: ""}).is(422)
	s.roundTrip("anna", "POST", path+"/stop", api.Stop{Queue: "next"}).is(200)
	s.ended("anna", waits[2])
	if got := s.turnTexts(session); !slices.Equal(got, []string{"on", "one", "2", "three"}) {
		t.Errorf("said %q", got)
	}
	s.roundTrip("anna", "PATCH", "/v1/turns/"+string(waits[0]), api.EditTurn{Text: "say"}).isA(409, "turn-started")
}

func TestQueue_HeldTurns_AreReleasedOneByOneOrTogether(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, session, _, waits := s.line()
	s.roundTrip("anna", "POST", path+"/stop", nil).is(200)
	for _, held := range s.roundTrip("anna", "GET", path+"/queue", nil).is(200).turns() {
		if !held.Held {
			t.Errorf("%s is not held", held.ID)
		}
	}
	s.roundTrip("anna", "POST", "/v1/turns/"+string(waits[2])+"/send", nil).is(200)
	if r := s.ended("anna", waits[2]); r.End != bellcord.EndDone {
		t.Errorf("%+v", r)
	}
	if got := ids(s.roundTrip("anna", "GET", path+"/queue", nil).is(200).turns()); !slices.Equal(got, waits[:2]) {
		t.Errorf("still waiting: %v", got)
	}
	s.roundTrip("anna", "POST", path+"/queue/send", nil).is(200)
	s.ended("anna", waits[0])
	s.ended("anna", waits[1])
	if got := s.turnTexts(session); !slices.Equal(got, []string{"on", "three", "one", "two"}) {
		t.Errorf("said %q", got)
	}
	s.roundTrip("anna", "POST", "/v1/turns/"+string(waits[0])+"/send", nil).isA(409, "turn-started")
}

func TestDiscard_QueuedTurn_NeverRunsAndReturnsItsPrompt(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	_, session, _, waits := s.line()
	a := s.roundTrip("anna", "DELETE", "/v1/turns/"+string(waits[0]), nil).is(200).stopped()
	if a.State != bellcord.StopStateSettled || a.Turns[0].Receipt.Prompt != "say one" || !a.Turns[0].Receipt.Times.Started.IsZero() {
		t.Errorf("%+v", a)
	}
	s.roundTrip("anna", "POST", "/v1/sessions/"+string(session)+"/stop", api.Stop{Queue: "next"}).is(200)
	s.ended("anna", waits[2])
	if got := s.turnTexts(session); !slices.Equal(got, []string{"on", "two", "three"}) {
		t.Errorf("said %q", got)
	}
}

// A client that loses the answer to an edit sends the edit again, possibly after
// the turn has started or ended.
func TestEditTurn_SentAgain_SucceedsAndIsRecordedOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, session, runs, waits := s.line()
	edit := func(text string) answer {
		return s.roundTrip("anna", "PATCH", "/v1/turns/"+string(waits[0]), api.EditTurn{Text: text})
	}
	for range 2 {
		edit("hang edited").is(200)
	}
	s.roundTrip("anna", "POST", "/v1/turns/"+string(runs)+"/stop", api.Stop{Queue: "next"}).is(200)
	for s.roundTrip("anna", "GET", "/v1/turns/"+string(waits[0]), nil).is(200).turn().State == api.Queued {
		runtime.Gosched()
	}
	edit("hang edited").is(200)
	edit("too late").isA(409, "turn-started")
	s.roundTrip("anna", "POST", path+"/stop", api.Stop{Queue: "drop"}).is(200)
	edit("hang edited").is(200)
	edit("too late").isA(409, "turn-started")
	events, err := s.store.Events(t.Context(), session, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	edits := 0
	for _, ev := range events {
		if _, is := ev.Body.(bellcord.PromptEdited); is {
			edits++
		}
	}
	if edits != 1 {
		t.Errorf("%d edits are recorded, want 1", edits)
	}
}
