package acp_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
)

func TestInitialize_ClientOffersVersion2_IsNegotiated(t *testing.T) {
	t.Parallel()
	edit2(t, echoes, nil, func(t *testing.T, e *editor) {
		hello := e.offer(obj{}).Result
		session := hello["capabilities"].(obj)["session"].(obj)
		if hello["info"].(obj)["name"] != "bellcord" || session["delete"] == nil || session["prompt"].(obj)["image"] == nil || session["mcp"].(obj)["stdio"] == nil {
			t.Errorf("initialize returned %v", hello)
		}
		method := hello["authMethods"].([]any)[0].(obj)
		if method["type"] != "agent" || method["methodId"] != "setup" {
			t.Errorf("login method %v", method)
		}
		for _, gone := range []string{"session/load", "session/set_mode", "authenticate"} {
			if f := e.request(gone, e.here()); f.Error == nil || f.Error.Code != -32601 {
				t.Errorf("%s was answered %+v", gone, f)
			}
		}
	})
}

func TestPrompt_Version2_IsAnsweredAtInsertionAndEndsIdle(t *testing.T) {
	t.Parallel()
	edit2(t, waits, nil, func(t *testing.T, e *editor) {
		from := e.count()
		id := e.prompt("hello")
		message, answered := e.inserted(id)
		e.sees(from, `agent_message "here: hello"`)
		want := []string{"state_update running", `user_message "hello"`, `agent_message "here: hello"`}
		if got := e.updates(from); !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
		if shown := e.sees(from, `user_message "hello"`); shown > answered {
			t.Error("the answer came before the message")
		} else if got := e.all()[shown].Params["update"].(obj)["messageId"]; got != message {
			t.Errorf("message %v, answered %v", got, message)
		}
		e.notify("session/cancel", e.here())
		at := e.sees(from, "state_update idle cancelled")
		if r := e.receiptAt(at); r.End != bellcord.EndStopped || string(r.Turn) != message {
			t.Errorf("receipt %+v", r)
		}
	})
}

func TestPrompt_Version2TurnEnds_StateHasTheReason(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		switch w.Prompt.Text {
		case "fail":
			return context.DeadlineExceeded
		case "refuse":
			return all(ctx, w, bellcord.StepStarted{Step: 1}, bellcord.StepEnded{Finish: bellcord.FinishRefused})
		case "late":
			<-ctx.Done()
		}
		return nil
	}
	for text, want := range map[string]string{"ok": "end_turn", "fail": "error", "refuse": "refusal", "late": "error"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			limit := func(c *acp.Config) { c.Prompt.Deadline = time.Minute }
			edit2(t, agent, limit, func(t *testing.T, e *editor) {
				from := e.count()
				e.inserted(e.prompt(text))
				at := e.sees(from, "state_update idle "+want)
				failed := e.all()[at].Params["update"].(obj)["error"]
				if (failed != nil) != (want == "error") {
					t.Errorf("error %v", failed)
				}
				e.receiptAt(at)
			})
		})
	}
}

// 100 prompts, each with its cancel in the same write, on 25 sessions at once.
func TestCancel_Version2InTheSameWriteAsThePrompt_IsNeverLost(t *testing.T) {
	t.Parallel()
	edit2(t, waits, nil, func(t *testing.T, e *editor) {
		var opened []int
		for range 25 {
			opened = append(opened, e.send("session/new", obj{"cwd": e.dir}))
		}
		for range 4 {
			var prompts []int
			for _, id := range opened {
				e.session = e.answer(id).Result["sessionId"].(string)
				prompts = append(prompts, e.newID())
				e.write(line(e.ids, "session/prompt", e.saying("go")) + line(0, "session/cancel", e.here()))
			}
			for _, id := range prompts {
				f := e.answer(id)
				if f.Error == nil || f.Error.Code != -32800 || !strings.Contains(string(f.Error.Data), `"stopped"`) {
					t.Errorf("prompt %d was answered %v, %+v", id, f.Result, f.Error)
				}
			}
		}
		synctest.Wait()
		if got := e.updates(0); len(got) > 0 {
			t.Errorf("shown although nothing started: %q", got)
		}
	})
}

func TestCancel_Version2RunningAndQueued_EndsOneAndRefusesTheOther(t *testing.T) {
	t.Parallel()
	edit2(t, waits, nil, func(t *testing.T, e *editor) {
		from := e.count()
		first, second := e.prompt("one"), e.prompt("two")
		e.inserted(first)
		e.sees(from, `agent_message "here: one"`)
		e.notify("session/cancel", e.here())
		third := e.prompt("three") // after the cancel: not affected
		if f := e.answer(second); f.Error == nil || f.Error.Code != -32800 {
			t.Errorf("the queued prompt was answered %v", f.Result)
		}
		e.inserted(third)
		e.sees(from, `agent_message "here: three"`)
		want := []string{
			"state_update running", `user_message "one"`, `agent_message "here: one"`, "state_update idle cancelled",
			"state_update running", `user_message "three"`, `agent_message "here: three"`,
		}
		if got := e.updates(from); !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
	})
}

