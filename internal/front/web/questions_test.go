package web_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// questions returns the open questions of a turn.
func (s *stage) questions(user, turn string) []bellcord.Question {
	s.t.Helper()
	var open api.Questions
	s.roundTrip(user, "GET", "/v1/turns/"+turn+"/questions", nil).is(200).into(&open)
	return open.Questions
}

func TestAnswer_OpenQuestion_IsAcceptedOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := string(s.prompt("anna", path, "ask May I?").ID)
	s.until(id, "question_opened")
	open := s.questions("anna", turn)
	if len(open) != 1 || open[0].Text != "May I?" || len(open[0].Choices) != 2 {
		t.Fatalf("%+v", open)
	}
	if on := s.roundTrip("anna", "GET", "/v1/turns/"+turn, nil).turn(); on.State != api.Waiting || len(on.Questions) != 1 {
		t.Errorf("it is %+v", on)
	}
	at := "/v1/turns/" + turn + "/answers/"
	s.roundTrip("anna", "POST", at+open[0].ID, api.Answer{Choice: "perhaps"}).isA(422, "bad-input")
	s.roundTrip("anna", "POST", at+"other", api.Answer{Choice: "yes"}).isA(404, "question-not-found")
	s.roundTrip("anna", "POST", at+open[0].ID, `{}`).is(422)
	s.roundTrip("anna", "POST", at+open[0].ID, `{"choice":"yes","by":"bert"}`).is(422)
	s.roundTrip("anna", "POST", at+open[0].ID, api.Answer{Choice: "yes"}).is(204)
	if r := s.ended("anna", bellcord.TurnID(turn)); r.End != bellcord.EndDone {
		t.Errorf("%+v", r)
	}
	if ev, is := s.until(id, "question_answered").Body.(bellcord.QuestionAnswered); !is || ev.By != "anna" || ev.Choice != "yes" {
		t.Errorf("%+v", ev)
	}
	if open := s.questions("anna", turn); len(open) != 0 {
		t.Errorf("still open: %+v", open)
	}
}

func TestAnswer_QuestionRequiresAdmin_OthersCanOnlyReject(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := string(s.prompt("anna", path, "guard May I?").ID)
	s.until(id, "question_opened")
	open := s.questions("anna", turn)
	if len(open) != 1 || open[0].Requires != bellcord.ScopeAdmin || len(open[0].Choices) != 1 || open[0].Choices[0].ID != "no" {
		t.Fatalf("anna is offered %+v", open)
	}
	if all := s.questions("admin", turn); len(all) != 1 || len(all[0].Choices) != 2 {
		t.Errorf("an admin is offered %+v", all)
	}
	at := "/v1/turns/" + turn + "/answers/" + open[0].ID
	refused := s.roundTrip("anna", "POST", at, api.Answer{Choice: "yes"})
	refused.isA(403, "scope")
	if detail := refused.problem().Detail; !strings.Contains(detail, "only a person with the scope admin") || !strings.Contains(detail, "bellcord open --admin") {
		t.Errorf("told %q", detail)
	}
	s.roundTrip("anna", "POST", at, `{"choice":"yes","scopes":["admin"]}`).is(422)
	s.roundTrip("bert", "POST", at, api.Answer{Choice: "yes"}).isA(404, "turn-not-found")
	if len(s.questions("anna", turn)) != 1 {
		t.Fatal("the question is not open any more")
	}
	s.roundTrip("admin", "POST", at, api.Answer{Choice: "yes"}).is(204)
	s.ended("anna", bellcord.TurnID(turn))
	path, id = s.session("anna")
	turn = string(s.prompt("anna", path, "guard Again?").ID)
	s.until(id, "question_opened")
	s.roundTrip("anna", "POST", "/v1/turns/"+turn+"/answers/"+s.questions("anna", turn)[0].ID, api.Answer{Choice: "no"}).is(204)
	s.ended("anna", bellcord.TurnID(turn))
}

