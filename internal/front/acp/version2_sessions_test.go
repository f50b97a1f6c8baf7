package acp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
)

// talks is an agent whose turns have texts, thoughts and calls, with pauses, so
// that the pieces of a text are separate events.
func talks(ctx context.Context, w *hub.Work) error {
	text := func(s string) bellcord.Body { return bellcord.TextDelta{Text: s} }
	err := all(ctx, w,
		bellcord.StepStarted{Step: 1}, bellcord.ThinkingDelta{Text: "hm"}, bellcord.ThinkingDelta{Text: "m"}, text("I "), text("read."),
		called("c", "read_file", `{"path":"a"}`), bellcord.ToolCallStarted{Call: "c"}, bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished, Result: "x"},
		bellcord.StepEnded{Finish: bellcord.FinishToolCalls}, bellcord.StepStarted{Step: 2}, text("Do"), text("ne."), bellcord.StepEnded{Finish: bellcord.FinishStop},
	)
	if w.Prompt.Text == "wait" {
		<-ctx.Done()
	}
	return err
}

// conversation returns the messages and calls that a client of version 2 has
// after the frames from a position on.
func (e *editor) conversation(from int) (order []string) {
	texts := map[string]string{}
	for _, f := range e.all()[from:] {
		if f.Method != "session/update" {
			continue
		}
		u := f.Params["update"].(obj)
		kind, chunk := strings.CutSuffix(u["sessionUpdate"].(string), "_chunk")
		key := fmt.Sprint(kind, " ", u["messageId"])
		switch kind {
		case "user_message", "agent_message", "agent_thought":
		case "tool_call_update":
			key = fmt.Sprint("call ", u["toolCallId"])
		default:
			continue
		}
		if !slices.Contains(order, key) {
			order = append(order, key)
		}
		if chunk {
			texts[key] += u["content"].(obj)["text"].(string)
			continue
		}
		if status, has := u["status"]; has {
			texts[key] = fmt.Sprint(status)
		}
		if content, has := u["content"].([]any); has && kind != "tool_call_update" {
			texts[key] = content[0].(obj)["text"].(string)
		}
	}
	for i, key := range order {
		order[i] = key + ": " + texts[key]
	}
	return order
}

func TestResume_Version2WithReplay_HasTheSameMessagesAndIDs(t *testing.T) {
	t.Parallel()
	edit2(t, talks, nil, func(t *testing.T, e *editor) {
		from := e.count()
		e.inserted(e.prompt("one"))
		e.sees(from, "state_update idle end_turn")
		next := e.count()
		e.inserted(e.prompt("wait"))
		e.sees(next, `agent_message_chunk "ne."`)
		synctest.Wait()
		live := e.conversation(from)
		if len(live) != 10 || !strings.HasSuffix(live[1], ": hmm") || !strings.HasSuffix(live[2], ": I read.") || !strings.HasSuffix(live[4], ": Done.") {
			t.Fatalf("live %q", live)
		}
		from = e.count()
		_, answered := e.answerAt(e.send("session/resume", obj{"sessionId": e.session, "cwd": e.dir, "replayFrom": obj{"type": "start"}}))
		if replayed := e.conversation(from); !slices.Equal(replayed, live) {
			t.Errorf("live     %q\nreplayed %q", live, replayed)
		}
		states := slices.DeleteFunc(e.updates(from), func(w string) bool { return !strings.HasPrefix(w, "state_update") })
		if !slices.Equal(states, []string{"state_update running"}) || e.sees(from, "state_update running") > answered {
			t.Errorf("states %q", states)
		}
		e.notify("session/cancel", e.here())
		e.sees(from, "state_update idle cancelled")
	})
}

func TestResume_Version2WithoutReplay_SendsOnlyTheState(t *testing.T) {
	t.Parallel()
	edit2(t, talks, nil, func(t *testing.T, e *editor) {
		from := e.count()
		e.inserted(e.prompt("one"))
		e.sees(from, "state_update idle end_turn")
		e.reconnect()
		from = e.count()
		params := obj{"sessionId": e.session, "cwd": e.dir, "mcpServers": []any{}}
		if f := e.request("session/resume", params); f.Error != nil || len(f.Result["configOptions"].([]any)) != 2 {
			t.Fatalf("resumed with %v, %+v", f.Result, f.Error)
		}
		if got := e.updates(from); !slices.Equal(got, []string{"state_update idle end_turn"}) {
			t.Errorf("got %q", got)
		}
		params["replayFrom"] = obj{"type": "message"}
		if f := e.request("session/resume", params); f.Error == nil || f.Error.Code != -32602 {
			t.Errorf("an unknown position was answered %v", f.Result)
		}
	})
}

