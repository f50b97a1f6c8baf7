package edit_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/tool/edit"
	"pgregory.net/rapid"
)

func patched(t *testing.T, text, body string) (edit.Applied, error) {
	t.Helper()
	files, err := edit.ParsePatch("*** Begin Patch\n*** Update File: f\n" + body + "*** End Patch")
	if err != nil {
		return edit.Applied{}, err
	}
	return files[0].Apply(text, most)
}

func TestFilePatch_Chunks_ApplyInOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, body, want string }{
		{"one chunk", "a\nb\nc\n", "@@\n a\n-b\n+B\n c\n", "a\nB\nc\n"},
		{"the first chunk without @@", "a\nb\n", "-a\n+A\n", "A\nb\n"},
		{"two chunks", "a\nb\nc\nd\n", "@@\n-a\n+A\n@@\n-d\n+D\n", "A\nb\nc\nD\n"},
		{"an anchor selects", "f:\n  r 1\ng:\n  r 1\nh:\n  r 1\n", "@@ g:\n-  r 1\n+  r 2\n", "f:\n  r 1\ng:\n  r 2\nh:\n  r 1\n"},
		{"two anchors", "class A\n  f\n    x\nclass B\n  f\n    x\n", "@@ class B\n@@   f\n-    x\n+    y\n", "class A\n  f\n    x\nclass B\n  f\n    y\n"},
		{"only added lines go to the end", "a\n", "@@\n+b\n", "a\nb\n"},
		{"end of file", "x\ny\nx\n", "@@\n-x\n+z\n*** End of File\n", "x\ny\nz\n"},
		{"an empty line is context", "a\n\nb\n", "@@\n a\n\n-b\n+B\n", "a\n\nB\n"},
		{"an empty line before the next header", "a\nb\n", "@@\n-a\n+A\n\n", "A\nb\n"},
		{"a range of a unified diff", "a\nb\n", "@@ -1,2 +1,2 @@\n-a\n+A\n", "A\nb\n"},
		{"CRLF stays", "a\r\nb\r\n", "@@\n a\n-b\n+B\n+c\n", "a\r\nB\r\nc\r\n"},
		{"no final line end stays", "a\nb", "@@\n a\n-b\n+B\n", "a\nB"},
		{"another indentation", "\tif x {\n\t\ta()\n\t}\n", "@@\n     if x {\n-        a()\n+        b()\n     }\n", "\tif x {\n\t\tb()\n\t}\n"},
		{"trailing blanks in context stay", "a  \nb\n", "@@\n a\n-b\n+B\n", "a  \nB\n"},
	} {
		if got, err := patched(t, c.text, c.body); err != nil || got.Text != c.want {
			t.Errorf("%s: %q, %v", c.name, got.Text, err)
		}
	}
}

func TestFilePatch_UnclearPlace_IsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, body, says string }{
		{"two places", "a\nb\na\n", "@@\n-a\n+A\n", "it has 2 places"},
		{"two places in the block of the anchor", "f:\n  x\n  x\n", "@@ f:\n-  x\n+  y\n", "it has 2 places"},
		{"an anchor twice", "f:\n  x\nf:\n  x\n", "@@ f:\n-  x\n+  y\n", "is in the file 2 times"},
		{"no anchor", "a\n", "@@ g:\n-a\n+b\n", `the line "g:" of @@ is not in the file`},
		{"only added lines after an anchor", "f:\n", "@@ f:\n+  x\n", "has no clear place"},
		{"chunks in the wrong order", "a\nb\n", "@@\n-b\n+B\n@@\n-a\n+A\n", "chunk 2 of 2 (line 6 of the patch): in the part of the file after"},
		{"not there", "a\nb\nc\n", "@@\n a\n-x\n c\n", "line 2, which differs:\n  old:  \"x\"\n  file: \"b\""},
		{"no prefix", "a\n", "@@\na\n", `line 4 of the patch, "a": a line begins with a space (context), - (removed) or + (added)`},
		{"nothing", "a\n", "", "changes nothing"},
	} {
		if got, err := patched(t, c.text, c.body); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %q, %v", c.name, got.Text, err)
		}
	}
}

func TestParsePatch_AnyForm_ListsFiles(t *testing.T) {
	t.Parallel()
	patch := "*** Begin Patch\n*** Add File: a\n+x\n+\n*** Delete File: b\n *** Update File: c \n*** Move to: d\n@@\n-x\n+y\n*** End Patch"
	for _, form := range []string{patch, "\n" + patch + "\n", "<<'EOF'\n" + patch + "\nEOF", "apply_patch <<EOF\n" + patch + "\nEOF\n", strings.ReplaceAll(patch, "\n", "\r\n")} {
		got, err := edit.ParsePatch(form)
		if err != nil || len(got) != 3 || got[0].Op != edit.Add || got[0].Text != "x\n\n" || got[1].Op != edit.Delete || got[2].Path != "c" || got[2].MoveTo != "d" {
			t.Errorf("%q: %+v, %v", form, got, err)
		}
	}
	for form, says := range map[string]string{
		"":                                  "must begin with",
		"*** Begin Patch\n*** Add File: a":  "it was cut off",
		"*** Begin Patch\n*** End Patch":    "changes no file",
		"*** Begin Patch\nx\n*** End Patch": "line 2 of the patch",
		"*** Begin Patch\n*** Add File: a\nx\n*** End Patch": "every line of an added file begins with +",
	} {
		if _, err := edit.ParsePatch(form); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", form, err)
		}
	}
}

// A patch that is made from two texts, with all lines as context, turns one into
// the other.
func TestFilePatch_PatchOfTwoTexts_GivesTheSecond(t *testing.T) {
	t.Parallel()
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "\tc", "  d ", "", "é"}), 1, 10)
	rapid.Check(t, func(r *rapid.T) {
		before := strings.Join(lines.Draw(r, "before"), "\n") + "\nend\n"
		after := strings.Join(lines.Draw(r, "after"), "\n") + "\nend\n"
		if before == after {
			return
		}
		var body strings.Builder
		old, at := edit.Lines(before), 0
		write := func(sign string, lines []string) {
			for _, line := range lines {
				body.WriteString(sign + line)
			}
		}
		for _, h := range edit.Diff(before, after) {
			write(" ", old[at:h.OldLine-1])
			write("-", h.Removed)
			write("+", h.Added)
			at = h.OldLine - 1 + len(h.Removed)
		}
		write(" ", old[at:])
		got, err := patched(t, before, "@@\n"+body.String())
		if err != nil || got.Text != after {
			r.Fatalf("%q with %q gives %q (%v), want %q", before, body.String(), got.Text, err, after)
		}
	})
}
