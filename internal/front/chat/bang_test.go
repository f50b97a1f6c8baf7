package chat_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

func TestBang_Command_IsATurnWithoutTheModel(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	actions := s.enters("! make test ")
	p, is := actions[0].(chat.Prompt)
	if !is || p.Task != bellcord.TaskCommand || p.Text != "!make test" {
		t.Fatalf("the actions are %+v", actions)
	}
	expectActions(t, s.press("esc"), chat.Stop{Turn: p.Turn, Mode: bellcord.StopNow})
}

func TestBang_SpaceBefore_IsText(t *testing.T) {
	t.Parallel()
	if p, is := newStage(t).enters(" !important")[0].(chat.Prompt); !is || p.Task != bellcord.TaskAnswer || p.Text != "!important" {
		t.Errorf("the prompt is %+v", p)
	}
}

func TestBang_NothingBehind_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, a := range s.enters("! ") {
		if _, is := a.(chat.Prompt); is {
			t.Errorf("sent %+v", a)
		}
	}
	s.has("write a command after the !")
}

func TestBang_HostedAgent_IsRefused(t *testing.T) {
	t.Parallel()
	m := chat.New(chat.Options{Session: bellcord.Session{ID: "s", Agent: "goose"}, Now: noon})
	s := &stage{t: t, m: m, now: noon, turn: "t1"}
	for _, a := range s.enters("!ls") {
		if _, is := a.(chat.Prompt); is {
			t.Errorf("sent %+v", a)
		}
	}
	s.has("goose runs its own commands", "› !ls")
}

func TestBang_QueuedCommand_StaysACommand(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("first").of("t2").happens(bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: "!ls", Task: bellcord.TaskCommand}})
	expectActions(t, s.enters("/edit 1 remove everything"))
	s.has("a queued command stays a command")
	s.press("tab")
	s.press("enter")
	s.has("!ls")
	for range "!ls" {
		s.press("backspace")
	}
	if got := s.enters("remove everything"); len(got) != 0 {
		t.Errorf("the edit is %+v", got)
	}
	s.press("ctrl+u")
	expectActions(t, s.enters("!ls -l"), chat.Edit{Turn: "t2", Text: "!ls -l"})
}

func TestBang_Output_IsShownInABlock(t *testing.T) {
	t.Parallel()
	s := newStage(t).happens(bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: "!ls", Task: bellcord.TaskCommand}}, bellcord.TurnStarted{},
		called("command", "shell", `{"command":"ls","timeout":3600}`), bellcord.ToolCallStarted{Call: "command"},
		bellcord.ToolOutputDelta{Call: "command", Text: strings.Repeat("file\n", 12) + "last\n"},
		bellcord.ToolCallEnded{Call: "command", Outcome: bellcord.CallFinished, Result: "…"}).ends(bellcord.Receipt{End: bellcord.EndDone})
	s.has("> !ls", "✓ shell ls", "│ last")
	if n := strings.Count(s.screen(100, 40), "│ file"); n != 12 {
		t.Errorf("%d of 12 lines are on the screen", n)
	}
}
