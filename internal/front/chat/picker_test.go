package chat_test

import (
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

// choosing returns a stage that shows a list of four sessions.
func choosing(t *testing.T) *stage {
	t.Helper()
	s := newStage(t)
	s.m.Apply(chat.Report{Of: chat.ShowList{At: chat.AtSessions}, Sessions: []bellcord.Session{
		{ID: "s", Title: "this one", Dir: "/work/here", Updated: noon},
		{ID: "01a1e14a-0001-7000-8000-00000a2507a5", Title: "Cart totals", Dir: "/work/here", Updated: noon.Add(-time.Hour)},
		{ID: "c", Title: "cart notes", Dir: "/work/there", Updated: noon.AddDate(0, 0, -1)},
		{ID: "d", Dir: "/work/here", Updated: noon.AddDate(0, 0, -9)},
	}})
	return s
}

const totals = bellcord.SessionID("01a1e14a-0001-7000-8000-00000a2507a5")

func TestPicker_EnterOnASession_OpensIt(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("old words")
	s.m.Apply(chat.Report{Of: chat.ShowList{At: chat.AtSessions}, Sessions: []bellcord.Session{{ID: "s", Title: "this one", Dir: "/work/here"}, {ID: "other", Title: "that one", Dir: "/work/here"}}})
	s.has("Sessions in /work/here", "this one", "that one")
	s.press("down")
	expectActions(t, s.press("enter"), chat.Open{Session: "other"})
	s.m.Apply(chat.Report{Of: chat.Open{Session: "other"}, Session: &bellcord.Session{ID: "other"}})
	s.happens(bellcord.TextDelta{Text: "a late word of the old one"})
	if got := s.screen(60, 20); contains(got, "old") {
		t.Errorf("it still shows the other one:\n%s", got)
	}
}

func TestPicker_Sessions_AreGroupedByDayAndProject(t *testing.T) {
	t.Parallel()
	s := choosing(t)
	s.has("Sessions in /work/here — tab: all projects", "Today", "…0a2507a5  Cart totals", "(untitled)", "2026-11-06")
	s.hasNot("cart notes", "Yesterday")
	s.press("tab")
	s.has("Sessions of all projects", "Yesterday", "cart notes  /work/there")
}

func TestPicker_NoSessionInTheProject_ShowsAllProjects(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.m.Apply(chat.Report{Of: chat.ShowList{At: chat.AtSessions}, Sessions: []bellcord.Session{{ID: "x", Title: "elsewhere", Dir: "/other"}}})
	s.has("elsewhere  /other")
}

func TestPicker_TypedWords_FilterTheList(t *testing.T) {
	t.Parallel()
	s := choosing(t).types("cart")
	s.has("› cart", "Cart totals")
	s.hasNot("this one")
	expectActions(t, s.press("enter"), chat.Open{Session: string(totals)})
	choosing(t).types("zebra").has("no session found")
}

func TestPicker_CtrlR_RenamesTheSelectedSession(t *testing.T) {
	t.Parallel()
	s := choosing(t)
	s.press("down")
	s.press("ctrl+r")
	s.types(" of May").has("new title: Cart totals of May")
	expectActions(t, s.press("enter"), chat.Rename{Session: totals, Title: "Cart totals of May"})
	s.m.Apply(chat.Report{Of: chat.Rename{Session: totals, Title: "Cart totals of May"}})
	s.has("…0a2507a5  Cart totals of May", "ctrl+r renames")
	s.press("ctrl+r")
	expectActions(t, s.press("esc")) // cancels the title, not the list
	s.has("ctrl+r renames")
}

func TestPicker_CtrlX_DeletesOnlyAfterY(t *testing.T) {
	t.Parallel()
	s := choosing(t)
	s.press("down")
	s.press("ctrl+x")
	s.has("Delete “Cart totals” and its history?")
	expectActions(t, s.press("enter"))
	s.hasNot("Delete “")
	s.press("ctrl+x")
	expectActions(t, s.press("y"), chat.Delete{Session: totals})
	s.m.Apply(chat.Report{Of: chat.Delete{Session: totals}})
	s.hasNot("Cart totals")
}

func TestPicker_CtrlXOnTheOpenSession_IsRefused(t *testing.T) {
	t.Parallel()
	s := choosing(t)
	expectActions(t, s.press("ctrl+x"))
	s.has("this session is open; use /new first")
	s.hasNot("Delete “")
}
