package acp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/acp"
)

// changedFiles are the changes of one turn: a new file, and a file that was changed
// since.
type changedFiles struct {
	mu       sync.Mutex
	requests []bellcord.UndoRequest // that were no previews
}

func (f *changedFiles) Changes(context.Context, bellcord.TurnID) (bellcord.Changes, error) {
	return bellcord.Changes{Created: 1, Changed: 1, Files: []bellcord.FileChange{
		{Path: "a.txt", Kind: bellcord.FileChanged, Certainty: bellcord.ChangeOwn}, {Path: "new.txt", Kind: bellcord.FileCreated, Certainty: bellcord.ChangeDuring},
	}}, nil
}

func (f *changedFiles) Undo(_ context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !q.Confirmed || q.Turn != "t1" {
		return bellcord.Undone{}, errors.New("unexpected request")
	}
	if !q.Preview {
		f.requests = append(f.requests, q)
	}
	u := bellcord.Undone{Undo: "u1", Turns: []bellcord.TurnID{"t1"}, UndoResult: bellcord.UndoResult{Restored: 1, Conflicts: 1, Files: []bellcord.UndoneFile{
		{Path: "a.txt", Result: bellcord.UndoConflict, Reason: "it was changed since"}, {Path: "new.txt", Result: bellcord.UndoRestored},
	}}}
	if slices.Contains(q.Paths, "a.txt") {
		u.UndoResult = bellcord.UndoResult{Conflicts: 1, Files: u.Files[:1]}
	}
	return u, nil
}

func (f *changedFiles) Redo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	if q.Undo != "u1" || q.Session == "" {
		return bellcord.Undone{}, errors.New("unexpected request")
	}
	q.Turn = "t1"
	u, err := f.Undo(ctx, q)
	u.Redone = "u1"
	return u, err
}

func (f *changedFiles) Last(context.Context, bellcord.SessionID) (bellcord.Undoable, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.requests) == 1 {
		return bellcord.Undoable{Undo: "u1"}, nil
	}
	return bellcord.Undoable{Turn: "t1"}, nil
}

func (f *changedFiles) done() []bellcord.UndoRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests
}

// editFiles is edit with changedFiles.
func editFiles(t *testing.T, agent script, play func(t *testing.T, e *editor, f *changedFiles)) {
	t.Helper()
	f := &changedFiles{}
	edit(t, agent, func(c *acp.Config) { c.Files = func() (acp.Files, error) { return f, nil } }, func(t *testing.T, e *editor) { play(t, e, f) })
}

func TestUndo_Permitted_RestoresOnlyAfterThePermission(t *testing.T) {
	t.Parallel()
	editFiles(t, echoes, func(t *testing.T, e *editor, f *changedFiles) {
		id := e.prompt("/undo")
		asked, _ := e.calls("session/request_permission")
		call := asked.Params["toolCall"].(obj)
		text := call["content"].([]any)[0].(obj)["content"].(obj)["text"]
		if want := "- `new.txt`: delete; created while a command was running\n- `a.txt`: left alone: it was changed since\n"; call["title"] != "Undo 1 file" || text != want {
			t.Errorf("asked %v", call)
		}
		synctest.Wait()
		if n := len(f.done()); n != 0 {
			t.Fatalf("%d undos before the permission", n)
		}
		e.reply(asked, obj{"result": obj{"outcome": obj{"outcome": "selected", "optionId": "undo"}}})
		e.ends(id, "end_turn")
		e.shown("undone: 1 restored, 1 changed since and left alone")
		if done := f.done(); len(done) != 1 || done[0].ID == "" || done[0].Source != "acp" {
			t.Errorf("undone: %+v", done)
		}
		id = e.prompt("/redo")
		again, _ := e.await("the second question", func(f frame) bool {
			return f.Method == "session/request_permission" && string(f.ID) != string(asked.ID)
		})
		if title := again.Params["toolCall"].(obj)["title"]; title != "Redo 1 file" {
			t.Errorf("asked %v", title)
		}
		e.reply(again, obj{"result": obj{"outcome": obj{"outcome": "selected", "optionId": "undo"}}})
		e.ends(id, "end_turn")
		e.shown("redone: 1 restored")
	})
}

