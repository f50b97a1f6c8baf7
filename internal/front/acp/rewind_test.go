package acp_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
)

// listsPrompts is an agent that answers with the prompts of the conversation.
func listsPrompts(ctx context.Context, w *hub.Work) error {
	messages, err := w.History(ctx)
	if err != nil {
		return err
	}
	var prompts []string
	for _, m := range messages {
		if m.Role == bellcord.RoleUser {
			prompts = append(prompts, m.Text)
		}
	}
	return all(ctx, w, bellcord.TextDelta{Text: "I have: " + strings.Join(prompts, ", ") + "."})
}

// turnOf returns the short id of the turn with a prompt, from the list of /rewind.
func (e *editor) turnOf(prompt string) string {
	e.t.Helper()
	found := regexp.MustCompile("`(…[0-9a-f]+)` " + prompt).FindStringSubmatch(e.shownText())
	if found == nil {
		e.t.Fatalf("no turn with the prompt %q: %s", prompt, e.shownText())
	}
	return found[1]
}

func TestRewind_TurnAndBack_ChangeWhatTheAgentGets(t *testing.T) {
	t.Parallel()
	edit(t, listsPrompts, nil, func(_ *testing.T, e *editor) {
		e.ends(e.prompt("/rewind"), "end_turn")
		e.shown("The conversation has no turn to rewind to.")
		e.ends(e.prompt("one"), "end_turn")
		e.ends(e.prompt("two"), "end_turn")
		e.shown("I have: one, two.")
		e.ends(e.prompt("/rewind"), "end_turn")
		e.shown("Files stay as they are: /undo is for those.")
		two := e.turnOf("two")
		e.ends(e.prompt("/rewind "+two), "end_turn")
		e.shown("The conversation goes on as it was before an earlier turn. Files stay as they are. /rewind back takes the last rewind back.")
		e.ends(e.prompt("three"), "end_turn")
		e.shown("I have: one, three.")
		e.ends(e.prompt("/rewind "+two), "end_turn")
		e.shown("the turn is not part of the conversation")
		e.ends(e.prompt("/rewind back"), "end_turn")
		e.ends(e.prompt("four"), "end_turn")
		e.shown("I have: one, two, three, four.")
		e.ends(e.prompt("/rewind back"), "end_turn")
		e.shown("the conversation was not rewound")
	})
}

func TestRewind_TurnRuns_IsRefused(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(_ *testing.T, e *editor) {
		running := e.prompt("one")
		e.shown("here: one")
		e.ends(e.prompt("/rewind"), "end_turn")
		e.ends(e.prompt("/rewind "+e.turnOf("one")), "end_turn")
		e.shown("a turn of this session is running: stop it first")
		e.notify("session/cancel", e.here())
		e.ends(running, "cancelled")
	})
}

func TestUndo_TurnNamed_IsUndone(t *testing.T) {
	t.Parallel()
	f := &namedTurn{}
	edit(t, echoes, func(c *acp.Config) { c.Files = func() (acp.Files, error) { return f, nil } }, func(t *testing.T, e *editor) {
		e.ends(e.prompt("one"), "end_turn")
		e.ends(e.prompt("two"), "end_turn")
		e.ends(e.prompt("/rewind"), "end_turn")
		one := e.turnOf("one")
		e.ends(e.prompt("/undo "+one+" a.txt"), "end_turn")
		if !strings.HasSuffix(string(f.asked.Turn), strings.TrimPrefix(one, "…")) || len(f.asked.Paths) != 1 || f.asked.Paths[0] != "a.txt" {
			t.Errorf("asked to undo %+v, want turn %s", f.asked, one)
		}
	})
}

// namedTurn records the request for a preview, which restores nothing.
type namedTurn struct {
	changedFiles
	asked bellcord.UndoRequest
}

func (f *namedTurn) Undo(_ context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	f.asked = q
	return bellcord.Undone{}, nil
}
