package edit_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/tool/edit"
	"pgregory.net/rapid"
)

const most = 1 << 20

// The numbers are those of a list of mistakes that models make.
func TestApply_HarmlessDifference_IsMatchedAndNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ mistake, text, old, new, want, note string }{
		{"25 line numbers", "a\nb\nc\n", "2→b\n3→c", "2→B\n3→C", "a\nB\nC\n", "removing the line numbers"},
		{"25 only in old", "a\n\tb\n", "     2\t\tb\n", "\tB\n", "a\n\tB\n", "removing the line numbers"},
		{"26 spaces for tabs", "\tif x {\n\t\ty()\n\t}\n", "    if x {\n        y()\n", "    if x {\n        z()\n        w()\n", "\tif x {\n\t\tz()\n\t\tw()\n\t}\n", "indentation"},
		{"26 tabs for spaces", "  if x:\n    y()\n", "\tif x:\n\t\ty()\n", "\tif x:\n\t\tz()\n", "  if x:\n    z()\n", "indentation"},
		{"27 trailing blanks", "a  \nb\t\nc  \n", "a\nb\nc", "a\nB\nc", "a  \nB\nc  \n", "blanks at the ends"},
		{"28 shifted to the right", "f:\n  a\n  b\n", "    a\n    b\n", "    a\n      c\n    b\n", "f:\n  a\n    c\n  b\n", "indentation"},
		{"28 shifted to the left", "    a\n\n      b\n", "a\n\n  b\n", "a\n\n  c\n", "    a\n\n      c\n", "indentation"},
		{"29 literal escapes", "a\n\tb\n", `a\n\tb`, "c", "c\n", "escapes"},
		{"31 straight for curly", "It’s “old”.\n", `It's "old".`, `It's "new".`, "It’s “new”.\n", "typographic"},
		{"31 curly for straight", "say \"a - b\"\n", "say “a – b”", "say “a – c”", "say \"a - c\"\n", "typographic"},
		{"31 other lines keep theirs", "‘a’\nx\n‘b’\n", "'a'\nx\n'b'", "'a'\ny\nz\n'b'", "‘a’\ny\nz\n‘b’\n", "typographic"},
		{"32 CRLF", "a\r\nb\r\n", "a\nb", "a\nB", "a\r\nB\r\n", ""},
		{"32 CRLF in old", "a\nb\n", "a\r\nb", "a\r\nB", "a\nB\n", ""},
		{"32 CRLF and trailing blanks", "a \r\nb\r\n", "a\nb\n", "a\nB\nc\n", "a \r\nB\r\nc\r\n", "blanks at the ends"},
		{"33 byte order mark in old", "a\n", "\uFEFFa", "b", "b\n", "byte order mark"},
		{"34 final line end", "a\nb", "b\n", "c\n", "a\nc", "line end at the end"},
	} {
		got, err := edit.Apply(c.text, edit.Edit{Old: c.old, New: c.new}, most)
		if err != nil || got.Text != c.want || !strings.Contains(got.Note, c.note) || (c.note == "") != (got.Note == "") {
			t.Errorf("%s: %q, note %q, %v; want %q", c.mistake, got.Text, got.Note, err, c.want)
		}
	}
}

func TestApply_NotFound_ErrorShowsTheFile(t *testing.T) {
	t.Parallel()
	long := "func a() {\n\tone()\n\ttwo()\n\tthree()\n}\n"
	for _, c := range []struct{ mistake, text, old, new, says string }{
		{"37 same text", "a", "a", "a", "are the same"},
		{"38 already applied", "x\nnew\n", "old", "new", "already there, in line 2: the edit seems to be applied already"},
		{"39 duplicate", "a\nb\na\na\n", "a", "c", "in lines 1, 3, 4; include more of the surrounding lines, or set all"},
		{"39 duplicate after normalization", "a \nb\nc\na \nb\n", "a\nb", "c", "by ignoring blanks at the ends of lines it matches lines 1, 4"},
		{"40 one wrong line", long, "func a() {\n\tone()\n\ttow()\n\tthree()\n}\n", "x", "from line 1 on, up to line 3, which differs:\n  old:  \"\\ttow()\"\n  file: \"\\ttwo()\""},
		{"40 a wrong first line", long, "\tthree(1)\n", "x", "similar to its first line:\n  2: \"\\tone()\"\n  3: \"\\ttwo()\"\n  4: \"\\tthree()\"\n  5: \"}\""},
		{"blanks are shown", "a = 1 \n", "a  =  1", "x", `1: "a = 1 "`},
		{"29 escapes in both", "a\nb\n", `a\nb`, `a\nc`, "send both with real line ends"},
		{"nothing like it", "a\n", "zzz", "x", "the old text is not in the file"},
		{"an empty file", "", "zzz", "x", "the file is empty"},
		{"uneven indentation", "a:\n\tb\n  c\n", "b\nc\n", "x", "the old text is not in the file"},
	} {
		if _, err := edit.Apply(c.text, edit.Edit{Old: c.old, New: c.new}, most); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.mistake, err)
		}
	}
}

