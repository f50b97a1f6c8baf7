package acp_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
)

func TestInitialize_NewerProtocol_ReportsVersion1AndCapabilities(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(t *testing.T, e *editor) {
		hello := e.request("initialize", obj{"protocolVersion": 2, "clientInfo": obj{"name": "vim", "version": "9"}}).Result
		if hello["protocolVersion"] != 1.0 || hello["agentInfo"].(obj)["version"] != "test" || len(hello["authMethods"].([]any)) != 1 {
			t.Errorf("answered %v", hello)
		}
		can := hello["agentCapabilities"].(obj)
		if can["loadSession"] != true || len(can["sessionCapabilities"].(obj)) != 5 {
			t.Errorf("can %v", can)
		}
		id := e.prompt("go")
		e.notify("session/cancel", e.here())
		receipt := e.answer(id).Result["_meta"].(obj)["bellcord/receipt"].(obj)
		if cause := receipt["cause"].(obj); cause["by"] != "vim" || cause["source"] != "acp" || cause["reason"] != "session/cancel" {
			t.Errorf("stopped by %v", cause)
		}
	})
}

func TestNewSession_Reply_HasSettingsAndPrecedesCommands(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(t *testing.T, e *editor) {
		f, at := e.answerAt(e.send("session/new", obj{"cwd": e.dir}))
		if mode := f.Result["modes"].(obj)["currentModeId"]; mode != "ask" {
			t.Errorf("mode %v", mode)
		}
		_, listed := e.await("its commands", func(u frame) bool {
			return strings.HasPrefix(inWords(u), "available_commands_update") && u.Params["sessionId"] == f.Result["sessionId"]
		})
		if listed < at {
			t.Error("the commands came before the session")
		}
	})
}

// emitReplayable is an agent with something to replay: text in pieces, a thought, a call
// with output, and a call that is cut off.
func emitReplayable(ctx context.Context, w *hub.Work) error {
	if w.Prompt.Text != "first" {
		return echoes(ctx, w)
	}
	if err := all(ctx, w, bellcord.TextDelta{Text: "ready"}); err != nil {
		return err
	}
	<-time.After(time.Second) // the second prompt arrives
	if err := all(ctx, w,
		bellcord.StepStarted{Step: 1}, bellcord.ThinkingDelta{Text: "h"}, bellcord.ThinkingDelta{Text: "m"},
		bellcord.TextDelta{Text: "in "}, bellcord.TextDelta{Text: "pieces"},
		called("c", "shell", `{"command":"make"}`), called("d", "read_file", `{"path":"x"}`),
		bellcord.ToolCallStarted{Call: "c"}, bellcord.ToolOutputDelta{Call: "c", Text: "o"}, bellcord.ToolOutputDelta{Call: "c", Text: "k"},
		bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished, Result: "ok"},
		bellcord.StepEnded{Finish: "stop", Usage: &bellcord.Usage{InputTokens: 3, OutputTokens: 4, Exact: true}},
	); err != nil {
		return err
	}
	return fmt.Errorf("out of paper")
}

func TestLoad_ClosedSession_ReplaysAndResumeDoesNot(t *testing.T) {
	t.Parallel()
	edit(t, emitReplayable, nil, func(t *testing.T, e *editor) {
		first := e.prompt("first")
		e.shown("ready")
		second := e.prompt("second") // accepted during the first, shown after it
		e.answer(first)
		e.ends(second, "end_turn")
		e.request("session/close", e.here())

		from := e.count()
		params := obj{"sessionId": e.session, "cwd": e.dir}
		loaded, at := e.answerAt(e.send("session/load", params))
		if loaded.Error != nil || loaded.Result["modes"] == nil {
			t.Fatalf("answered %+v", loaded)
		}
		c, d := e.callID("c"), e.callID("d")
		want := []string{
			`session_info_update first`,
			`user_message_chunk "first"`,
			`agent_message_chunk "ready"`,
			`agent_thought_chunk "hm"`,
			`agent_message_chunk "in pieces"`,
			`tool_call ` + c + ` shell: make pending`,
			`tool_call ` + d + ` read_file: x pending`,
			`tool_call_update ` + c + ` in_progress`,
			`tool_call_update ` + c + ` "ok"`,
			`tool_call_update ` + c + ` completed "ok"`,
			`usage_update 7`,
			`tool_call_update ` + d + ` failed "[not started: the turn was stopped before this call ran; it had no effect]"`,
			`user_message_chunk "second"`,
			`agent_message_chunk "echo: second"`,
		}
		synctest.Wait()
		if got := e.since(from); !reflect.DeepEqual(got[:len(got)-1], want) || got[len(got)-1] != "available_commands_update" {
			t.Errorf("replayed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if after := e.since(at); len(after) != 1 {
			t.Errorf("after the answer: %v", after)
		}

		e.request("session/close", e.here())
		from = e.count()
		e.request("session/resume", params)
		synctest.Wait()
		if got := e.since(from); !reflect.DeepEqual(got, []string{"available_commands_update"}) {
			t.Errorf("resumed with %v", got)
		}
		e.ends(e.prompt("and now"), "end_turn")
		e.shown("echo: and now")
	})
}

// callID returns the id under which a call was first shown.
func (e *editor) callID(call string) string {
	e.t.Helper()
	f, _ := e.await("call "+call, func(f frame) bool { return strings.HasPrefix(inWords(f), "tool_call "+call+"-") })
	return f.Params["update"].(obj)["toolCallId"].(string)
}

func TestListSessions_ManySessions_PagesAreComplete(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(t *testing.T, e *editor) {
		made := []string{e.session}
		var ops []store.Op
		for i := range 119 {
			at := time.Now().Add(time.Duration(i+1) * time.Millisecond)
			s := bellcord.Session{ID: bellcord.NewSessionID(), Dir: e.dir, Title: "one of many", Created: at, Updated: at}
			made, ops = append(made, string(s.ID)), append(ops, store.PutSession{Session: s})
		}
		if _, err := e.store.Commit(t.Context(), ops); err != nil {
			t.Fatal(err)
		}
		var listed []string
		var sizes []int
		for cursor := any(nil); len(sizes) < 4; {
			page := e.request("session/list", obj{"cursor": cursor, "cwd": e.dir}).Result
			for _, s := range page["sessions"].([]any) {
				listed = append([]string{s.(obj)["sessionId"].(string)}, listed...) // the newest came first
			}
			sizes = append(sizes, len(page["sessions"].([]any)))
			if cursor = page["nextCursor"]; cursor == nil {
				break
			}
		}
		if !reflect.DeepEqual(listed, made) || !reflect.DeepEqual(sizes, []int{50, 50, 20}) {
			t.Errorf("%d made, %d listed in pages of %v", len(made), len(listed), sizes)
		}
		if none := e.request("session/list", obj{"cwd": "/nowhere"}).Result["sessions"].([]any); len(none) != 0 {
			t.Errorf("elsewhere: %v", none)
		}
	})
}
