package acp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// The prompts are sent 200 times, on 50 sessions at once so that they share
// commits.
func TestCancel_InTheSameWriteAsThePrompt_IsNeverLost(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(_ *testing.T, e *editor) {
		var opened []int
		for range 50 {
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
				e.ends(id, "cancelled")
			}
		}
	})
}

func TestCancel_NothingRuns_DoesNotAffectTheNextPrompt(t *testing.T) {
	t.Parallel()
	edit(t, echoes, nil, func(_ *testing.T, e *editor) {
		e.notify("session/cancel", e.here())
		e.ends(e.prompt("hello"), "end_turn")
	})
}

func TestCancel_RunningAndQueuedPrompts_StopsBoth(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(t *testing.T, e *editor) {
		first, second := e.prompt("one"), e.prompt("two")
		e.shown("here: one")
		e.notify("session/cancel", e.here())
		third := e.prompt("three") // after the cancel: not affected
		e.ends(first, "cancelled")
		e.ends(second, "cancelled")
		e.shown("here: three")
		e.notify("session/cancel", e.here())
		e.ends(third, "cancelled")
		if got := strings.Join(e.since(0), "\n"); strings.Contains(got, "here: two") {
			t.Errorf("the second prompt ran:\n%s", got)
		}
	})
}

func TestCancelRequest_OneOfTwoPrompts_StopsOnlyThatOne(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		cancel, other int // indexes of the two prompts
	}{
		{"the running one, and the next one starts", 0, 1},
		{"the waiting one, and the running one goes on", 1, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			edit(t, waits, nil, func(_ *testing.T, e *editor) {
				texts := []string{"one", "two"}
				ids := []int{e.prompt(texts[0]), e.prompt(texts[1])}
				e.shown("here: one")
				e.notify("$/cancel_request", obj{"requestId": ids[test.cancel]})
				e.ends(ids[test.cancel], "cancelled")
				e.shown("here: " + texts[test.other])
				e.notify("$/cancel_request", obj{"requestId": 4711}) // matches no request
				synctest.Wait()
				e.notify("$/cancel_request", obj{"requestId": ids[test.other]})
				e.ends(ids[test.other], "cancelled")
			})
		})
	}
}

// The end of the cut-off call comes before the turn's reply. Output that the
// agent produces after the stop is not shown, and no update of the turn follows
// the reply.
func TestCancel_AgentEmitsAfterStop_NoUpdateFollowsTheReply(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		if err := all(ctx, w, called("c", "shell", `{"command":"make"}`), bellcord.ToolCallStarted{Call: "c"}, bellcord.ToolOutputDelta{Call: "c", Text: "half"}); err != nil {
			return err
		}
		<-ctx.Done()
		<-time.After(time.Second) // takes time to end
		return w.Emit(bellcord.TextDelta{Text: "last words"})
	}
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		id := e.prompt("go")
		e.shown(`"half"`)
		before := e.count()
		e.notify("session/cancel", e.here())
		at := e.ends(id, "cancelled")
		<-time.After(time.Minute)
		if rest := e.since(at); len(rest) > 0 {
			t.Errorf("after the answer: %v", rest)
		}
		got := e.since(before)
		if len(got) != 1 || !strings.Contains(got[0], `failed "[output so far]\nhalf\n[stopped while running`) {
			t.Errorf("before the answer: %q", got)
		}
	})
}

func TestClose_PromptsPending_RepliesAfterThem(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"session/close", "session/delete"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			edit(t, waits, nil, func(t *testing.T, e *editor) {
				first, second := e.prompt("one"), e.prompt("two")
				e.shown("here: one")
				f, closed := e.answerAt(e.send(method, e.here()))
				if f.Error != nil {
					t.Fatalf("%+v", f.Error)
				}
				if a, b := e.ends(first, "cancelled"), e.ends(second, "cancelled"); a > closed || b > closed {
					t.Errorf("closed at %d, the prompts were answered at %d and %d", closed, a, b)
				}
				if f := e.answer(e.prompt("three")); f.Error == nil || f.Error.Code != -32002 {
					t.Errorf("a prompt to a closed session was answered %+v", f)
				}
				if after := e.since(closed); len(after) > 0 {
					t.Errorf("after the close: %v", after)
				}
			})
		})
	}
}

func TestServe_InputEnds_StopsTurnsAndAnswersPrompts(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(t *testing.T, e *editor) {
		first, second := e.prompt("one"), e.prompt("two")
		e.shown("here: one")
		gone := time.Now()
		_ = e.wire.Close()
		err := <-e.served
		e.served <- err // for the cleanup of edit
		if took := time.Since(gone); err != nil || took != 0 {
			t.Errorf("served until %v after the end, %v", took, err)
		}
		synctest.Wait()
		e.ends(first, "cancelled")
		e.ends(second, "cancelled")
		if left := e.hub.Unsettled(); len(left) > 0 {
			t.Errorf("%d turns run on", len(left))
		}
	})
}
