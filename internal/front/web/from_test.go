package web_test

import (
	"net/http"
	"testing"

	"github.com/bellcord/bellcord/api"
)

func TestReceipt_StopFromAnyClient_NamesItsSource(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	browser := s.browser()
	program := func(name string) func(*http.Request) { return header("User-Agent", name) }
	for _, test := range []struct {
		name, user, from string
		changes          []func(*http.Request)
	}{
		{"a browser that is logged in", "", "page", []func(*http.Request){browser, program("Mozilla/5.0 (X11; Linux x86_64)")}},
		{"a browser that says otherwise", "", "page", []func(*http.Request){browser, program("bellcord-chat/1.0")}},
		{"a token", "anna", "http", nil},
		{"a token in a browser's words", "anna", "http", []func(*http.Request){program("Mozilla/5.0")}},
		{"bellcord chat", "anna", "terminal", []func(*http.Request){program("bellcord-chat/1.0")}},
		{"bellcord attach", "anna", "terminal", []func(*http.Request){program("bellcord-attach/1.0")}},
		{"bellcord stop", "anna", "bellcord stop", []func(*http.Request){program("bellcord-stop/0.1.0-dev")}},
		{"bellcord run", "anna", "run", []func(*http.Request){program("bellcord-run/1.0")}},
		{"a word of ours that is no program's", "anna", "http", []func(*http.Request){program("page/1.0")}},
		{"words for the record", "anna", "http", []func(*http.Request){program("bert, who owns this/1.0")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path, id := s.session("anna")
			turn := s.prompt("anna", path, "hang half of ")
			s.until(id, "text_delta")
			a := s.roundTrip(test.user, "POST", "/v1/turns/"+string(turn.ID)+"/stop", api.Stop{}, test.changes...).is(200).stopped()
			if c := a.Turns[0].Receipt.Cause; c.Source != test.from || c.By != "anna" {
				t.Errorf("the cause is %+v", c)
			}
		})
	}
}

func TestStop_UserAgentOfABellcordCommand_GrantsNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "hang half of ")
	s.until(id, "text_delta")
	s.roundTrip("", "POST", "/v1/turns/"+string(turn.ID)+"/stop", nil, header("User-Agent", "bellcord-chat/1.0")).is(401)
	s.roundTrip("reader", "POST", "/v1/turns/"+string(turn.ID)+"/stop", nil, header("User-Agent", "bellcord-chat/1.0")).is(403)
}
