package acp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// requestPermission requests a permission and emits the choice.
func requestPermission(ctx context.Context, w *hub.Work) error {
	if err := w.Emit(called("c", "shell", `{"command":"make"}`)); err != nil {
		return err
	}
	choice, err := w.Ask(ctx, bellcord.Question{Call: "c", Text: "Run make?", Choices: []bellcord.Choice{
		{ID: "allow", Text: "Allow", Kind: "allow_once"},
		{ID: "reject", Text: "Reject", Kind: "reject_once"},
	}})
	if err != nil {
		<-time.After(time.Second) // takes time to end
		return err
	}
	return w.Emit(bellcord.TextDelta{Text: "chosen: " + choice})
}

func TestPermission_Request_ReferencesTheToolCall(t *testing.T) {
	t.Parallel()
	edit(t, requestPermission, nil, func(t *testing.T, e *editor) {
		id := e.prompt("go")
		f, _ := e.calls("session/request_permission")
		call := f.Params["toolCall"].(obj)
		if f.Params["sessionId"] != e.session || call["title"] != "Run make?" || !strings.HasPrefix(call["toolCallId"].(string), "c-") {
			t.Errorf("asked %v", f.Params)
		}
		e.shown("tool_call " + call["toolCallId"].(string))
		option := f.Params["options"].([]any)[0].(obj)
		if option["optionId"] != "allow" || option["name"] != "Allow" || option["kind"] != "allow_once" {
			t.Errorf("offered %v", option)
		}
		e.reply(f, obj{"result": obj{"outcome": obj{"outcome": "selected", "optionId": "allow"}}})
		e.ends(id, "end_turn")
	})
}

func TestPermission_Edit_ShowsTheWholeCall(t *testing.T) {
	t.Parallel()
	before := "one\n"
	agent := script(func(ctx context.Context, w *hub.Work) error {
		args := `{"path":"a.txt","content":"two\n"}`
		_ = w.Emit(called("c", "write_file", args))
		_, err := w.Ask(ctx, bellcord.Question{
			Call: "c", Text: "Write a.txt (4 bytes)?\n+two", Tool: "write_file", Arguments: json.RawMessage(args),
			Changes: []bellcord.Change{{Path: "/w/a.txt", Old: &before, New: "two\n"}},
			Choices: []bellcord.Choice{{ID: "allow", Text: "Allow", Kind: "allow_once"}},
		})
		return err
	})
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		e.prompt("go")
		f, _ := e.calls("session/request_permission")
		call := f.Params["toolCall"].(obj)
		delete(call, "toolCallId")
		want := obj{
			"title": "Write a.txt (4 bytes)?", "status": "pending", "kind": "edit",
			"rawInput":  obj{"path": "a.txt", "content": "two\n"},
			"content":   []any{obj{"type": "diff", "path": "/w/a.txt", "oldText": "one\n", "newText": "two\n"}},
			"locations": []any{obj{"path": "/w/a.txt"}},
		}
		if text(call) != text(want) {
			t.Errorf("asked %s, want %s", text(call), text(want))
		}
		e.notify("session/cancel", e.here())
	})
}

func TestPermission_TwoChoicesOfKindAllowAlways_OnlyTheFirstIsOffered(t *testing.T) {
	t.Parallel()
	agent := script(func(ctx context.Context, w *hub.Work) error {
		_ = w.Emit(called("c", "shell", `{"command":"make"}`))
		_, err := w.Ask(ctx, bellcord.Question{Call: "c", Text: "Run make?", Choices: []bellcord.Choice{
			{ID: "allow", Text: "Allow once", Kind: "allow_once"},
			{ID: "allow_session", Text: "Allow for this session", Kind: "allow_always"},
			{ID: "allow_always", Text: "Always allow in this directory", Kind: "allow_always"},
			{ID: "reject", Text: "Reject", Kind: "reject_once"},
		}})
		return err
	})
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		e.prompt("go")
		f, _ := e.calls("session/request_permission")
		var ids []string
		for _, o := range f.Params["options"].([]any) {
			ids = append(ids, o.(obj)["optionId"].(string))
		}
		if got := strings.Join(ids, " "); got != "allow allow_session reject" {
			t.Errorf("offered %s", got)
		}
		e.notify("session/cancel", e.here())
	})
}

