package chat_test

import (
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

func TestCommandsAreUnderstoodBeforeAnythingIsStopped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]chat.Action{
		"/help":            nil,
		"/status":          nil,
		"/stop":            {stopT1},
		"/stop all":        {chat.Stop{Session: "s", Mode: bellcord.Now, Queue: bellcord.Drop}},
		"/stop everything": nil,
		"/sessions":        {chat.Look{At: chat.AtSessions}},
		"/open abc":        {chat.Open{Session: "abc"}},
		"/clear":           {chat.Clear{Session: "s"}},
		"/model a/b":       {chat.Change{Session: "s", To: bellcord.Configured{Model: "a/b"}}},
		"/model":           {chat.Look{At: chat.AtModels}},
		"/mode full":       {chat.Change{Session: "s", To: bellcord.Configured{Mode: "full"}}},
		"/agent":           {chat.Look{At: chat.AtAgents}},
		"/cost":            {chat.Look{At: chat.AtCost, Session: "s"}},
		"/quit":            {chat.Leave{}},
		"/halt":            nil,
		"/edit 1 new":      {chat.Edit{Turn: "t2", Text: "new"}},
		"/send 1":          {chat.Send{Turn: "t2"}},
		"/drop 1":          {chat.Stop{Turn: "t2", Mode: bellcord.Now}},
		"/drop 2":          nil,
	} {
		s := newStage(t).runs("go").of("t2").prompted("later").of("t1")
		wants(t, s.enters(text), want...)
		if stops := text == "/stop" || text == "/stop all"; stops != contains(s.screen(100, 30), "■ stopping…") {
			t.Errorf("%s:\n%s", text, s.screen(100, 30))
		}
	}
}

func TestAPathIsAPromptAndAMistypedCommandIsNot(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if p, is := s.enters("/etc/hosts has what?")[0].(chat.Prompt); !is || p.Text != "/etc/hosts has what?" {
		t.Errorf("a path is %#v", p)
	}
	s = newStage(t)
	wants(t, s.enters("/halt"))
	s.has("there is no command /halt", "› /halt")
}

func TestStopSaysWhenNothingRuns(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	wants(t, s.enters("/stop"))
	s.has("Nothing is running.")
}

func TestAQueuedPromptIsPickedEditedSentAndDeleted(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").of("t2").prompted("second").of("t3").prompted("third")
	s.press("up")
	s.press("up")
	s.press("enter")
	s.has("✎ second").types(" one")
	wants(t, s.press("enter"), chat.Edit{Turn: "t2", Text: "second one"})
	s.of("t2").happens(bellcord.Edited{Text: "second one"}).has("+ second one", "2 queued")
	s.press("up")
	wants(t, s.press("s"), chat.Send{Turn: "t3"})
	s.press("up")
	wants(t, s.press("d"), chat.Stop{Turn: "t3", Mode: bellcord.Now})
	s.of("t3").ends(bellcord.Receipt{End: bellcord.Stopped, Prompt: "third"}).has("1 queued", "not started: third")
}

func TestAStopHoldsTheQueueAndSaysSo(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").of("t2").prompted("second").of("t1").ends(bellcord.Receipt{End: bellcord.Stopped, Held: []bellcord.TurnID{"t2"}})
	s.has("1 queued, 1 held by the stop", "■ stopped")
	if s.m.Busy() {
		t.Error("what is held does not run")
	}
}

func TestSessionsArePickedFromAList(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("old words")
	s.m.Hear(chat.Report{Of: chat.Look{At: chat.AtSessions}, Sessions: []bellcord.Session{{ID: "s", Title: "this one"}, {ID: "other", Title: "that one"}}})
	s.has("2 sessions", "› ", "that one")
	s.press("down")
	wants(t, s.press("enter"), chat.Open{Session: "other"})
	s.m.Hear(chat.Report{Of: chat.Open{Session: "other"}, Session: &bellcord.Session{ID: "other"}})
	s.happens(bellcord.Said{Text: "a late word of the old one"})
	if got := s.screen(60, 20); contains(got, "old") {
		t.Errorf("it still shows the other one:\n%s", got)
	}
}

func TestPromptsOfADraftShareTheSessionThatIsMade(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	wants(t, s.enters("/new"))
	p := s.enters("hello")[0].(chat.Prompt)
	if p.Session.ID != "" || p.Draft == 0 {
		t.Errorf("%+v", p)
	}
	s.m.Hear(chat.Report{Of: p, Session: &bellcord.Session{ID: "made"}})
	if s.m.Session().ID != "made" {
		t.Errorf("it shows %+v", s.m.Session())
	}
}
