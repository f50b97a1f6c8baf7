package chat_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

// choosing returns a stage that shows a list of four sessions.
func choosing(t *testing.T) *stage {
	t.Helper()
	s := newStage(t)
	s.m.Apply(chat.Report{Of: chat.ShowList{At: chat.AtSessions}, Sessions: listed(
		bellcord.Session{ID: "s", Title: "this one", Dir: "/work/here", Updated: noon},
		bellcord.Session{ID: totals, Title: "Cart totals", Dir: "/work/here", Updated: noon.Add(-time.Hour)},
		bellcord.Session{ID: "c", Title: "cart notes", Dir: "/work/there", Updated: noon.AddDate(0, 0, -1)},
		bellcord.Session{ID: "d", Dir: "/work/here", Updated: noon.AddDate(0, 0, -9)},
	)})
	return s
}

// listed returns sessions of which nothing but the session is known.
func listed(sessions ...bellcord.Session) []chat.Listed {
	var all []chat.Listed
	for _, s := range sessions {
		all = append(all, chat.Listed{Session: s})
	}
	return all
}

const totals = bellcord.SessionID("01a1e14a-0001-7000-8000-00000a2507a5")

func TestPicker_EnterOnASession_OpensIt(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("old words")
	s.m.Apply(chat.Report{Of: chat.ShowList{At: chat.AtSessions}, Sessions: listed(bellcord.Session{ID: "s", Title: "this one", Dir: "/work/here"}, bellcord.Session{ID: "other", Title: "that one", Dir: "/work/here"})})
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
	s.has("Sessions in /work/here  ", "  tab: all projects", "Today", "○ Cart totals  ", "  …0a2507a5", "(untitled)", "2026-11-06")
	s.hasNot("cart notes", "Yesterday")
	s.press("tab")
	s.has("Sessions of all projects", "Yesterday", "cart notes · /work/there")
}

func TestPicker_NoSessionInTheProject_ShowsAllProjects(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.m.Apply(chat.Report{Of: chat.ShowList{At: chat.AtSessions}, Sessions: listed(bellcord.Session{ID: "x", Title: "elsewhere", Dir: "/other"})})
	s.has("elsewhere · /other")
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
	s.has("○ Cart totals of May", "ctrl+r renames")
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

func TestPicker_States_HaveGlyphsAndTimes(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	row := func(id bellcord.SessionID, title string, state chat.SessionState) chat.Listed {
		return chat.Listed{Session: bellcord.Session{ID: id, Title: title, Dir: "/work/here", Updated: noon.Local()}, State: state, Since: noon.Add(-42 * time.Second)}
	}
	at := noon.Local().Format("15:04")
	s.m.Apply(chat.Report{Of: chat.ShowList{At: chat.AtSessions}, Sessions: []chat.Listed{
		row("1", "one", chat.SessionRunning), row("2", "two", chat.SessionWaiting), row("3", "three", chat.SessionStopping), row("4", "four", chat.SessionHeld),
		row("5", "five", "stopped"), row("6", "six", "done"), row("7", "seven", "failed"), row("8", "eight", "lost"), row("9", "nine", chat.SessionQueued),
	}})
	got := s.screen(100, 30)
	for _, want := range []struct{ title, state string }{
		{"● one ", "running 0:42"},
		{"? two ", "waiting for you"},
		{"■ three ", "stopping…"},
		{"‖ four ", "held"},
		{"■ five ", "stopped " + at},
		{"● six ", "done " + at},
		{"✗ seven ", "failed " + at},
		{"✗ eight ", "lost " + at},
		{"○ nine ", "queued"},
	} {
		_, after, found := strings.Cut(got, want.title)
		if line, _, _ := strings.Cut(after, "\n"); !found || !strings.Contains(line, want.state) {
			t.Errorf("%s has no %q:\n%s", want.title, want.state, got)
		}
	}
}

func TestPicker_WordsOfAPrompt_FindTheSession(t *testing.T) {
	t.Parallel()
	s := choosing(t)
	s.types("locomotiv")
	expectActions(t, s.m.Press("e", "e", s.now), chat.Search{Query: "locomotive"})
	s.has("no session found")
	found := []chat.Found{
		{Session: listed(bellcord.Session{ID: totals})[0], Text: "…the locomotive departs…"},
		{Session: listed(bellcord.Session{ID: "older", Title: "Older than the list", Dir: "/work/here"})[0], Text: "a locomotive"},
	}
	s.m.Apply(chat.Report{Of: chat.Search{Query: "locomotiv"}, Found: found}) // too late
	s.has("no session found")
	s.m.Apply(chat.Report{Of: chat.Search{Query: "locomotive"}, Found: found})
	s.has("Cart totals · …the locomotive departs…", "Older than the list · a locomotive")
	s.hasNot("this one")
	expectActions(t, s.press("enter"), chat.Open{Session: string(totals)})
}

func TestPicker_SearchFails_SaysWhatIsSearched(t *testing.T) {
	t.Parallel()
	s := choosing(t).types("cart")
	s.m.Apply(chat.Report{Of: chat.Search{Query: "cart"}, Err: errors.New("no such route")})
	s.has("only titles, directories and ids are searched: no such route", "Cart totals")
}

func TestPicker_RunningTurn_IsShownWithItsKey(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("work")
	s.m.Apply(chat.Report{Of: chat.ShowList{At: chat.AtSessions}, Sessions: listed(bellcord.Session{ID: "x", Title: "elsewhere", Dir: "/other"})})
	s.has("esc closes · ctrl+c stops", "● running")
	if got := s.press("ctrl+c"); len(got) != 1 {
		t.Errorf("ctrl+c returned %v, want a stop", got)
	}
}

func TestPicker_SmallWindows_FitWithTheCursorInside(t *testing.T) {
	t.Parallel()
	for _, renames := range []bool{false, true} {
		s := choosing(t)
		if renames {
			s.press("down")
			s.press("ctrl+r")
		}
		for width := 4; width < 60; width += 5 {
			for height := 1; height < 12; height++ {
				got := s.m.Screen(width, height)
				if len(got.Lines) != height || got.Y >= len(got.Lines) || got.X >= width {
					t.Errorf("%d×%d: %d lines, cursor at %d,%d", width, height, len(got.Lines), got.X, got.Y)
				}
				for _, l := range got.Lines {
					if ansi.StringWidth(l) > width {
						t.Errorf("%d×%d: %q is too wide", width, height, l)
					}
				}
			}
		}
	}
}
