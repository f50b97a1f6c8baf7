package web_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/history"
)

func TestCreateSession_EmptyBody_UsesDefaultsAndANewWorkspace(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	var made, found bellcord.Session
	a := s.roundTrip("anna", "POST", "/v1/sessions", nil).is(201)
	a.into(&made)
	if made.Owner != "anna" || made.Model != "fake/default" || made.Mode != "ask" || a.header.Get("Location") != "/v1/sessions/"+string(made.ID) {
		t.Errorf("%+v at %s", made, a.header.Get("Location"))
	}
	if want := filepath.Join(s.data, "workspaces", string(made.ID)); made.Dir != want {
		t.Errorf("it works in %s, not in %s", made.Dir, want)
	}
	info, err := os.Stat(made.Dir)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("its directory: %v, %v", info, err)
	}
	s.roundTrip("anna", "GET", a.header.Get("Location"), nil).is(200).into(&found)
	if found.ID != made.ID || found.Dir != made.Dir {
		t.Errorf("found %+v", found)
	}
}

func TestCreateSession_InvalidBody_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	var made bellcord.Session
	s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{Title: "Trains", Model: "fake/other", Mode: "full"}).is(201).into(&made)
	if made.Title != "Trains" || made.Model != "fake/other" || made.Mode != "full" {
		t.Errorf("%+v", made)
	}
	for _, bad := range []string{
		`{"model":"other/x"}`, `{"agent":"nobody"}`, `{"mode":"root"}`, `{"title":"` + strings.Repeat("x", 201) + `"}`,
		`{"owner":"bert"}`, `{"scopes":["admin"]}`, `{"id":"x"}`, `[]`, `{`, `"x"`,
	} {
		if a := s.roundTrip("anna", "POST", "/v1/sessions", bad); a.status != 422 && a.status != 400 {
			t.Errorf("%s: %d %s", bad, a.status, a.body)
		}
	}
	if n := len(s.sessions("anna", "")); n != 1 {
		t.Errorf("there are %d sessions", n)
	}
}

// sessions returns one page of the list of sessions.
func (s *stage) sessions(user, query string) []bellcord.Session {
	s.t.Helper()
	var page api.Sessions
	s.roundTrip(user, "GET", "/v1/sessions"+query, nil).is(200).into(&page)
	return page.Sessions
}

func TestCreateSession_Directory_RequiresAdmin(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	dir := t.TempDir()
	s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{Dir: dir}).isA(403, "scope")
	var made bellcord.Session
	s.roundTrip("admin", "POST", "/v1/sessions", api.NewSession{Dir: dir + "/."}).is(201).into(&made)
	if made.Dir != dir {
		t.Errorf("it works in %s", made.Dir)
	}
	for _, bad := range []string{"here", filepath.Join(dir, "nothing")} {
		s.roundTrip("admin", "POST", "/v1/sessions", api.NewSession{Dir: bad}).isA(422, "bad-input")
	}
	if found := s.sessions("admin", "?dir="+dir); len(found) != 1 || found[0].ID != made.ID {
		t.Errorf("in %s are %+v", dir, found)
	}
}

func TestChangeSession_SomeFields_KeepsTheOthers(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	var changed bellcord.Session
	s.roundTrip("anna", "PATCH", path, api.SessionChange{Title: "Boats"}).is(200).into(&changed)
	if changed.Title != "Boats" || changed.Model != "fake/default" || changed.Mode != "ask" {
		t.Errorf("%+v", changed)
	}
	s.roundTrip("anna", "PATCH", path, api.SessionChange{Model: "fake/other", Mode: "full"}).is(200)
	s.roundTrip("anna", "GET", path, nil).is(200).into(&changed)
	if changed.Title != "Boats" || changed.Model != "fake/other" || changed.Mode != "full" {
		t.Errorf("%+v", changed)
	}
	s.roundTrip("anna", "PATCH", path, api.SessionChange{Model: "other/x"}).isA(422, "bad-input")
	s.roundTrip("anna", "PATCH", path, `{"dir":"/"}`).is(422)
}

