package chat_test

import (
	"errors"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

func TestSubmit_Command_OnlyStopCommandsStop(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]chat.Action{
		"/help":            nil,
		"/status":          nil,
		"/stop":            {stopT1},
		"/stop all":        {chat.Stop{Session: "s", Mode: bellcord.StopNow, Queue: bellcord.QueueDrop}},
		"/stop everything": nil,
		"/sessions":        {chat.ShowList{At: chat.AtSessions}},
		"/open abc":        {chat.Open{Session: "abc"}},
		"/clear":           {chat.Clear{Session: "s"}},
		"/model a/b":       {chat.Change{Session: "s", To: bellcord.SessionUpdated{Model: "a/b"}}},
		"/model":           {chat.ShowList{At: chat.AtModels}},
		"/mode full":       {chat.Change{Session: "s", To: bellcord.SessionUpdated{Mode: "full"}}},
		"/agent":           {chat.ShowList{At: chat.AtAgents}},
		"/agent goose":     {chat.Begin{Like: bellcord.Session{Mode: "ask", Agent: "goose"}}},
		"/cost":            {chat.ShowList{At: chat.AtCost, Session: "s"}},
		"/quit":            {chat.Leave{}},
		"/halt":            nil,
		"/edit 1 new":      {chat.Edit{Turn: "t2", Text: "new"}},
		"/send 1":          {chat.Send{Turn: "t2"}},
		"/drop 1":          {chat.Stop{Turn: "t2", Mode: bellcord.StopNow}},
		"/drop 2":          nil,
	} {
		s := newStage(t).runs("go").of("t2").prompted("later").of("t1")
		expectActions(t, s.enters(text), want...)
		if stops := text == "/stop" || text == "/stop all"; stops != contains(s.screen(100, 30), "■ stopping…") {
			t.Errorf("%s:\n%s", text, s.screen(100, 30))
		}
	}
}

func TestSubmit_PathOrMistypedCommand_OnlyThePathIsSent(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if p, is := s.enters("/etc/hosts has what?")[0].(chat.Prompt); !is || p.Text != "/etc/hosts has what?" {
		t.Errorf("a path is %#v", p)
	}
	s = newStage(t)
	expectActions(t, s.enters("/halt"))
	s.has("unknown command /halt", "› /halt")
}

func TestSubmit_LeadingSlash_IsCommandTextOrRefused(t *testing.T) {
	t.Parallel()
	prompt := func(s *stage, text string) string {
		t.Helper()
		actions := s.enters(text)
		if len(actions) != 1 {
			t.Fatalf("%q did %#v", text, actions)
		}
		p, _ := actions[0].(chat.Prompt)
		return p.Text
	}
	for text, want := range map[string]string{" /stop": "/stop", "//stop now": "/stop now", "/etc/hosts": "/etc/hosts"} {
		if got := prompt(newStage(t), text); got != want {
			t.Errorf("%q sends %q, want %q", text, got, want)
		}
	}
	s := newStage(t)
	expectActions(t, s.enters("/modell x"))
	s.has("did you mean /model?", "› /modell x")
	hosted := chat.New(chat.Options{Session: bellcord.Session{ID: "s", Agent: "goose"}, Now: noon})
	if p := hosted.Submit("/deploy now"); len(p) != 1 || p[0].(chat.Prompt).Text != "/deploy now" {
		t.Errorf("a hosted agent's command did %#v", p)
	}
	if _, stops := hosted.Submit("/stop")[0].(chat.Stop); !stops {
		t.Error("/stop of a hosted session stops nothing")
	}
}

func TestSubmit_Compact_SendsACompactionTask(t *testing.T) {
	t.Parallel()
	p, is := newStage(t).enters("/compact mind the names")[0].(chat.Prompt)
	if !is || p.Task != bellcord.TaskCompact || p.Text != "mind the names" {
		t.Errorf("did %#v", p)
	}
}

func TestEdit_QueuedPromptThatWouldBeACommand_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").of("t2").prompted("later")
	expectActions(t, s.enters("/edit 1 /stop"))
	s.press("tab")
	s.press("enter")
	s.press("ctrl+u")
	expectActions(t, s.enters("/stop"))
	s.has("cannot be a command")
}

func TestSubmit_StopWhileNothingRuns_ReportsIt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	expectActions(t, s.enters("/stop"))
	s.has("Nothing is running.")
}

func TestQueue_SelectedPrompt_CanBeEditedSentAndDeleted(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").of("t2").prompted("second").of("t3").prompted("third")
	s.press("tab")
	s.press("up")
	s.press("enter")
	s.has("✎ second").types(" one")
	expectActions(t, s.press("enter"), chat.Edit{Turn: "t2", Text: "second one"})
	s.of("t2").happens(bellcord.PromptEdited{Text: "second one"}).has("1 second one", "queue 2")
	s.press("tab")
	expectActions(t, s.press("s"), chat.Send{Turn: "t3"})
	s.press("tab")
	expectActions(t, s.press("d"), chat.Stop{Turn: "t3", Mode: bellcord.StopNow})
	s.of("t3").ends(bellcord.Receipt{End: bellcord.EndStopped, Prompt: "third"}).has("› 1 second one", "– not run: third")
}

func TestScreen_StopHoldsTheQueue_ShowsHeldPrompts(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").of("t2").prompted("second").of("t1").ends(bellcord.Receipt{End: bellcord.EndStopped, HeldTurns: []bellcord.TurnID{"t2"}})
	s.has("held 1: not sent, because the turn was stopped", "■ stopped")
	if s.m.Busy() {
		t.Error("what is held does not run")
	}
}

func TestHear_SessionCreatedForADraft_IsShown(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	expectActions(t, s.enters("/new"))
	p := s.enters("hello")[0].(chat.Prompt)
	if p.Session.ID != "" || p.Draft == 0 {
		t.Errorf("%+v", p)
	}
	s.m.Apply(chat.Report{Of: p, Session: &bellcord.Session{ID: "made"}})
	if s.m.Session().ID != "made" {
		t.Errorf("it shows %+v", s.m.Session())
	}
}

func TestHear_RefusedSettings_ChangeNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("words")
	begin := s.enters("/agent nope")[0]
	s.m.Apply(chat.Report{Of: begin, Err: errors.New("there is no agent nope")})
	s.has("there is no agent nope", "> words")
	draft := chat.New(chat.Options{Now: noon})
	change := draft.Submit("/model nope/x")[0]
	draft.Apply(chat.Report{Of: change, Err: errors.New("there is no provider nope")})
	if draft.Session().Model != "" {
		t.Errorf("the model is %q", draft.Session().Model)
	}
	draft.Apply(chat.Report{Of: chat.Change{To: bellcord.SessionUpdated{Model: "openai/x"}}})
	if draft.Session().Model != "openai/x" {
		t.Errorf("the model is %q", draft.Session().Model)
	}
}
