package web_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/store"
)

// fakeFiles has one changed file for every turn. Like the real one, it undoes
// nothing while a turn of the session is running, and nothing twice for one id.
type fakeFiles struct {
	store store.Reader

	mu       sync.Mutex
	requests []bellcord.UndoRequest // without previews
	done     map[string]bellcord.Undone
}

func (f *fakeFiles) Changes(context.Context, bellcord.TurnID) (bellcord.Changes, error) {
	return bellcord.Changes{Changed: 1, Files: []bellcord.FileChange{{Path: "a.txt", Kind: bellcord.FileChanged, Certainty: bellcord.ChangeDuring}}}, nil
}

func (f *fakeFiles) Texts(_ context.Context, _ bellcord.TurnID, path string) ([]bellcord.Change, error) {
	if path != "" && path != "a.txt" {
		return nil, nil
	}
	old := "one\n"
	return []bellcord.Change{{Path: "/shop/a.txt", Old: &old, New: "two\n"}}, nil
}

func (f *fakeFiles) Undo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	turn, err := f.store.Turn(ctx, q.Turn)
	if err != nil {
		return bellcord.Undone{}, err
	}
	return f.carryOut(ctx, turn.Session, q, bellcord.Undone{Undo: q.ID, Turns: []bellcord.TurnID{q.Turn}})
}

func (f *fakeFiles) Redo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	if q.Undo != "u-1" {
		return bellcord.Undone{}, bellcord.ErrNoUndo
	}
	return f.carryOut(ctx, q.Session, q, bellcord.Undone{Undo: q.ID, Turns: []bellcord.TurnID{}, Redone: q.Undo})
}

func (f *fakeFiles) carryOut(ctx context.Context, session bellcord.SessionID, q bellcord.UndoRequest, u bellcord.Undone) (bellcord.Undone, error) {
	u.UndoResult = bellcord.UndoResult{Restored: 1, Files: []bellcord.UndoneFile{{Path: "a.txt", Result: bellcord.UndoRestored}}}
	if q.Preview {
		return u, nil
	}
	running, err := f.store.UnendedTurns(ctx, session)
	if err != nil {
		return bellcord.Undone{}, err
	}
	if len(running) > 0 {
		return bellcord.Undone{}, bellcord.ErrTurnRunning
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, is := f.done[q.ID]; is {
		return known, nil
	}
	f.requests = append(f.requests, q)
	f.done[q.ID] = u
	return u, nil
}

func (f *fakeFiles) Last(context.Context, bellcord.SessionID) (bellcord.Undoable, error) {
	return bellcord.Undoable{Undo: "u-1"}, nil
}

// received returns the requests that changed files.
func (f *fakeFiles) received() []bellcord.UndoRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

// changedStage is a stage with fakeFiles and a turn of anna that has ended.
// undoer has anna's scopes read and undo; rival has those of bert.
func changedStage(t *testing.T) (s *stage, files *fakeFiles, session, turn string) {
	t.Helper()
	files = &fakeFiles{done: map[string]bellcord.Undone{}}
	s = newStage(t, func(with *setup) {
		with.Files = files
		with.store = func(kept store.Store) store.Store { files.store = kept; return kept }
	})
	for user, owner := range map[string]string{"undoer": "anna", "rival": "bert"} {
		text, _, err := auth.Mint(t.Context(), s.store, serverstore.Token{Owner: owner, Name: user, Scopes: []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopeUndo}})
		if err != nil {
			t.Fatal(err)
		}
		s.tokens[user] = text
	}
	session, _ = s.session("anna")
	id := s.prompt("anna", session, "say hi").ID
	s.ended("anna", id)
	return s, files, session, "/v1/turns/" + string(id)
}

func TestChanges_OfOwnTurn_AreListedWithTheirTexts(t *testing.T) {
	t.Parallel()
	s, _, session, turn := changedStage(t)
	var c bellcord.Changes
	s.roundTrip("reader", "GET", turn+"/changes", nil).is(200).into(&c)
	if c.Changed != 1 || len(c.Files) != 1 || c.Files[0].Certainty != bellcord.ChangeDuring {
		t.Errorf("%+v", c)
	}
	var texts api.ChangedTexts
	s.roundTrip("reader", "GET", turn+"/changes/texts?path=a.txt", nil).is(200).into(&texts)
	if len(texts.Changes) != 1 || *texts.Changes[0].Old != "one\n" || texts.Changes[0].New != "two\n" {
		t.Errorf("%+v", texts)
	}
	if a := s.roundTrip("reader", "GET", turn+"/changes/texts?path=b.txt", nil).is(200); !strings.Contains(string(a.body), `"changes":[]`) {
		t.Errorf("a path without changes has %s", a.body)
	}
	var last bellcord.Undoable
	s.roundTrip("reader", "GET", session+"/undoable", nil).is(200).into(&last)
	if last.Undo != "u-1" {
		t.Errorf("%+v", last)
	}
}