// The end of the cut-off call comes before idle. Output that the agent produces
// after the stop is not shown, and no update of the turn follows idle.
func TestCancel_Version2DuringACall_EndsItCancelledBeforeIdle(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		if err := all(ctx, w, called("c", "shell", `{"command":"make"}`), called("d", "shell", `{"command":"test"}`),
			bellcord.ToolCallStarted{Call: "c"}, bellcord.ToolOutputDelta{Call: "c", Text: "half"}); err != nil {
			return err
		}
		<-ctx.Done()
		<-time.After(time.Second) // takes time to end
		return w.Emit(bellcord.TextDelta{Text: "last words"})
	}
	edit2(t, agent, nil, func(t *testing.T, e *editor) {
		from := e.count()
		e.inserted(e.prompt("go"))
		e.sees(from, `tool_call_update "half"`)
		before, stopped := e.count(), time.Now()
		e.notify("session/cancel", e.here())
		at := e.sees(from, "state_update idle cancelled")
		if took := time.Since(stopped); took != time.Second {
			t.Errorf("idle after %v: the turn settles after a second", took)
		}
		<-time.After(time.Minute)
		if rest := e.updates(at + 1); len(rest) > 0 {
			t.Errorf("after idle: %q", rest)
		}
		got := e.updates(before)
		if len(got) != 3 || !strings.HasPrefix(got[0], "tool_call_update cancelled") || !strings.HasPrefix(got[1], "tool_call_update cancelled") {
			t.Errorf("before idle: %q", got)
		}
	})
}

// The turn ends by itself at the moment of the cancel: whichever side wins, there
// is one end, and nothing follows it.
func TestCancel_Version2RacesWithTheEnd_HasOneEnd(t *testing.T) {
	t.Parallel()
	won := map[string]int{}
	for _, delay := range []time.Duration{0, time.Second - 1, time.Second, time.Second + 1, 2 * time.Second} {
		agent := func(ctx context.Context, _ *hub.Work) error {
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
			return nil
		}
		edit2(t, agent, nil, func(t *testing.T, e *editor) {
			for range 4 {
				from := e.count()
				id := e.prompt("go")
				e.inserted(id)
				<-time.After(delay)
				e.notify("session/cancel", e.here())
				<-time.After(time.Minute)
				ends := slices.DeleteFunc(e.updates(from), func(w string) bool { return !strings.HasPrefix(w, "state_update idle") })
				if len(ends) != 1 || !strings.HasPrefix(last(e.updates(from)), "state_update idle") {
					t.Errorf("cancelled after %v: %q", delay, e.updates(from))
					continue
				}
				won[ends[0]]++
			}
		})
	}
	if won["state_update idle cancelled"] == 0 || won["state_update idle end_turn"] == 0 {
		t.Errorf("only one side won: %v", won)
	}
}

func last(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

func TestClose_Version2TurnRuns_IsIdleBeforeTheReply(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"session/close", "session/delete"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			edit2(t, waits, nil, func(t *testing.T, e *editor) {
				from := e.count()
				e.inserted(e.prompt("one"))
				queued := e.prompt("two")
				e.sees(from, `agent_message "here: one"`)
				f, closed := e.answerAt(e.send(method, e.here()))
				if f.Error != nil {
					t.Fatalf("%+v", f.Error)
				}
				if at := e.sees(from, "state_update idle cancelled"); at > closed {
					t.Errorf("closed at %d, idle at %d", closed, at)
				}
				if f := e.answer(queued); f.Error == nil || f.Error.Code != -32800 {
					t.Errorf("the queued prompt was answered %v", f.Result)
				}
				<-time.After(time.Minute)
				if rest := e.updates(closed); len(rest) > 0 {
					t.Errorf("after the close: %q", rest)
				}
			})
		})
	}
}

func TestServe_Version2InputEnds_SendsTheEnd(t *testing.T) {
	t.Parallel()
	edit2(t, waits, nil, func(_ *testing.T, e *editor) {
		from := e.count()
		e.inserted(e.prompt("one"))
		e.sees(from, `agent_message "here: one"`)
		_ = e.wire.Close()
		err := <-e.served
		e.served <- err // for the cleanup of edit
		synctest.Wait()
		e.sees(from, "state_update idle cancelled")
	})
}

// Two calls run; one is cancelled alone. The turn continues.
func TestCancelToolCall_OneOfTwoRuns_EndsOnlyThatOne(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		ended := make(chan error, 2)
		for _, call := range []string{"a", "b"} {
			if err := all(ctx, w, called(call, "shell", `{"command":"sleep"}`), bellcord.ToolCallStarted{Call: call}); err != nil {
				return err
			}
			of, done := w.CallContext(ctx, call)
			go func() {
				defer done()
				<-of.Done()
				ended <- w.Emit(bellcord.ToolCallEnded{Call: call, Outcome: bellcord.CallStopped, Result: "stopped"})
			}()
		}
		<-ended
		_ = w.Emit(bellcord.TextDelta{Text: "one is enough"})
		<-ended
		return nil
	}
	edit2(t, agent, nil, func(t *testing.T, e *editor) {
		from := e.count()
		e.inserted(e.prompt("go"))
		synctest.Wait()
		var calls []string
		for _, f := range e.all()[from:] {
			if u, _ := f.Params["update"].(obj); u["capabilities"] != nil {
				calls = append(calls, u["toolCallId"].(string))
			}
		}
		if len(calls) != 2 {
			t.Fatalf("%d calls can be cancelled", len(calls))
		}
		cancel := func(call string) frame {
			return e.request("tool_call/cancel", obj{"sessionId": e.session, "toolCallId": call})
		}
		if f := cancel(calls[0]); f.Error != nil {
			t.Fatalf("%+v", f.Error)
		}
		e.sees(from, `agent_message "one is enough"`)
		for _, call := range []string{calls[0], "none"} { // has ended, is unknown
			if f := cancel(call); f.Error == nil || f.Error.Code != -32602 {
				t.Errorf("%s was answered %v", call, f.Result)
			}
		}
		if got := e.updates(from); slices.Contains(got, "state_update idle cancelled") || !slices.Contains(got, `tool_call_update cancelled "stopped"`) {
			t.Errorf("got %q", got)
		}
		cancel(calls[1])
		e.sees(from, "state_update idle end_turn")
	})
}
