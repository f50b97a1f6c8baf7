package highlight_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bellcord/bellcord/internal/highlight"
)

// marks are written around the parts of each kind.
var marks = map[highlight.Kind]string{
	highlight.Keyword: "k", highlight.String: "s", highlight.Comment: "c", highlight.Number: "n", highlight.Added: "a", highlight.Removed: "r",
}

func marked(lines [][]highlight.Span) string {
	var out strings.Builder
	for _, line := range lines {
		for _, s := range line {
			if mark := marks[s.Kind]; mark != "" {
				fmt.Fprintf(&out, "%s‹%s›", mark, s.Text)
			} else {
				out.WriteString(s.Text)
			}
		}
		out.WriteByte('\n')
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func TestLines_SupportedLanguage_MarksItsParts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ language, source, want string }{
		{"go", "func f(a int) { return 0x1f } // if", "k‹func› f(a int) { k‹return› n‹0x1f› } c‹// if›"},
		{"go", "x := `a\nfunc` /* b\nc */ + \"d\\\"e\"", "x := s‹`a›\ns‹func`› c‹/* b›\nc‹c */› + s‹\"d\\\"e\"›"},
		{"python", "def f():\n  \"\"\"if\n  x\"\"\" # y", "k‹def› f():\n  s‹\"\"\"if›\ns‹  x\"\"\"› c‹# y›"},
		{"ts", "const iffy = 'no', n = 1.5e3", "k‹const› iffy = s‹'no'›, n = n‹1.5e3›"},
		{"sh", "if true; then echo \"$x\"; fi # y", "k‹if› true; k‹then› echo s‹\"$x\"›; k‹fi› c‹# y›"},
		{"SQL", "Select 'a' From t -- x", "k‹Select› s‹'a'› k‹From› t c‹-- x›"},
		{"json", `{"a": [true, 12]}`, `{s‹"a"›: [k‹true›, n‹12›]}`},
		{"diff", "@@ -1 +1 @@\n-a\n+b\n c", "c‹@@ -1 +1 @@›\nr‹-a›\na‹+b›\n c"},
		{"go", "s := \"not closed", "s := s‹\"not closed›"},
	} {
		lines, supported := highlight.Lines(test.language, strings.Split(test.source, "\n"))
		if got := marked(lines); !supported || got != test.want {
			t.Errorf("%s: %q is\n%s\nwant\n%s", test.language, test.source, got, test.want)
		}
	}
}

func TestLines_UnknownLanguage_ReportsFalse(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "klingon"} {
		if _, supported := highlight.Lines(name, []string{"if"}); supported {
			t.Errorf("%q is supported", name)
		}
	}
}

// No text is lost, added or changed, whatever the code is.
func TestLines_AnyCode_KeepsEveryCharacter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		language := rapid.SampledFrom([]string{"go", "python", "ts", "sh", "sql", "json", "yaml", "toml", "rust", "c", "html", "css", "lua", "diff"}).Draw(t, "language")
		part := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"/*", "*/", "`", `"`, "'", `"""`, `\`, "//", "#", "if", " ", "<!--", "é", "\xff"}))
		source := strings.Join(rapid.SliceOf(part).Draw(t, "parts"), "")
		lines := strings.Split(source, "\n")
		spans, _ := highlight.Lines(language, lines)
		for i, line := range lines {
			text := ""
			for _, s := range spans[i] {
				text += s.Text
			}
			if text != line {
				t.Fatalf("line %q became %q", line, text)
			}
		}
	})
}