func TestUndo_Request_ReachesTheFilesOnceForEachID(t *testing.T) {
	t.Parallel()
	s, files, session, turn := changedStage(t)
	body := api.Undo{ID: "u-1", Paths: []string{"a.txt"}, Confirmed: true}
	preview := body
	preview.DryRun = true
	s.roundTrip("undoer", "POST", turn+"/undo", preview).is(200)
	if got := files.received(); len(got) != 0 {
		t.Fatalf("a preview undid %+v", got)
	}
	first, second := s.roundTrip("undoer", "POST", turn+"/undo", body).is(200), s.roundTrip("undoer", "POST", turn+"/undo", body).is(200)
	if string(first.body) != string(second.body) {
		t.Errorf("the second response is %s, the first %s", second.body, first.body)
	}
	s.roundTrip("undoer", "POST", session+"/undos/u-1/redo", api.Undo{ID: "r-1"}).is(200)
	s.roundTrip("undoer", "POST", turn+"/undo", nil).is(200)
	got := files.received()
	if len(got) != 3 {
		t.Fatalf("%d requests: %+v", len(got), got)
	}
	if q := got[0]; q.ID != "u-1" || "/v1/turns/"+string(q.Turn) != turn || !slices.Equal(q.Paths, body.Paths) || !q.Confirmed || q.By != "anna" || q.Source == "" {
		t.Errorf("undo %+v", q)
	}
	if q := got[1]; q.ID != "r-1" || q.Undo != "u-1" || "/v1/sessions/"+string(q.Session) != session || q.By != "anna" {
		t.Errorf("redo %+v", q)
	}
	if q := got[2]; q.Confirmed || len(q.Paths) != 0 {
		t.Errorf("undo without a body %+v", q)
	}
	s.roundTrip("undoer", "POST", session+"/undos/none/redo", nil).isA(404, "undo-not-found")
	s.roundTrip("undoer", "POST", turn+"/undo", api.Undo{ID: strings.Repeat("x", 65)}).is(422)
}

func TestUndo_WithoutTheScope_IsForbidden(t *testing.T) {
	t.Parallel()
	s, files, session, turn := changedStage(t)
	for _, user := range []string{"reader", "prompter", "stopper"} {
		for _, path := range []string{turn + "/undo", session + "/undos/u-1/redo"} {
			for _, body := range []api.Undo{{Confirmed: true}, {DryRun: true}} {
				s.roundTrip(user, "POST", path, body).isA(403, "scope")
			}
		}
	}
	if got := files.received(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestUndo_OfAnotherOwner_FindsNothing(t *testing.T) {
	t.Parallel()
	s, files, session, turn := changedStage(t)
	for _, r := range []struct{ method, path, word string }{
		{"GET", turn + "/changes", "turn-not-found"},
		{"GET", turn + "/changes/texts", "turn-not-found"},
		{"POST", turn + "/undo", "turn-not-found"},
		{"POST", session + "/undos/u-1/redo", "session-not-found"},
		{"GET", session + "/undoable", "session-not-found"},
	} {
		s.roundTrip("rival", r.method, r.path, nil).isA(404, r.word)
	}
	if got := files.received(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	s.roundTrip("admin", "POST", turn+"/undo", api.Undo{ID: "u-2", Confirmed: true}).is(200)
}

func TestUndo_WhileATurnRuns_IsRefusedButPreviewed(t *testing.T) {
	t.Parallel()
	s, files, session, turn := changedStage(t)
	runs := s.prompt("anna", session, "hang on")
	s.until(bellcord.SessionID(strings.TrimPrefix(session, "/v1/sessions/")), "text_delta")
	s.roundTrip("undoer", "POST", turn+"/undo", api.Undo{Confirmed: true}).isA(409, "turn-running")
	s.roundTrip("undoer", "POST", session+"/undos/u-1/redo", nil).isA(409, "turn-running")
	s.roundTrip("undoer", "POST", turn+"/undo", api.Undo{DryRun: true}).is(200)
	s.roundTrip("anna", "POST", "/v1/turns/"+string(runs.ID)+"/stop", nil).is(200)
	s.ended("anna", runs.ID)
	s.roundTrip("undoer", "POST", turn+"/undo", api.Undo{Confirmed: true}).is(200)
	if got := files.received(); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestUndo_NotRecorded_SaysHowToTurnItOn(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	session, _ := s.session("anna")
	turn := s.prompt("anna", session, "say hi").ID
	s.ended("anna", turn)
	s.roundTrip("admin", "POST", "/v1/turns/"+string(turn)+"/undo", nil).isA(409, "undo-off")
	s.roundTrip("reader", "GET", "/v1/turns/"+string(turn)+"/changes", nil).isA(409, "undo-off")
}
