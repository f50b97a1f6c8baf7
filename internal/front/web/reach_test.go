package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// On every route of the OpenAPI document, the IDs of another owner are reported
// as not found, and the requests have no effect.
func TestHeld_IDsOfAnotherOwner_AreNotFoundOnEveryRoute(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	runs, waits := s.prompt("anna", path, "ask May I?"), s.prompt("anna", path, "say later")
	s.until(id, "question_opened")
	question := s.questions("anna", string(runs.ID))[0].ID
	tail, err := s.hub.Tail(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, op := range s.operations() {
		if !strings.Contains(op.path, "{") {
			continue
		}
		for _, turn := range []bellcord.TurnID{runs.ID, waits.ID} {
			tried++
			if a := s.roundTrip("bert", op.method, op.at(string(id), string(turn), question), op.body()); a.status != 404 {
				t.Errorf("%s: %d %s", op, a.status, a.body)
			}
		}
	}
	for _, scope := range []string{"?session=" + string(id)} {
		s.roundTrip("bert", "GET", "/v1/usage"+scope, nil).isA(404, "session-not-found")
		s.roundTrip("bert", "GET", "/v1/receipts"+scope, nil).isA(404, "session-not-found")
	}
	s.roundTrip("bert", "POST", "/v1/stop", api.Stop{Mode: "force", Queue: "drop"}).is(200)
	if now, err := s.hub.Tail(t.Context(), id); err != nil || now != tail || tried < 20 {
		t.Errorf("after %d tries anna's log went from %d to %d, %v", tried, tail, now, err)
	}
	t.Logf("%d tries on somebody else's ids", tried+2)
	if on := s.roundTrip("anna", "GET", "/v1/turns/"+string(runs.ID), nil).turn(); on.State != api.Waiting || on.StopRequest != nil {
		t.Errorf("anna's turn is %+v", on)
	}
	if got := s.roundTrip("anna", "GET", path+"/queue", nil).turns(); len(got) != 1 || got[0].Text != "say later" {
		t.Errorf("anna's queue is %+v", got)
	}
}

// The responses for an unknown ID and for the ID of another owner are
// identical, so that they reveal nothing.
func TestHeld_IDsOfAnotherOwner_AreIndistinguishableFromUnknownOnes(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	_, id := s.session("anna")
	turn := s.prompt("anna", "/v1/sessions/"+string(id), "say hi").ID
	s.ended("anna", turn)
	for _, op := range s.operations() {
		if !strings.Contains(op.path, "{") || op.scope == "stop" { // a stop of an unknown turn is kept for bert's own turns
			continue
		}
		foreign := s.roundTrip("bert", op.method, op.at(string(id), string(turn), "q"), op.body())
		none := s.roundTrip("bert", op.method, op.at(string(bellcord.NewSessionID()), string(bellcord.NewTurnID()), "q"), op.body())
		if foreign.status != none.status || string(foreign.body) != string(none.body) {
			t.Errorf("%s: %d %s, but %d %s", op, foreign.status, foreign.body, none.status, none.body)
		}
	}
}

// Every scope is tested on every route: allowed exactly if the OpenAPI document
// permits it (GHSA-rqpp-rjj8-7wv8: scopes come from the server alone).
func TestHeld_EachScopeWithForgedHeaders_MatchesTheOpenAPIDocument(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	claims := func(r *http.Request) {
		for _, name := range []string{"X-Scope", "X-Scopes", "X-Owner", "X-Admin", "X-Forwarded-User", "X-Bellcord-Scopes", "Scope"} {
			r.Header.Set(name, "admin")
		}
	}
	for _, op := range s.operations() {
		if op.scope == "" {
			continue
		}
		for _, user := range []string{"reader", "prompter", "stopper", "admin"} {
			path, id := s.session("anna")
			turn := s.prompt("anna", path, "hang on").ID
			at := op.at(string(id), string(turn), "q")
			if strings.HasSuffix(at, "/events") {
				at += "?after=999999" // refused after the scope check, so that no stream opens
			}
			a := s.roundTrip(user, op.method, at, op.body(), claims)
			may := slices.Contains(people[user], bellcord.Scope(op.scope)) || user == "admin"
			if refused := a.status == 403; refused == may {
				t.Errorf("%s by %s: %d %s", op, user, a.status, a.body)
			}
			if !may && !strings.Contains(a.problem().Detail, op.scope) {
				t.Errorf("%s by %s is told %s", op, user, a.body)
			}
			s.roundTrip("admin", "POST", "/v1/stop", `{"queue":"drop"}`)
		}
	}
	s.roundTrip("stopper", "GET", "/metrics", nil).is(404) // metrics are not configured here
}

func TestHeld_Metrics_RequireTheReadScope(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) {
		with.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "turns 1") })
	})
	s.roundTrip("", "GET", "/metrics", nil).isA(401, "no-credentials")
	s.roundTrip("stopper", "GET", "/metrics", nil).isA(403, "scope")
	s.roundTrip("reader", "GET", "/metrics", nil).is(200)
}
