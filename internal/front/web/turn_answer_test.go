package web_test

import (
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

func TestTurn_IncludeAnswer_ReturnsTheTextWhileRunningAndAfterAnyEnd(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	// The turns before and after are not part of the answer.
	s.ended("anna", s.prompt("anna", path, "say before").ID)
	done := s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "say all of it"}).is(202).turn()
	get := func(turn bellcord.TurnID) api.Turn {
		return s.roundTrip("anna", "GET", "/v1/turns/"+string(turn)+"?wait=10s&include=answer", nil).is(200).turn()
	}
	if got := get(done.ID); got.State != "done" || got.Answer == nil || got.Answer.Text != "all of it" || len(got.Answer.Messages) != 1 {
		t.Errorf("done: %+v", got.Answer)
	}
	if got := s.roundTrip("anna", "GET", "/v1/turns/"+string(done.ID), nil).is(200).turn(); got.Answer != nil {
		t.Errorf("it was not asked for: %+v", got.Answer)
	}

	path, id := s.session("anna")
	running := s.prompt("anna", path, "hang half of it")
	s.until(id, "text_delta")
	at := "/v1/turns/" + string(running.ID) + "?include=answer"
	if got := s.roundTrip("anna", "GET", at, nil).is(200).turn(); got.State != api.Running || got.Answer.Text != "half of it" {
		t.Errorf("running: %s %+v", got.State, got.Answer)
	}
	s.roundTrip("anna", "POST", "/v1/turns/"+string(running.ID)+"/stop", nil).is(200)
	s.ended("anna", s.prompt("anna", path, "say after").ID)
	if got := get(running.ID); got.State != "stopped" || got.Answer.Text != "half of it" {
		t.Errorf("stopped: %s %+v", got.State, got.Answer)
	}
	s.roundTrip("anna", "GET", "/v1/turns/"+string(done.ID)+"?include=everything", nil).isA(422, "bad-input")
	s.roundTrip("bert", "GET", at, nil).is(404)
	s.roundTrip("prompter", "GET", at, nil).is(403)
}