func TestApplyAll_SeveralEdits_ApplyInOrderOrNotAtAll(t *testing.T) {
	t.Parallel()
	got, err := edit.ApplyAll("a\nb\n", []edit.Edit{{Old: "a", New: "c"}, {Old: "c\nb", New: "d"}}, most)
	if err != nil || got.Text != "d\n" || got.Places != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = edit.ApplyAll("a\nb\n", []edit.Edit{{Old: "a", New: "c"}, {Old: "a", New: "d"}}, most)
	if err == nil || !strings.HasPrefix(err.Error(), "edit 2 of 2: ") || !strings.HasSuffix(err.Error(), "No edit was applied") {
		t.Errorf("%v", err)
	}
}

func TestPlaceholder_OmittedText_IsRefused(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"... rest unchanged ...", "// ... existing code ...", "# ... rest of the function", "/* ... remaining methods ... */", "<!-- ... rest of the page ... -->",
		"// rest of the code unchanged", "    # remaining imports ...", "(rest of file unchanged)", "… existing imports …", "// ... (keep existing methods)",
	} {
		if edit.Placeholder("a\n"+line+"\nb") == nil {
			t.Errorf("%q is accepted", line)
		}
		if err := edit.Placeholder("a\n"+line+"\nb", "x\n"+line+"\n"); err != nil {
			t.Errorf("%q is refused although the file contains it: %v", line, err)
		}
	}
	for _, line := range []string{"...", "def f(): ...", "x = [...rest]", "{ ...existing, b: 1 }", "// the rest is easy", "call(...args)", "Loading ...", "f(a, ...other)"} {
		if err := edit.Placeholder("a\n" + line + "\nb"); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// piece returns short texts in which every normalization has something to do.
func piece(t *rapid.T, name string) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "b", "x()", "\n", "\n", "\r\n", " ", "  ", "\t", "’", "'", "“", "\"", "–", "-", "\u00a0", "\\n", "1→", "2→", "\xff", "é", "\uFEFF",
	}), 0, 8).Draw(t, name)
	return strings.Join(parts, "")
}

// An edit never changes bytes outside of the text that it found: the file
// around a unique line stays as it is.
func TestApply_AnyEdit_ChangesOnlyItsSpan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		head, middle, tail := piece(t, "head"), "Q"+piece(t, "middle")+"Z", piece(t, "tail")
		text := head + middle + tail
		got, err := edit.Apply(text, edit.Edit{Old: "Q" + mangled(t, middle[1:len(middle)-1]) + "Z", New: "N" + piece(t, "new")}, most)
		if err != nil {
			return
		}
		from := head[:strings.LastIndex(head, "\n")+1] // indentation may change in the first line
		if !strings.HasPrefix(got.Text, from) || !strings.HasSuffix(got.Text, tail) || got.Places != 1 {
			t.Fatalf("%q became %q (%s)", text, got.Text, got.Note)
		}
		if got.Note == "" || !strings.Contains(got.Note, "indentation") {
			if !strings.HasPrefix(got.Text, head) {
				t.Fatalf("%q became %q (%s)", text, got.Text, got.Note)
			}
		}
	})
}

// mangled returns a text with the differences that models introduce.
func mangled(t *rapid.T, text string) string {
	return rapid.SampledFrom([]*strings.Replacer{
		strings.NewReplacer(), strings.NewReplacer("\r\n", "\n"), strings.NewReplacer(" \n", "\n", "\t\n", "\n"),
		strings.NewReplacer("’", "'", "“", "\"", "–", "-", "\u00a0", " "), strings.NewReplacer("\t", "    "), strings.NewReplacer("\n", "\\n"), strings.NewReplacer("\n", "\n  "),
	}).Draw(t, "mangled").Replace(text)
}

// The differences of two texts, applied to the first, give the second.
func TestDiff_AnyTexts_GivesTheSecondFromTheFirst(t *testing.T) {
	t.Parallel()
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "d\r\n", "\n"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		before, after := strings.Join(lines.Draw(t, "before"), ""), strings.Join(lines.Draw(t, "after"), "")
		old := edit.Lines(before)
		var out strings.Builder
		at := 0
		for _, h := range edit.Diff(before, after) {
			out.WriteString(strings.Join(old[at:h.OldLine-1], ""))
			if strings.Count(out.String(), "\n") != h.NewLine-1 {
				t.Fatalf("line %d of %q is called %d", strings.Count(out.String(), "\n")+1, after, h.NewLine)
			}
			out.WriteString(strings.Join(h.Added, ""))
			at = h.OldLine - 1 + len(h.Removed)
		}
		out.WriteString(strings.Join(old[at:], ""))
		if out.String() != after {
			t.Fatalf("%q to %q gives %q", before, after, out.String())
		}
	})
}
