package acp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// recalls is an agent that replies with its history. If the prompt starts with
// "wait", it then runs until it is stopped.
func recalls(ctx context.Context, w *hub.Work) error {
	history, err := w.History(ctx)
	if err != nil {
		return err
	}
	var known []string
	for _, m := range history {
		known = append(known, fmt.Sprintf("%s: %s", m.Role, m.Text))
	}
	if err := all(ctx, w, bellcord.TextDelta{Text: "<" + strings.Join(known, "; ") + ">"}); err != nil {
		return err
	}
	if strings.HasPrefix(w.Prompt.Text, "wait") {
		<-ctx.Done()
	}
	return context.Cause(ctx)
}

// The prompt before the clear, in the same write, is stopped; the prompt after
// it is the first of the new conversation.
func TestClear_BetweenTwoPrompts_StopsTheFirstAndStartsWithTheSecond(t *testing.T) {
	t.Parallel()
	edit(t, recalls, nil, func(t *testing.T, e *editor) {
		e.ends(e.prompt("old"), "end_turn")
		for round := range 20 {
			before, clear, after := e.newID(), e.newID(), e.newID()
			first := fmt.Sprint("first of ", round)
			e.write(line(before, "session/prompt", e.saying("wait")) +
				line(clear, "session/prompt", e.saying("/clear")) +
				line(after, "session/prompt", e.saying(first)))
			stopped, cleared := e.ends(before, "cancelled"), e.ends(clear, "end_turn")
			if cleared < stopped {
				t.Error("the clear was answered before the prompt that it stopped")
			}
			e.ends(after, "end_turn")
			e.shown(`"<user: ` + first + `>"`)
		}
	})
}

func TestClear_TurnsRun_ReportsWhatItStoppedWithoutATurn(t *testing.T) {
	t.Parallel()
	edit(t, recalls, nil, func(t *testing.T, e *editor) {
		e.ends(e.prompt("/clear"), "end_turn")
		e.shown(`"Cleared. Your next prompt starts a new conversation."`)
		running, queued := e.prompt("wait"), e.prompt("wait, too")
		e.shown("<user: wait>")
		f := e.answer(e.prompt("/clear"))
		if f.Result["stopReason"] != "end_turn" || f.Result["_meta"] != nil {
			t.Errorf("answered %v", f.Result)
		}
		e.shown(`conversation. Stopped: 2 prompts."`)
		e.ends(running, "cancelled")
		e.ends(queued, "cancelled")
		e.ends(e.prompt("hello"), "end_turn")
		e.shown(`"<user: hello>"`)
	})
}

func TestClear_SlowAgent_DelaysOnlyItsOwnReply(t *testing.T) {
	t.Parallel()
	edit(t, lingers, nil, func(t *testing.T, e *editor) {
		began := time.Now()
		prompt, clear, model := e.newID(), e.newID(), e.newID()
		e.write(line(prompt, "session/prompt", e.saying("one")))
		e.shown("here: one")
		e.write(line(clear, "session/prompt", e.saying("/clear")) + line(model, "session/prompt", e.saying("/model")))
		e.ends(model, "end_turn")
		if took := time.Since(began); took != 0 {
			t.Errorf("what came behind the clear waited %v", took)
		}
		e.ends(clear, "end_turn")
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("the clear was answered after %v", took)
		}
		e.ends(prompt, "cancelled")
	})
}

func TestClose_SlowCommandPending_RepliesAfterIt(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"/clear", "/cost"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			edit(t, lingers, nil, func(t *testing.T, e *editor) {
				e.prompt("one")
				e.shown("here: one")
				command, closing := e.newID(), e.newID()
				e.write(line(command, "session/prompt", e.saying(text)) + line(closing, "session/close", e.here()))
				_, closed := e.answerAt(closing)
				if at := e.ends(command, "end_turn"); at > closed {
					t.Error("the session was closed before the command was answered")
				}
				synctest.Wait()
				if after := e.since(closed); len(after) > 0 {
					t.Errorf("after the close: %q", after)
				}
			})
		})
	}
}

func TestLoad_AfterAClear_ShowsTheEarlierConversation(t *testing.T) {
	t.Parallel()
	edit(t, echoes, nil, func(_ *testing.T, e *editor) {
		e.ends(e.prompt("old"), "end_turn")
		e.ends(e.prompt("/clear"), "end_turn")
		e.ends(e.prompt("new"), "end_turn")
		from := e.count()
		e.request("session/load", obj{"sessionId": e.session, "cwd": e.dir})
		synctest.Wait()
		got := strings.Join(e.since(from), "\n")
		for _, want := range []string{`user_message_chunk "old"`, `agent_message_chunk "echo: old"`, `user_message_chunk "new"`} {
			if !strings.Contains(got, want) {
				e.t.Errorf("%s is missing:\n%s", want, got)
			}
		}
		if strings.Contains(got, "lear") {
			e.t.Errorf("the command is part of the conversation:\n%s", got)
		}
	})
}
