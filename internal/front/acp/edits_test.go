package acp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/permit"
)

// updatesOf returns the updates of one kind so far.
func (e *editor) updatesOf(kind string) (found []obj) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.frames {
		if u, is := f.Params["update"].(obj); is && u["sessionUpdate"] == kind {
			found = append(found, u)
		}
	}
	return found
}

func TestToolKind_EveryBuiltinTool_HasAKind(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"read_file": "read", "list_dir": "read", "write_file": "edit", "edit_file": "edit",
		"grep": "search", "glob": "search", "shell": "execute", "fetch": "fetch", "web_search": "fetch", "update_plan": "think",
	}
	agent := script(func(ctx context.Context, w *hub.Work) error {
		for i, name := range permit.Builtin {
			if err := all(ctx, w, called(fmt.Sprint("c", i), name, `{}`)); err != nil {
				return err
			}
		}
		return nil
	})
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		e.ends(e.prompt("go"), "end_turn")
		calls := e.updatesOf("tool_call")
		if len(calls) != len(permit.Builtin) || len(calls) != len(want) {
			t.Fatalf("%d calls of %d tools", len(calls), len(permit.Builtin))
		}
		for i, name := range permit.Builtin {
			if kind := calls[i]["kind"]; kind != want[name] {
				t.Errorf("%s is of kind %v, want %s", name, kind, want[name])
			}
		}
	})
}

// edits is an agent that writes, edits and reads files without permission
// questions. The last call fails.
func edits(ctx context.Context, w *hub.Work) error {
	for i, b := range []bellcord.ToolCallRequested{
		called("c0", "write_file", `{"path":"a.txt","content":""}`),
		called("c1", "edit_file", `{"path":"`+filepath.ToSlash(filepath.Join(w.Session.Dir, "b"))+`","old":"x","new":""}`),
		called("c2", "read_file", `{"path":"sub/c"}`),
		called("c3", "edit_file", `{"path":"a.txt","old":"no","new":"yes"}`),
	} {
		end := bellcord.ToolCallEnded{Call: b.Call, Outcome: bellcord.CallFinished, Result: "result", Failed: i == 3}
		if err := all(ctx, w, b, bellcord.ToolCallStarted{Call: b.Call}, end); err != nil {
			return err
		}
	}
	return nil
}

func TestEdit_WithoutAQuestion_HasLocationsAndDiffs(t *testing.T) {
	t.Parallel()
	edit(t, edits, nil, func(t *testing.T, e *editor) {
		e.ends(e.prompt("go"), "end_turn")
		at := func(path string) []any { return []any{obj{"path": filepath.Join(e.dir, path)}} }
		result := obj{"type": "content", "content": obj{"type": "text", "text": "result"}}
		written := obj{"type": "diff", "path": filepath.Join(e.dir, "a.txt"), "newText": ""}
		edited := obj{"type": "diff", "path": filepath.Join(e.dir, "b"), "oldText": "x", "newText": ""}
		refused := obj{"type": "diff", "path": filepath.Join(e.dir, "a.txt"), "oldText": "no", "newText": "yes"}
		check := func(calls, ends []obj) {
			t.Helper()
			if len(calls) != 4 || len(ends) != 4 {
				t.Fatalf("%d calls, %d ends", len(calls), len(ends))
			}
			for i, want := range []struct{ locations, content, end any }{
				{at("a.txt"), []any{written}, []any{written, result}},
				{at("b"), []any{edited}, []any{edited, result}},
				{at("sub/c"), nil, []any{result}},
				{at("a.txt"), []any{refused}, []any{result}},
			} {
				if got := calls[i]; text(got["locations"]) != text(want.locations) || text(got["content"]) != text(want.content) {
					t.Errorf("call %d: %s", i, text(got))
				}
				if got := ends[i]["content"]; text(got) != text(want.end) {
					t.Errorf("call %d ended with %s, want %s", i, text(got), text(want.end))
				}
			}
		}
		ended := func() (ends []obj) {
			for _, u := range e.updatesOf("tool_call_update") {
				if u["status"] == "completed" || u["status"] == "failed" {
					ends = append(ends, u)
				}
			}
			return ends
		}
		check(e.updatesOf("tool_call"), ended())
		e.request("session/load", obj{"sessionId": e.session, "cwd": e.dir, "mcpServers": []any{}})
		check(e.updatesOf("tool_call")[4:], ended()[4:])
	})
}

func TestEdit_WithAQuestion_EndsWithTheDiffOfTheQuestion(t *testing.T) {
	t.Parallel()
	before := "one\n"
	agent := script(func(ctx context.Context, w *hub.Work) error {
		args := `{"path":"a.txt","content":"two\n"}`
		_ = w.Emit(called("c", "write_file", args))
		if _, err := w.Ask(ctx, bellcord.Question{
			Call: "c", Text: "Write a.txt?", Tool: "write_file", Arguments: json.RawMessage(args),
			Changes: []bellcord.Change{{Path: "/w/a.txt", Old: &before, New: "two\n"}},
			Choices: []bellcord.Choice{{ID: "allow", Text: "Allow", Kind: "allow_once"}},
		}); err != nil {
			return err
		}
		return w.Emit(bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished, Result: "replaced"})
	})
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		id := e.prompt("go")
		f, _ := e.calls("session/request_permission")
		e.reply(f, obj{"result": obj{"outcome": obj{"outcome": "selected", "optionId": "allow"}}})
		e.ends(id, "end_turn")
		e.request("session/load", obj{"sessionId": e.session, "cwd": e.dir, "mcpServers": []any{}})
		ends := e.updatesOf("tool_call_update")
		want := text([]any{
			obj{"type": "diff", "path": "/w/a.txt", "oldText": "one\n", "newText": "two\n"},
			obj{"type": "content", "content": obj{"type": "text", "text": "replaced"}},
		})
		if len(ends) != 2 { // live and replayed
			t.Fatalf("%d updates", len(ends))
		}
		for _, u := range ends {
			if got := text(u["content"]); got != want {
				t.Errorf("ended with %s, want %s", got, want)
			}
		}
	})
}
