package web_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

func TestPrompt_SlashCommand_IsRefusedAndNeverQueued(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, session, _, waits := s.line()
	for text, word := range map[string]string{
		"/stop": "is-a-command", "/STOP": "is-a-command", "/stop all": "is-a-command", "/model fake/other": "is-a-command",
		"/clear": "is-a-command", "/mode full": "is-a-command", "/help": "is-a-command", "/sotp": "unknown-command", "/deploy now": "unknown-command",
	} {
		s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: text}).isA(422, word)
		s.roundTrip("anna", "PATCH", "/v1/turns/"+string(waits[0]), api.EditTurn{Text: text}).isA(422, word)
	}
	refusal := string(s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "/sotp"}).is(422).body)
	if !strings.Contains(refusal, "did you mean /stop?") || !strings.Contains(refusal, "write //sotp") {
		t.Errorf("the refusal is %s", refusal)
	}
	if got := ids(s.roundTrip("anna", "GET", path+"/queue", nil).is(200).turns()); !slices.Equal(got, waits) {
		t.Errorf("the queue of %s is %v, want %v", session, got, waits)
	}
}

func TestPrompt_EscapedSlash_IsSentAsText(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _, _, waits := s.line()
	for message, want := range map[string]string{"//stop": "/stop", " /stop": " /stop", "/etc/hosts is wrong": "/etc/hosts is wrong", "///": "//"} {
		if turn := s.prompt("anna", path, message); turn.Text != want {
			t.Errorf("%q was taken as %q, want %q", message, turn.Text, want)
		}
		if turn := s.roundTrip("anna", "PATCH", "/v1/turns/"+string(waits[0]), api.EditTurn{Text: message}).is(200).turn(); turn.Text != want {
			t.Errorf("an edit to %q was taken as %q, want %q", message, turn.Text, want)
		}
	}
}

func TestPrompt_UnknownCommandInHostedSession_IsPassedToTheAgent(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.CheckAgent = func(string) error { return nil } })
	var made bellcord.Session
	s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{Agent: "goose"}).is(201).into(&made)
	path := "/v1/sessions/" + string(made.ID)
	if turn := s.prompt("anna", path, "/review this"); turn.Text != "/review this" {
		t.Errorf("the text is %q", turn.Text)
	}
	s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "/stop"}).isA(422, "is-a-command")
}