func TestListSessions_SeveralPages_ReturnOnlyTheOwnersSessions(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	var want []bellcord.SessionID
	for range 5 {
		_, id := s.session("anna")
		want = append([]bellcord.SessionID{id}, want...)
		s.session("bert")
	}
	var got []bellcord.SessionID
	before := ""
	for pages := 0; ; pages++ {
		var page api.Sessions
		s.roundTrip("anna", "GET", "/v1/sessions?limit=2"+before, nil).is(200).into(&page)
		for _, found := range page.Sessions {
			got = append(got, found.ID)
		}
		if page.NextCursor == "" {
			break
		}
		if before = "&before=" + page.NextCursor; pages > 5 {
			t.Fatal("the pages do not end")
		}
	}
	if len(got) != len(want) {
		t.Fatalf("listed %v of %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("number %d is %s, not %s", i, got[i], want[i])
		}
	}
	if n := len(s.sessions("admin", "")); n != 10 {
		t.Errorf("an admin sees %d", n)
	}
	s.roundTrip("anna", "GET", "/v1/sessions?before=yesterday", nil).isA(422, "bad-input")
	s.roundTrip("anna", "GET", "/v1/sessions?limit=0", nil).is(422)
	s.roundTrip("anna", "GET", "/v1/sessions?limit=501", nil).is(422)
}

func TestCreateSession_SameIdempotencyKey_ReturnsTheSameSessionPerOwner(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	var first, again, others bellcord.Session
	s.roundTrip("anna", "POST", "/v1/sessions", nil, header("Idempotency-Key", "k1")).is(201).into(&first)
	s.roundTrip("anna", "POST", "/v1/sessions", nil, header("Idempotency-Key", "k1")).is(200).into(&again)
	s.roundTrip("bert", "POST", "/v1/sessions", nil, header("Idempotency-Key", "k1")).is(201).into(&others)
	if first.ID != again.ID || first.ID == others.ID || others.Owner != "bert" {
		t.Errorf("%s, again %s, bert's %s", first.ID, again.ID, others.ID)
	}
	s.roundTrip("anna", "POST", "/v1/sessions", nil, header("Idempotency-Key", strings.Repeat("k", 256))).is(422)
}

func TestDeleteSession_RunningTurns_AreStoppedFirst(t *testing.T) {
	t.Parallel()
	var deleted []bellcord.SessionID
	s := newStage(t, func(with *setup) {
		with.Deleted = func(id bellcord.SessionID) { deleted = append(deleted, id) }
	})
	path, id := s.session("anna")
	runs, waits := s.prompt("anna", path, "hang on"), s.prompt("anna", path, "say later")
	s.until(id, "text_delta")
	turns := s.hub.Unsettled()
	s.roundTrip("anna", "DELETE", path, nil).is(204)
	for _, turn := range turns {
		select {
		case <-turn.Settled():
		default:
			t.Fatalf("turn %s has not settled", turn.ID)
		}
		if r := turn.Receipt(); r.End != bellcord.EndStopped || r.Cause.By != "anna" {
			t.Errorf("%+v", r)
		}
	}
	if _, ran := s.given(waits.ID); ran || len(turns) != 2 {
		t.Errorf("of %d turns the one that waited ran: %v", len(turns), ran)
	}
	s.roundTrip("anna", "GET", path, nil).isA(404, "session-not-found")
	s.roundTrip("anna", "GET", "/v1/turns/"+string(runs.ID), nil).isA(404, "turn-not-found")
	s.roundTrip("anna", "DELETE", path, nil).isA(404, "session-not-found")
	if len(deleted) != 1 || deleted[0] != id {
		t.Errorf("told to end what else there is of %v", deleted)
	}
}