// reconnect replaces the connection by a new one, with a new handshake.
func (e *editor) reconnect() {
	e.t.Helper()
	_ = e.wire.Close()
	if err := <-e.served; err != nil {
		e.t.Fatal(err)
	}
	e.connect(acp.Config{Version: "test", Model: "fake/one", Models: []string{"fake/one", "fake/two"}, Mode: "ask", Logger: slog.New(slog.DiscardHandler)}, e.open)
	e.hello()
}

func TestPermission_Version2_RequiresActionAndHasASubject(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[string]string{
		`{"outcome":"selected","optionId":"allow"}`: "chosen: allow",
		`{"outcome":"cancelled"}`:                   "chosen: reject",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			edit2(t, requestPermission, nil, func(t *testing.T, e *editor) {
				from := e.count()
				e.inserted(e.prompt("go"))
				f, _ := e.calls("session/request_permission")
				subject := f.Params["subject"].(obj)
				if f.Params["title"] != "Run make?" || subject["type"] != "tool_call" || !strings.HasPrefix(subject["toolCall"].(obj)["toolCallId"].(string), "c-") {
					t.Errorf("asked %v", f.Params)
				}
				e.sees(from, "state_update requires_action")
				e.reply(f, obj{"result": obj{"outcome": json.RawMessage(outcome)}})
				e.sees(from, "state_update idle end_turn")
				got := strings.Join(e.updates(from), "\n")
				if !strings.Contains(got, "requires_action\nstate_update running\nagent_message \""+want+"\"\n") {
					t.Errorf("got %s", got)
				}
			})
		})
	}
}

func TestCancel_Version2PermissionOpen_WithdrawsItAndOnlyThenIsIdle(t *testing.T) {
	t.Parallel()
	edit2(t, requestPermission, nil, func(t *testing.T, e *editor) {
		from := e.count()
		e.inserted(e.prompt("go"))
		e.sees(from, "state_update requires_action")
		e.notify("session/cancel", e.here())
		_, withdrawn := e.calls("$/cancel_request")
		idle := e.sees(from, "state_update idle cancelled")
		if withdrawn > idle {
			t.Errorf("withdrawn at %d, idle at %d", withdrawn, idle)
		}
		if got := e.updates(withdrawn); slices.Contains(got, "state_update running") || len(got) != 2 || !strings.HasPrefix(got[0], "tool_call_update cancelled") {
			t.Errorf("after the cancel: %q", got)
		}
	})
}

func TestCommand_Version2_HasTheLifeOfAPrompt(t *testing.T) {
	t.Parallel()
	edit2(t, waits, nil, func(t *testing.T, e *editor) {
		synctest.Wait() // the settings follow the reply to session/new
		from := e.count()
		message, _ := e.inserted(e.prompt("/model"))
		want := []string{"state_update running", `user_message "/model"`, `agent_message "model fake/one, mode ask"`, "state_update idle end_turn"}
		if got := e.updates(from); !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
		if got := e.all()[from+1].Params["update"].(obj)["messageId"]; got != message {
			t.Errorf("message %v, answered %s", got, message)
		}
		e.inserted(e.prompt("go"))
		e.sees(from, `agent_message "here: go"`)
		from = e.count()
		e.inserted(e.prompt("/mode full"))
		if got := e.updates(from); !slices.Equal(got, []string{`user_message "/mode full"`, `agent_message "model fake/one, mode full"`}) {
			t.Errorf("while a turn runs: %q", got)
		}
		e.inserted(e.prompt("/stop"))
		want = []string{"state_update idle cancelled", "state_update running", `user_message "/stop"`, `agent_message "Stopped: 1 prompt."`, "state_update idle end_turn"}
		if got := e.updates(from)[2:]; !slices.Equal(got, want) {
			t.Errorf("a stop: %q", got)
		}
	})
}

