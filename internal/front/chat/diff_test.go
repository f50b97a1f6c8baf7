package chat_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
)

// changed is a change of /work/here/total.go: line 12 of 40.
func changed() bellcord.Change {
	old := "func total(items []Item) int {\n\tfor i := 1; i < len(items); i++ {\n\t\tsum += items[i].Price\n"
	return bellcord.Change{Path: "/work/here/total.go", Old: &old, New: strings.Replace(old, "i := 1", "i := 0", 1), Line: 11}
}

func editQuestion() bellcord.QuestionOpened {
	return bellcord.QuestionOpened{Question: bellcord.Question{
		ID: "q", Call: "c", Tool: "edit_file", Text: "Edit total.go?\n-i := 1\n+i := 0", Title: "Edit total.go?", Changes: []bellcord.Change{changed()},
		Choices: []bellcord.Choice{{ID: "allow", Text: "Allow once", Kind: "allow_once"}, {ID: "reject", Text: "Reject", Kind: "reject_once"}},
	}}
}

func TestDiff_Question_ShowsLineNumbersSignsAndContext(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("fix it").happens(called("c", "edit_file", `{"path":"total.go","old":"i := 1","new":"i := 0"}`), editQuestion())
	s.has("? Edit total.go?", "in /work/here · +1 −1",
		"  11   func total(items []Item) int {",
		"  12 −     for i := 1; i < len(items); i++ {",
		"  12 +     for i := 0; i < len(items); i++ {",
		"  13           sum += items[i].Price")
	if n := strings.Count(s.screen(100, 30), "i := 0"); n != 1 {
		t.Errorf("the new line is on the screen %d times:\n%s", n, s.screen(100, 30))
	}
}

func TestDiff_AnsweredQuestion_BecomesTheDiffOfTheCall(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("fix it").happens(called("c", "edit_file", `{"path":"total.go","old":"i := 1","new":"i := 0"}`), editQuestion(),
		bellcord.QuestionAnswered{Question: "q", Choice: "allow"})
	change := changed()
	once := func(at string) {
		t.Helper()
		if got := s.screen(100, 40); strings.Count(got, "12 +") != 1 || strings.Count(got, "i := 1") != 1 {
			t.Errorf("%s:\n%s", at, got)
		}
	}
	once("answered")
	s.happens(bellcord.ToolCallStarted{Call: "c"},
		bellcord.ToolCallUpdated{Call: "c", CallView: bellcord.CallView{Content: []bellcord.CallContent{{Change: &change}}}},
		bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished, Result: "edited total.go (1 place)\n@@ line 12 @@\n-for i := 1\n+12→for i := 0\n"})
	once("ended")
	s.has("✓ edit_file total.go · +1 −1")
	s.press("ctrl+t")
	once("unfolded")
	s.ends(bellcord.Receipt{End: bellcord.EndDone})
	once("at the end of the turn")
}

func TestDiff_ChangedWords_AreReversedAndNotOnlyColoured(t *testing.T) {
	t.Parallel()
	change := changed()
	s := newStage(t).runs("fix it").happens(called("c", "edit_file", `{"path":"total.go"}`), bellcord.ToolCallStarted{Call: "c"},
		bellcord.ToolCallUpdated{Call: "c", CallView: bellcord.CallView{Content: []bellcord.CallContent{{Change: &change}}}})
	raw := strings.Join(s.window(100, 30), "\n")
	for _, word := range []string{"\x1b[7m1\x1b[0m", "\x1b[7m0\x1b[0m"} {
		if !strings.Contains(raw, word) {
			t.Errorf("%q is not reversed: %q", word, raw)
		}
	}
}

func TestDiff_SeveralFilesAndParts_HaveHeadingsAndNewNumbers(t *testing.T) {
	t.Parallel()
	one, two, gone := "a\n", "m\nn\n", "x\n"
	changes := []bellcord.CallContent{
		{Change: &bellcord.Change{Path: "/work/here/a.txt", Old: &one, New: "a\nb\nc\n", Line: 4}},
		{Change: &bellcord.Change{Path: "/work/here/a.txt", Old: &two, New: "m\nN\n", Line: 98}},
		{Change: &bellcord.Change{Path: "/work/here/new.txt", New: "first\nsecond"}},
		{Change: &bellcord.Change{Path: "/elsewhere/gone.txt", Old: &gone, New: "", Line: 1}},
	}
	s := newStage(t).runs("patch it").happens(called("c", "apply_patch", `{"patch":"*** Begin Patch"}`), bellcord.ToolCallStarted{Call: "c"},
		bellcord.ToolCallUpdated{Call: "c", CallView: bellcord.CallView{Content: changes}}, bellcord.ToolCallEnded{Call: "c"})
	s.has("  a.txt · +3 −1", "    4   a", "    5 + b", "    ⋮", "  100   m", "   99 − n", "  101 + N",
		"  new.txt · +2 −0", "  1 + first", "  2 + second", "  /elsewhere/gone.txt · +0 −1", "  1 − x")
}

func TestDiff_LongChange_IsFoldedUntilUnfolded(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("write").happens(called("c", "write_file", `{"path":"long.txt"}`), bellcord.ToolCallStarted{Call: "c"},
		bellcord.ToolCallUpdated{Call: "c", CallView: bellcord.CallView{Content: []bellcord.CallContent{{Change: &bellcord.Change{Path: "/work/here/long.txt", New: strings.Repeat("line\n", 60)}}}}})
	s.has("20 + line", "… 40 more lines · ctrl+o shows all")
	s.hasNot("21 + line")
	s.press("ctrl+o")
	s.has("60 + line")
	s.press("esc")
	s.press("ctrl+t")
	s.has("60 + line")
}

func TestDiff_HostileText_CannotControlTheTerminal(t *testing.T) {
	t.Parallel()
	old := "a\x1b[2Jb\n"
	change := bellcord.Change{Path: "/work/here/\x1bc.txt", Old: &old, New: "a\x1b]0;x\x07b\n", Line: 1}
	s := newStage(t).runs("x").happens(called("c", "apply_patch", `{}`), bellcord.ToolCallStarted{Call: "c"},
		bellcord.ToolCallUpdated{Call: "c", CallView: bellcord.CallView{Content: []bellcord.CallContent{{Change: &change}}}})
	raw := strings.Join(s.window(100, 30), "\n")
	for _, bad := range []string{"\x1b[2J", "\x1b]", "\x07", "\x1bc"} {
		if strings.Contains(raw, bad) {
			t.Errorf("%q is on the screen: %q", bad, raw)
		}
	}
	for _, width := range []int{4, 7, 12} {
		for _, l := range s.m.Screen(width, 30).Lines {
			if n := len([]rune(ansi.Strip(l))); n > width {
				t.Errorf("%d columns in a window of %d: %q", n, width, l)
			}
		}
	}
}

func TestDiff_QuestionOfAHostedAgent_ShowsOtherArgumentsToo(t *testing.T) {
	t.Parallel()
	q := editQuestion()
	q.Question.Title, q.Question.Text = "", "Edit the total?"
	call := called("c", "Edit", `{"file_path":"/work/here/total.go","new_string":"i := 0","danger":"yes"}`)
	call.Title = "Edit the total"
	s := newStage(t).runs("fix it").happens(call, q)
	s.has("Edit the total?", "12 +", "danger: yes")
	s.hasNot("new_string")
}
