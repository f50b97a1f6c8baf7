package acp_test

import (
	"context"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
)

// compacts is an agent that supports both tasks.
func compacts(ctx context.Context, w *hub.Work) error {
	if w.Prompt.Task != bellcord.TaskCompact {
		return all(ctx, w,
			bellcord.TextDelta{Text: "before"},
			bellcord.ConversationCompacted{Summary: "one", FromSeq: 1}, // on its own initiative
			bellcord.TextDelta{Text: "after"})
	}
	return all(ctx, w,
		bellcord.SideRequestStarted{Purpose: "compaction", Model: "fake/one", EstimatedInput: 10},
		bellcord.SideRequestEnded{Purpose: "compaction", Usage: bellcord.Usage{InputTokens: 10, OutputTokens: 3, Exact: true}},
		bellcord.ConversationCompacted{Summary: "they talked  about\ntrains", FromSeq: 1})
}

func TestCompact_Command_IsATurnWithLimitsAndNoPromptInTheConversation(t *testing.T) {
	t.Parallel()
	var given atomic.Pointer[bellcord.Prompt]
	agent := func(ctx context.Context, w *hub.Work) error {
		given.Store(&w.Prompt)
		return compacts(ctx, w)
	}
	limit := func(c *acp.Config) { c.Prompt = bellcord.Prompt{MaxSteps: 7} }
	edit(t, agent, limit, func(t *testing.T, e *editor) {
		e.ends(e.prompt("hello"), "end_turn")
		f := e.answer(e.prompt("/compact mind the names"))
		if f.Result["stopReason"] != "end_turn" || f.Result["_meta"] == nil {
			t.Errorf("answered %v, want a receipt", f.Result)
		}
		if p := given.Load(); p.Task != bellcord.TaskCompact || p.Text != "mind the names" || p.MaxSteps != 7 {
			t.Errorf("the turn was given %+v", p)
		}
		want := []string{
			"session_info_update hello",
			`agent_message_chunk "before"`,
			`agent_message_chunk "\n\nCompacted: the conversation so far is now a summary of 1 word.\n\n"`,
			`agent_message_chunk "after"`,
			`agent_message_chunk "Compacted: the conversation so far is now a summary of 4 words.\n\n"`,
		}
		synctest.Wait()
		if got := e.since(0)[1:]; !reflect.DeepEqual(got, want) {
			t.Errorf("shown\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		from := e.count()
		e.request("session/load", obj{"sessionId": e.session, "cwd": e.dir})
		synctest.Wait()
		want = append([]string{want[0], `user_message_chunk "hello"`}, want[1:]...)
		if got := e.since(from); !reflect.DeepEqual(got, append(want, "available_commands_update")) {
			t.Errorf("replayed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

func TestCompact_AnyStop_CancelsIt(t *testing.T) {
	t.Parallel()
	stops := map[string]func(e *editor, compaction int) string{
		"by a cancel":                func(e *editor, _ int) string { return line(0, "session/cancel", e.here()) },
		"by a cancel of the request": func(_ *editor, id int) string { return line(0, "$/cancel_request", obj{"requestId": id}) },
		"by the command":             func(e *editor, _ int) string { return line(e.newID(), "session/prompt", e.saying("/stop")) },
		"by a clear":                 func(e *editor, _ int) string { return line(e.newID(), "session/prompt", e.saying("/clear")) },
	}
	for name, stop := range stops {
		for _, when := range []string{"at once", "while it runs"} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				edit(t, waits, nil, func(t *testing.T, e *editor) {
					id := e.newID()
					compact := line(id, "session/prompt", e.saying("/compact"))
					if when == "at once" {
						e.write(compact + stop(e, id))
					} else {
						e.write(compact)
						e.shown("here: ")
						e.write(stop(e, id))
					}
					e.ends(id, "cancelled")
					synctest.Wait()
					if left := e.hub.Unsettled(); len(left) > 0 {
						t.Errorf("%d turns run on", len(left))
					}
				})
			})
		}
	}
}