func TestClear_RunningTurn_IsStoppedAndTheHistoryIsEmpty(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "hang on")
	s.until(id, "text_delta")
	answer := s.roundTrip("anna", "POST", path+"/clear", nil).is(200).stopped()
	if answer.State != bellcord.StopStateSettled || len(answer.Turns) != 1 || answer.Turns[0].Turn != turn.ID || answer.Turns[0].Receipt.Cause.Reason == "" {
		t.Errorf("%+v", answer)
	}
	s.until(id, "conversation_cleared")
	if again := s.roundTrip("anna", "POST", path+"/clear", nil).is(200).stopped(); again.State != api.NothingToStop || len(again.Turns) != 0 {
		t.Errorf("%+v", again)
	}
	history, err := history.Read(t.Context(), s.store, id)
	if err != nil || len(history) != 0 {
		t.Errorf("the model would be told %+v, %v", history, err)
	}
}

func TestTranscript_Format_IsMarkdownOrJSON(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	s.ended("anna", s.prompt("anna", path, "say hello").ID)
	a := s.roundTrip("anna", "GET", path+"/transcript", nil).is(200)
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/markdown") || !strings.Contains(string(a.body), "> say hello") || !strings.Contains(string(a.body), "\nhello\n") {
		t.Errorf("%s: %s", a.header.Get("Content-Type"), a.body)
	}
	var all struct {
		Session bellcord.Session
		Events  []struct {
			Seq  int64
			Kind string
		}
	}
	a = s.roundTrip("anna", "GET", path+"/transcript?format=json", nil).is(200)
	a.into(&all)
	if a.header.Get("Content-Type") != "application/json" || all.Session.Owner != "anna" || len(all.Events) < 4 || all.Events[0].Seq != 1 || all.Events[len(all.Events)-1].Kind != "turn_ended" {
		t.Errorf("%s: %s", a.header.Get("Content-Type"), a.body)
	}
	s.roundTrip("anna", "GET", path+"/transcript?format=pdf", nil).is(422)
}

func TestSession_ModeAboveTheCeiling_RequiresAdmin(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) {
		with.Ceiling = func(mode, agent string) error {
			if mode == "full" || agent != "" {
				return errors.New("too much")
			}
			return nil
		}
		with.CheckAgent = func(string) error { return nil }
	})
	path, _ := s.session("anna")
	s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{Mode: "full"}).isA(403, "scope")
	s.roundTrip("prompter", "POST", "/v1/sessions", api.NewSession{Mode: "full"}).isA(403, "scope")
	s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{Agent: "goose"}).isA(403, "scope")
	s.roundTrip("anna", "PATCH", path, api.SessionChange{Mode: "full"}).isA(403, "scope")
	s.roundTrip("anna", "PATCH", path, api.SessionChange{Mode: "read-only"}).is(200)
	s.roundTrip("anna", "PATCH", path, api.SessionChange{Mode: "ask"}).is(200)
	s.roundTrip("admin", "PATCH", path, api.SessionChange{Mode: "full"}).is(200)
	s.roundTrip("admin", "POST", "/v1/sessions", api.NewSession{Mode: "full", Agent: "goose"}).is(201)
}

func TestPromptScope_WithoutRead_SeesNoTitlesAndNoTurns(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	s.roundTrip("anna", "PATCH", path, api.SessionChange{Title: "secret plan"}).is(200)
	runs := s.prompt("anna", path, "ask May I?")
	s.until(id, "question_opened")
	waits := s.prompt("anna", path, "say secret words")
	for _, a := range []answer{
		s.roundTrip("prompter", "PATCH", path, api.SessionChange{Mode: "ask"}),
		s.roundTrip("prompter", "POST", path+"/turns", api.NewTurn{ID: string(runs.ID), Text: "ask May I?"}),
		s.roundTrip("prompter", "POST", path+"/queue/send", nil),
		s.roundTrip("prompter", "POST", "/v1/turns/"+string(waits.ID)+"/send", nil),
	} {
		a.is(200)
		for _, word := range []string{"secret", "May I?", "questions"} {
			if strings.Contains(string(a.body), word) {
				t.Errorf("%s was answered %s", a.request, a.body)
			}
		}
	}
}
