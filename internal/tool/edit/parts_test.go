package edit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/tool/edit"
)

func numbered(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d\n", i+1)
	}
	return lines
}

func TestParts_ChangesFarApart_HaveContextAndLineNumbers(t *testing.T) {
	t.Parallel()
	before := numbered(40)
	after := append([]string{"new\n"}, before...)
	after[20] = "changed\n" // line 20 of the old text
	parts := edit.Parts(strings.Join(before, ""), strings.Join(after, ""), 3)
	if len(parts) != 2 {
		t.Fatalf("%d parts: %+v", len(parts), parts)
	}
	if p := parts[0]; p.OldLine != 1 || p.NewLine != 1 || p.Old != "line 1\nline 2\nline 3\n" || p.New != "new\n"+p.Old {
		t.Errorf("the first part is %+v", p)
	}
	if p := parts[1]; p.OldLine != 17 || p.NewLine != 18 || strings.Count(p.Old, "\n") != 7 || !strings.Contains(p.New, "line 19\nchanged\nline 21\n") {
		t.Errorf("the second part is %+v", p)
	}
}

func TestParts_ChangesCloseTogether_AreOnePart(t *testing.T) {
	t.Parallel()
	before := numbered(20)
	after := append([]string{}, before...)
	after[4], after[11] = "a\n", "b\n"
	if parts := edit.Parts(strings.Join(before, ""), strings.Join(after, ""), 3); len(parts) != 1 || parts[0].OldLine != 2 {
		t.Errorf("six lines between: %+v", parts)
	}
	after[11], after[12] = before[11], "b\n"
	if parts := edit.Parts(strings.Join(before, ""), strings.Join(after, ""), 3); len(parts) != 2 {
		t.Errorf("seven lines between: %+v", parts)
	}
	if parts := edit.Parts("same\n", "same\n", 3); parts != nil {
		t.Errorf("no change: %+v", parts)
	}
}

func TestParts_AppliedInOrder_GiveTheNewText(t *testing.T) {
	t.Parallel()
	before := numbered(60)
	for _, at := range [][]int{{0}, {59}, {3, 7, 30}, {10, 17, 25, 58}} {
		after := append([]string{}, before...)
		for _, i := range at {
			after[i] = "other\nmore\n"
		}
		old, done, out := before, 0, ""
		for _, p := range edit.Parts(strings.Join(before, ""), strings.Join(after, ""), 3) {
			out += strings.Join(old[done:p.OldLine-1], "")
			if n := strings.Count(out, "\n") + 1; n != p.NewLine {
				t.Errorf("changes at %v: the part begins at line %d, not %d", at, n, p.NewLine)
			}
			out += p.New
			done = p.OldLine - 1 + strings.Count(p.Old, "\n")
		}
		if out += strings.Join(old[done:], ""); out != strings.Join(after, "") {
			t.Errorf("changes at %v: the parts give\n%s", at, out)
		}
	}
}

func TestWords_SimilarLines_MarkOnlyTheChangedWords(t *testing.T) {
	t.Parallel()
	old, replaced := edit.Words("for i := 1; i < len(items); i++ {", "for i := 0; i < len(items); i++ {")
	if got := marked(old) + " " + marked(replaced); got != "for i := [1]; i < len(items); i++ { for i := [0]; i < len(items); i++ {" {
		t.Errorf("got %s", got)
	}
	old, replaced = edit.Words("return nil", "log.Printf(\"%d of %d\", done, all)")
	if got := marked(old) + " " + marked(replaced); strings.Contains(got, "[") {
		t.Errorf("lines with nothing in common: %s", got)
	}
}

func marked(spans []edit.Span) string {
	out := ""
	for _, s := range spans {
		if s.Changed {
			s.Text = "[" + s.Text + "]"
		}
		out += s.Text
	}
	return out
}