func TestAnswer_ReasonOfARejection_IsRecorded(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "ask May I?").ID
	s.until(id, "question_opened")
	at := "/v1/turns/" + string(turn) + "/answers/" + s.questions("anna", string(turn))[0].ID
	s.roundTrip("anna", "POST", at, api.Answer{Choice: "yes", Reason: "why not"}).isA(422, "answer-invalid")
	s.roundTrip("anna", "POST", at, api.Answer{Choice: "no", Reason: strings.Repeat("x", bellcord.MaxReason+1)}).is(422)
	s.roundTrip("anna", "POST", at, api.Answer{Choice: "no", Reason: "not on Friday"}).is(204)
	s.ended("anna", turn)
	if ev, is := s.until(id, "question_answered").Body.(bellcord.QuestionAnswered); !is || ev.Choice != "no" || ev.Reason != "not on Friday" {
		t.Errorf("%+v", ev)
	}
}

func TestAnswer_TurnStopped_ReturnsTurnEnded(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := string(s.prompt("anna", path, "ask May I?").ID)
	s.until(id, "question_opened")
	question := s.questions("anna", turn)[0].ID
	a := s.roundTrip("anna", "POST", "/v1/turns/"+turn+"/stop", nil).is(200).stopped()
	if got := a.Turns[0].Receipt.WithdrawnQuestions; len(got) != 1 || got[0] != question {
		t.Errorf("closed: %v", got)
	}
	s.roundTrip("anna", "POST", "/v1/turns/"+turn+"/answers/"+question, api.Answer{Choice: "yes"}).isA(409, "turn-ended")
}

func TestAnswer_FormValues_AreCheckedAndReachTheAgent(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := string(s.prompt("anna", path, "form Where?").ID)
	s.until(id, "question_opened")
	open := s.questions("anna", turn)
	if len(open) != 1 || len(open[0].Fields) != 2 || open[0].Fields[0].Name != "env" || len(open[0].Choices) != 2 {
		t.Fatalf("%+v", open)
	}
	at := "/v1/turns/" + turn + "/answers/" + open[0].ID
	for body, want := range map[string]string{
		`{"choice":"accept"}`:                                    `field "env" is required: expected one of dev, prod`,
		`{"choice":"accept","values":{"env":"test"}}`:            `field "env": expected one of dev, prod`,
		`{"choice":"accept","values":{"env":"dev","count":10}}`:  `field "count": expected a whole number from 1 to 9`,
		`{"choice":"accept","values":{"env":"dev","count":"1"}}`: `field "count": expected a whole number from 1 to 9`,
		`{"choice":"accept","values":{"env":"dev","x":1}}`:       `field "x": the question has no such field`,
		`{"choice":"yes"}`:                                       `choice: expected accept, decline or cancel`,
	} {
		got := s.roundTrip("anna", "POST", at, body)
		got.isA(422, "answer-invalid")
		if !strings.Contains(string(got.body), strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("%s: %s, want %s", body, got.body, want)
		}
	}
	s.roundTrip("anna", "POST", at, `{"choice":"accept","values":{"env":"dev","count":3}}`).is(204)
	if r := s.ended("anna", bellcord.TurnID(turn)); r.End != bellcord.EndDone {
		t.Errorf("%+v", r)
	}
	if ev, is := s.until(id, "question_answered").Body.(bellcord.QuestionAnswered); !is || ev.Choice != "accept" || string(ev.Values["count"]) != "3" {
		t.Errorf("%+v", ev)
	}
	if ev := s.until(id, "text_delta").Body.(bellcord.TextDelta); ev.Text != `accept {"count":3,"env":"dev"}` {
		t.Errorf("the agent received %s", ev.Text)
	}
	s.roundTrip("anna", "POST", at, `{"choice":"decline"}`).isA(409, "turn-ended")
}
