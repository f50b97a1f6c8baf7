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

func TestLoad_TurnWaitsForPermission_KeepsItsDialogOpen(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		if w.Prompt.Text == "first" {
			return echoes(ctx, w)
		}
		return requestPermission(ctx, w)
	}
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		e.ends(e.prompt("first"), "end_turn") // the replay passes its end
		id := e.prompt("second")
		requests, _ := e.calls("session/request_permission")
		e.request("session/load", obj{"sessionId": e.session, "cwd": e.dir})
		synctest.Wait()
		e.mu.Lock()
		for _, f := range e.frames {
			if f.Method == "$/cancel_request" {
				t.Error("the dialog was closed")
			}
		}
		e.mu.Unlock()
		e.reply(requests, obj{"result": obj{"outcome": obj{"outcome": "selected", "optionId": "allow"}}})
		e.ends(id, "end_turn")
		e.shown("chosen: allow")
	})
}

func TestResume_CallInProgress_ContinuesItsOutput(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, w *hub.Work) error {
		if err := all(ctx, w, called("c", "shell", `{"command":"make"}`), bellcord.ToolCallStarted{Call: "c"}, bellcord.ToolOutputDelta{Call: "c", Text: "half "}); err != nil {
			return err
		}
		<-time.After(time.Second) // the client resumes
		return all(ctx, w, bellcord.ToolOutputDelta{Call: "c", Text: "and half"}, bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished, Result: "whole"})
	}
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		id := e.prompt("go")
		e.shown(`"half "`)
		from := e.count()
		e.request("session/resume", obj{"sessionId": e.session, "cwd": e.dir})
		e.ends(id, "end_turn")
		got := strings.Join(e.since(from), "\n")
		if !strings.Contains(got, `"half and half"`) || !strings.Contains(got, `completed "whole"`) {
			t.Errorf("shown after the resume:\n%s", got)
		}
	})
}

// A load that ends the follower of the one before must not fail the prompt.
func TestReopen_Overlapping_KeepRunningPrompt(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(_ *testing.T, e *editor) {
		for n := range 30 {
			words := fmt.Sprint("prompt ", n)
			id := e.prompt(words)
			e.shown("here: " + words)
			var loads []int
			for i := range 6 {
				method := []string{"session/load", "session/resume"}[i%2]
				loads = append(loads, e.send(method, obj{"sessionId": e.session, "cwd": e.dir}))
			}
			for _, load := range loads {
				e.answer(load)
			}
			e.notify("session/cancel", e.here())
			e.ends(id, "cancelled")
		}
	})
}