// reply answers a request of the server.
func (e *editor) reply(f frame, fields obj) {
	e.t.Helper()
	fields["jsonrpc"], fields["id"] = "2.0", f.ID
	text, err := json.Marshal(fields)
	if err != nil {
		e.t.Fatal(err)
	}
	e.write(string(text) + "\n")
}

func TestPermission_EditorReply_DecidesTheCall(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer obj
		reason string
		chosen string // the choice that the agent received, if any
	}{
		{"an allowed call is allowed", obj{"result": obj{"outcome": obj{"outcome": "selected", "optionId": "allow"}}}, "end_turn", "allow"},
		{"a rejected call is rejected", obj{"result": obj{"outcome": obj{"outcome": "selected", "optionId": "reject"}}}, "end_turn", "reject"},
		{"a cancelled dialog stops the turn", obj{"result": obj{"outcome": obj{"outcome": "cancelled"}}}, "cancelled", ""},
		{"a cancelled request stops the turn, too", obj{"error": obj{"code": -32800, "message": "cancelled"}}, "cancelled", ""},
		{"an editor that cannot ask means no", obj{"error": obj{"code": -32601, "message": "no such method"}}, "end_turn", "reject"},
		{"an answer that is no outcome means no", obj{"result": "yes"}, "end_turn", "reject"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			edit(t, requestPermission, nil, func(t *testing.T, e *editor) {
				id := e.prompt("go")
				f, _ := e.calls("session/request_permission")
				e.reply(f, test.answer)
				e.ends(id, test.reason)
				shown := strings.Join(e.since(0), "\n")
				if strings.Contains(shown, "chosen: ") != (test.chosen != "") || !strings.Contains(shown, test.chosen) {
					t.Errorf("want %q, the agent was told:\n%s", test.chosen, shown)
				}
			})
		})
	}
}

func TestStop_OpenDialog_IsWithdrawnAtOnce(t *testing.T) {
	t.Parallel()
	stops := map[string]func(e *editor, prompt int){
		"session/cancel":   func(e *editor, _ int) { e.notify("session/cancel", e.here()) },
		"$/cancel_request": func(e *editor, prompt int) { e.notify("$/cancel_request", obj{"requestId": prompt}) },
		"session/close":    func(e *editor, _ int) { e.send("session/close", e.here()) },
		"/stop":            func(e *editor, _ int) { e.prompt("/stop") },
	}
	for name, stop := range stops {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edit(t, requestPermission, nil, func(t *testing.T, e *editor) {
				id := e.prompt("go")
				requests, _ := e.calls("session/request_permission")
				asking := time.Now()
				stop(e, id)
				cancels, at := e.calls("$/cancel_request")
				if took := time.Since(asking); took != 0 { // without waiting for the agent
					t.Errorf("closed after %v", took)
				}
				if string(requests.ID) != rawOf(cancels.Params["requestId"]) {
					t.Errorf("asked as %s, taken back as %v", requests.ID, cancels.Params)
				}
				if ended := e.ends(id, "cancelled"); ended < at {
					t.Error("the prompt was answered before the dialog was closed")
				}
				e.reply(requests, obj{"result": obj{"outcome": obj{"outcome": "selected", "optionId": "allow"}}}) // too late
				if shown := strings.Join(e.since(0), "\n"); strings.Contains(shown, "chosen") || !strings.Contains(shown, "failed \"[not started") {
					t.Errorf("shown:\n%s", shown)
				}
			})
		})
	}
}

func rawOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