func TestUndo_RejectedOrCancelled_ChangesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end   string
		reply func(e *editor, asked frame, id int)
	}{
		"rejected": {"end_turn", func(e *editor, asked frame, _ int) {
			e.reply(asked, obj{"result": obj{"outcome": obj{"outcome": "selected", "optionId": "cancel"}}})
		}},
		"without a choice": {"end_turn", func(e *editor, asked frame, _ int) {
			e.reply(asked, obj{"result": obj{"outcome": obj{"outcome": "cancelled"}}})
		}},
		"no dialogs": {"end_turn", func(e *editor, asked frame, _ int) {
			e.reply(asked, obj{"error": obj{"code": -32601, "message": "unknown method"}})
		}},
		"session/cancel": {"cancelled", func(e *editor, _ frame, _ int) { e.notify("session/cancel", e.here()) }},
		"$/cancel_request": {"cancelled", func(e *editor, _ frame, id int) {
			e.notify("$/cancel_request", obj{"requestId": id})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			editFiles(t, echoes, func(t *testing.T, e *editor, f *changedFiles) {
				id := e.prompt("/undo new.txt")
				asked, _ := e.calls("session/request_permission")
				c.reply(e, asked, id)
				e.ends(id, c.end)
				e.shown("Cancelled: no file was changed.")
				if done := f.done(); len(done) != 0 {
					t.Errorf("undone: %+v", done)
				}
			})
		})
	}
}

// A client that opens its session again, for example after it has lost the
// connection, can still cancel the dialog of an undo.
func TestUndo_SessionOpenedAgain_IsStillCancelled(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"session/load", "session/resume"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			editFiles(t, echoes, func(t *testing.T, e *editor, f *changedFiles) {
				id := e.prompt("/undo")
				asked, _ := e.calls("session/request_permission")
				e.request(method, obj{"sessionId": e.session, "cwd": e.dir})
				e.notify("session/cancel", e.here())
				e.ends(id, "cancelled")
				e.await("the withdrawal of the dialog", func(f frame) bool {
					return f.Method == "$/cancel_request" && fmt.Sprint(f.Params["requestId"]) == string(asked.ID)
				})
				if done := f.done(); len(done) != 0 {
					t.Errorf("undone: %+v", done)
				}
			})
		})
	}
}

func TestUndo_NothingToRestore_AsksNothing(t *testing.T) {
	t.Parallel()
	editFiles(t, echoes, func(_ *testing.T, e *editor, _ *changedFiles) {
		e.ends(e.prompt("/undo a.txt"), "end_turn")
		e.shown("Nothing to restore.\\n- `a.txt`: left alone: it was changed since")
		e.ends(e.prompt("/changes"), "end_turn")
		e.shown("Files: 1 changed, 1 created\\n- `a.txt`: changed\\n- `new.txt`: created while a command was running")
	})
}

func TestUndo_TurnRuns_IsRefused(t *testing.T) {
	t.Parallel()
	editFiles(t, waits, func(_ *testing.T, e *editor, _ *changedFiles) {
		running := e.prompt("one")
		e.shown("here: one")
		e.ends(e.prompt("/undo"), "end_turn")
		e.shown("a turn of this session is running: stop it first")
		e.notify("session/cancel", e.here())
		e.ends(running, "cancelled")
	})
}

func TestUndo_ClientLeavesWhileAsked_ChangesNothing(t *testing.T) {
	t.Parallel()
	f := &changedFiles{}
	edit(t, echoes, func(c *acp.Config) { c.Files = func() (acp.Files, error) { return f, nil } }, func(_ *testing.T, e *editor) {
		e.prompt("/undo")
		e.calls("session/request_permission")
	})
	if done := f.done(); len(done) != 0 {
		t.Errorf("undone: %+v", done)
	}
}

func TestUndo_Off_SaysSo(t *testing.T) {
	t.Parallel()
	edit(t, echoes, nil, func(t *testing.T, e *editor) {
		for _, command := range []string{"/undo", "/redo", "/changes"} {
			e.ends(e.prompt(command), "end_turn")
		}
		if n := strings.Count(e.shownText(), "undo is off"); n != 3 {
			t.Errorf("%d answers: %s", n, e.shownText())
		}
	})
}

func TestUndo_Version2_AsksAndRestores(t *testing.T) {
	t.Parallel()
	f := &changedFiles{}
	editIn(t, official2, echoes, func(c *acp.Config) { c.Files = func() (acp.Files, error) { return f, nil } }, func(t *testing.T, e *editor) {
		id := e.prompt("/undo")
		asked, _ := e.calls("session/request_permission")
		e.reply(asked, obj{"result": obj{"outcome": obj{"outcome": "selected", "optionId": "undo"}}})
		e.answer(id)
		synctest.Wait()
		if done := f.done(); len(done) != 1 {
			t.Errorf("undone: %+v", done)
		}
	})
}
