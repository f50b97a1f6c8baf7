package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

func TestPrompt_TurnFails_RepliesWithErrorAndReceipt(t *testing.T) {
	t.Parallel()
	agents := map[string]script{
		"no paper":        func(context.Context, *hub.Work) error { return errors.New("no paper") },
		"agent panicked:": func(context.Context, *hub.Work) error { panic("at the disco") },
	}
	for message, agent := range agents {
		t.Run(message, func(t *testing.T) {
			t.Parallel()
			edit(t, agent, nil, func(t *testing.T, e *editor) {
				f := e.answer(e.prompt("go"))
				if f.Error == nil || f.Error.Code != -32603 || !strings.Contains(f.Error.Message, message) {
					t.Fatalf("answered %+v", f)
				}
				var receipt bellcord.Receipt
				if err := json.Unmarshal(f.Error.Data, &receipt); err != nil || receipt.End != bellcord.EndFailed || receipt.Error != f.Error.Message {
					t.Errorf("receipt %+v, %v", receipt, err)
				}
			})
		})
	}
}

func TestPrompt_TurnEnds_ReplyContainsTheReceipt(t *testing.T) {
	t.Parallel()
	edit(t, echoes, nil, func(t *testing.T, e *editor) {
		receipt := e.answer(e.prompt("hello")).Result["_meta"].(obj)["bellcord/receipt"].(obj)
		if receipt["end"] != "done" || receipt["session"] != e.session || receipt["kept"].(obj)["text_bytes"] != float64(len("echo: hello")) {
			t.Errorf("receipt %v", receipt)
		}
	})
}

func TestToolCall_ModelRepeatsItsIDs_IDsStayUnique(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		for step := range 3 {
			if err := all(ctx, w,
				bellcord.StepStarted{Step: step + 1}, called("call_0", "shell", `{"command":"make"}`), bellcord.ToolCallStarted{Call: "call_0"},
				bellcord.ToolCallEnded{Call: "call_0", Outcome: bellcord.CallFinished, Result: fmt.Sprint(step)},
			); err != nil {
				return err
			}
		}
		return nil
	}
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		for range 2 {
			e.ends(e.prompt("go"), "end_turn")
		}
		ids := map[string]int{}
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, f := range e.frames {
			if w := inWords(f); strings.HasPrefix(w, "tool_call") {
				ids[f.Params["update"].(obj)["toolCallId"].(string)]++
			}
		}
		if len(ids) != 6 {
			t.Errorf("%d ids for 6 calls: %v", len(ids), ids)
		}
		for id, n := range ids {
			if n != 3 { // pending, in progress, completed
				t.Errorf("%d updates for %s", n, id)
			}
		}
	})
}

func TestToolCall_Title_IsOneLine(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, tool, args, want string }{
		{"a command", "shell", `{"command":"ls -l"}`, "shell: ls -l"},
		{"a file", "read_file", `{"path":"a/b"}`, "read_file: a/b"},
		{"a command of several lines", "shell", `{"command":"cd x\nmake"}`, "shell: cd x…"},
		{"a command that is too long", "shell", `{"command":"` + strings.Repeat("é", 300) + `"}`, "shell: " + strings.Repeat("é", 100) + "…"},
		{"arguments that we do not know", "other", `{"depth":3}`, "other"},
		{"arguments that are no object", "other", `[]`, "other"},
	}
	agent := func(ctx context.Context, w *hub.Work) error {
		for i, test := range tests {
			if err := all(ctx, w, called(fmt.Sprint("c", i), test.tool, test.args)); err != nil {
				return err
			}
		}
		return nil
	}
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		e.answer(e.prompt("go"))
		for i, test := range tests {
			f, _ := e.await(test.name, func(f frame) bool { return strings.HasPrefix(inWords(f), fmt.Sprintf("tool_call c%d-", i)) })
			if title := f.Params["update"].(obj)["title"]; title != test.want {
				t.Errorf("%s: shown as %q, want %q", test.name, title, test.want)
			}
		}
	})
}