func TestCommand_Version2Compact_IsATurn(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		return all(ctx, w, bellcord.ConversationCompacted{Summary: "short"})
	}
	edit2(t, agent, nil, func(t *testing.T, e *editor) {
		from := e.count()
		e.inserted(e.prompt("/compact the names"))
		e.sees(from, "state_update idle end_turn")
		want := []string{"state_update running", `user_message "/compact the names"`, "compaction_update completed", "state_update idle end_turn"}
		if got := e.updates(from); !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
	})
}

func TestSettings_Version2_AreOptions(t *testing.T) {
	t.Parallel()
	edit2(t, waits, nil, func(t *testing.T, e *editor) {
		set := func(id, kind string, value any) frame {
			return e.request("session/set_config_option", obj{"sessionId": e.session, "configId": id, "type": kind, "value": value})
		}
		option := set("mode", "id", "full").Result["configOptions"].([]any)[0].(obj)
		if option["configId"] != "mode" || option["currentValue"] != "full" {
			t.Errorf("set to %v", option)
		}
		for _, f := range []frame{set("mode", "id", "none"), set("none", "id", "x"), set("mode", "number", 1)} {
			if f.Error == nil || f.Error.Code != -32602 {
				t.Errorf("answered %v", f.Result)
			}
		}
		synctest.Wait()
		kinds := map[string]int{}
		for _, f := range e.all() {
			kinds[kindOf(f)]++
		}
		if kinds["config_option_update"] != 1 || kinds["current_mode_update"] != 0 {
			t.Errorf("updates %v", kinds)
		}
	})
}

func TestEdit_Version2_IsAPatch(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		return all(ctx, w, called("c", "edit_file", `{"path":"a.txt","old":"one\ntwo\n","new":"one\n2\n"}`))
	}
	edit2(t, agent, nil, func(t *testing.T, e *editor) {
		from := e.count()
		e.inserted(e.prompt("go"))
		e.sees(from, "state_update idle end_turn")
		f, _ := e.await("the call", func(f frame) bool { return kindOf(f) == "tool_call_update" })
		diff := f.Params["update"].(obj)["content"].([]any)[0].(obj)
		path := e.dir + "/a.txt"
		if !reflect.DeepEqual(diff["changes"], []any{obj{"operation": "modify", "path": path}}) {
			t.Errorf("changes %v", diff["changes"])
		}
		want := "diff --git " + path + " " + path + "\n--- " + path + "\n+++ " + path + "\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
		if got := diff["patch"].(obj)["text"]; got != want {
			t.Errorf("patch %s\nwant %s", got, want)
		}
	})
}

func TestState_Version2CommandsInTheBackground_AreListed(t *testing.T) {
	t.Parallel()
	var running atomic.Pointer[[]bellcord.Process]
	agent := func(_ context.Context, w *hub.Work) error {
		now := []bellcord.Process{}
		if w.Prompt.Text == "serve" {
			now = append(now, bellcord.Process{PID: 7, Name: "make serve"})
		}
		running.Store(&now)
		return nil
	}
	known := func(c *acp.Config) {
		c.Background = func(bellcord.SessionID) []bellcord.Process { return *running.Load() }
	}
	running.Store(&[]bellcord.Process{})
	edit2(t, agent, known, func(t *testing.T, e *editor) {
		// turn runs a prompt and returns the terminal that was updated, and what
		// the state at the end lists.
		turn := func(text string) (terminal obj, listed any) {
			from := e.count()
			e.inserted(e.prompt(text))
			at := e.sees(from, "state_update idle end_turn")
			for _, f := range e.all()[from:at] {
				if kindOf(f) == "terminal_update" {
					terminal = f.Params["update"].(obj)
				}
			}
			return terminal, e.all()[at].Params["update"].(obj)["background"]
		}
		terminal, listed := turn("serve")
		if terminal["command"] != "make serve" || !reflect.DeepEqual(listed, []any{obj{"type": "terminal", "terminalId": terminal["terminalId"]}}) {
			t.Errorf("shown %v, listed %v", terminal, listed)
		}
		ended, listed := turn("end it")
		if ended["terminalId"] != terminal["terminalId"] || ended["exitStatus"] == nil || !reflect.DeepEqual(listed, []any{}) {
			t.Errorf("ended %v, listed %v", ended, listed)
		}
	})
}
