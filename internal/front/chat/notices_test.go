package chat_test

import (
	"slices"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

func TestNotices_QuestionAndEnd_NameTheStateAndTheSession(t *testing.T) {
	t.Parallel()
	s := newStage(t).happens(bellcord.SessionUpdated{Title: "Fix\x1b]9;totals\a"}).runs("go")
	s.happens(bellcord.TextDelta{Text: "words"})
	expectNotices(t, s.m)
	s.happens(bellcord.QuestionOpened{Question: bellcord.Question{ID: "q", Text: "Run `rm secret`?"}})
	expectNotices(t, s.m, "Bellcord: waiting for you · Fix␛]9;totals␇")
	expectNotices(t, s.m) // each is returned once
	s.after(12 * time.Second).ends(bellcord.Receipt{End: bellcord.EndDone})
	expectNotices(t, s.m, "Bellcord: done 0:12 · Fix␛]9;totals␇")
	s.of("t2").runs("again").ends(bellcord.Receipt{End: bellcord.EndFailed, Error: "the key sk-1 is wrong"})
	expectNotices(t, s.m, "Bellcord: failed · Fix␛]9;totals␇")
}

func TestNotices_EventsBeforeTheSessionWasShown_CauseNone(t *testing.T) {
	t.Parallel()
	s := &stage{t: t, m: chat.New(chat.Options{Session: bellcord.Session{ID: "s"}, Now: noon}), now: noon, turn: "t1"}
	s.runs("long ago").ends(bellcord.Receipt{End: bellcord.EndDone})
	expectNotices(t, s.m)
	s.m.CaughtUp()
	s.of("t2").runs("now").ends(bellcord.Receipt{End: bellcord.EndStopped})
	expectNotices(t, s.m, "Bellcord: stopped after 0.0 s")
}

func expectNotices(t *testing.T, m *chat.Model, want ...string) {
	t.Helper()
	if got := m.Notices(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
