package chat_test

import (
	"errors"
	"testing"

	"github.com/bellcord/bellcord/internal/front/chat"
)

func finds(query string) chat.FindFiles { return chat.FindFiles{Dir: "/work/here", Query: query} }

func TestMenu_AtSign_FindsFilesAndInsertsTheSelectedOne(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("explain ")
	expectActions(t, s.m.Press("@", "@", s.now), finds(""))
	expectActions(t, s.m.Press("s", "s", s.now), finds("s"))
	s.m.Apply(chat.Report{Of: finds("s"), Files: []string{"store/store.go", "chat/status.go"}, AllFiles: 1204})
	s.has("›@store/store.go", "  @chat/status.go", "2 of 1204 files")
	s.press("down")
	expectActions(t, s.press("tab"))
	s.has("› explain @chat/status.go")
	s.hasNot("tab inserts")
	s.types("now")
	prompt, is := s.press("enter")[0].(chat.Prompt)
	if !is || prompt.Text != "explain @chat/status.go now" {
		t.Errorf("sent %+v", prompt)
	}
}

func TestMenu_ResultOfAnotherQuery_IsNotShown(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("@ab")
	s.m.Apply(chat.Report{Of: finds("xy"), Files: []string{"x/y.go"}, AllFiles: 1})
	s.hasNot("x/y.go")
	s.m.Apply(chat.Report{Of: chat.FindFiles{Dir: "/elsewhere", Query: "ab"}, Files: []string{"a/b.go"}, AllFiles: 1})
	s.hasNot("a/b.go")
}

// The result of a query can come after the user has typed more.
func TestMenu_ResultOfAnEarlierQuery_OffersOnlyFilesThatMatch(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("@tot")
	s.m.Apply(chat.Report{Of: finds(""), Files: []string{"notes.md", "Totals.go"}, AllFiles: 2})
	s.hasNot("notes.md")
	s.press("tab")
	s.has("› @Totals.go")
}

func TestMenu_EnterOnACompletePath_SendsThePrompt(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("@go.mod")
	s.m.Apply(chat.Report{Of: finds("go.mod"), Files: []string{"go.mod"}, AllFiles: 1})
	if p, is := s.press("enter")[0].(chat.Prompt); !is || p.Text != "@go.mod" {
		t.Errorf("sent %+v", p)
	}
}

func TestMenu_AtSignInsideAWord_FindsNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("me")
	for _, key := range []string{"@", "x"} {
		expectActions(t, s.m.Press(key, key, s.now))
	}
}

func TestMenu_PathWithControlCharacters_IsShownHarmless(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("@")
	s.m.Apply(chat.Report{Of: finds(""), Files: []string{"a\x1b]0;b.go"}, AllFiles: 1})
	s.has("a␛]0;b.go")
}

func TestMenu_ResultsArriveInAnotherOrder_NewestIsShown(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("@ab")
	s.m.Apply(chat.Report{Of: finds("ab"), Files: []string{"a/b.go", "a/bc.go"}, AllFiles: 2})
	s.m.Apply(chat.Report{Of: finds("a"), Files: []string{"a/b.go"}, AllFiles: 9})
	s.m.Apply(chat.Report{Of: finds(""), Err: errors.New("the listing took too long")})
	s.has("a/b.go", "a/bc.go", "2 of 2 files")
}
