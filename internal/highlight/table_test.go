package highlight

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files that the page uses")

// The page has a scanner in TypeScript. It reads the same table, and
// peers/page/highlight.test.mjs compares its results with these.
const (
	tableFile   = "../../web/src/languages.json"
	samplesFile = "testdata/samples.json"
)

// row is a language of the table. The names of the fields are short, because
// the page loads the table.
type row struct {
	Names    string      `json:"n"`
	Keywords string      `json:"k,omitempty"`
	AnyCase  bool        `json:"i,omitempty"`
	Comments []string    `json:"c,omitempty"`
	Blocks   [][2]string `json:"b,omitempty"` // comments
	Strings  [][2]string `json:"s,omitempty"` // strings of several lines
	Quotes   string      `json:"q,omitempty"`
}

func TestLanguages_TableOfThePage_IsTheSame(t *testing.T) {
	t.Parallel()
	names := map[*language][]string{}
	for name, l := range languages() {
		names[l] = append(names[l], name)
	}
	var rows []row
	for l, all := range names {
		slices.Sort(all)
		var keywords []string
		for word := range l.keywords {
			keywords = append(keywords, word)
		}
		slices.Sort(keywords)
		r := row{Names: strings.Join(all, " "), Keywords: strings.Join(keywords, " "), AnyCase: l.anyCase, Comments: l.comments, Quotes: l.quotes}
		for _, b := range l.blocks {
			if b.kind == Comment {
				r.Blocks = append(r.Blocks, [2]string{b.begin, b.end})
			} else {
				r.Strings = append(r.Strings, [2]string{b.begin, b.end})
			}
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.Names, b.Names) })
	same(t, tableFile, rows)
}

// sample is a code with the parts that Lines returns for it.
type sample struct {
	Language string     `json:"language"`
	Code     string     `json:"code"`
	Spans    [][][2]any `json:"spans"`
}

func TestLines_SamplesOfThePage_AreTheSame(t *testing.T) {
	t.Parallel()
	code := []string{
		"func f(a int) { return 0x1f } // if", "x := `a\nfunc` /* b\nc */ + \"d\\\"e\"", "def f():\n  \"\"\"if\n  x\"\"\" # y",
		"const iffy = 'no', n = 1.5e3", "if true; then echo \"$x\"; fi # y", "Select 'a' From t -- x", `{"a": [true, 12]}`,
		"@@ -1 +1 @@\n-a\n+b\n c", "s := \"not closed\nfor", "<!-- a\n--> <b c=\"d\">", "é = 'ü' if 3é else \u0663", "\t\"\\", "", "a[[b\nc]]d",
	}
	var samples []sample
	for _, name := range []string{"go", "ts", "py", "sh", "sql", "json", "yaml", "toml", "rust", "c", "java", "ruby", "css", "html", "make", "lua", "diff"} {
		for _, c := range code {
			lines, _ := Lines(name, strings.Split(c, "\n"))
			one := sample{Language: name, Code: c}
			for _, line := range lines {
				spans := [][2]any{}
				for _, s := range line {
					spans = append(spans, [2]any{s.Kind, s.Text})
				}
				one.Spans = append(one.Spans, spans)
			}
			samples = append(samples, one)
		}
	}
	same(t, samplesFile, samples)
}

// same compares a file with a value, or writes it with -update.
func same[T any](t *testing.T, file string, rows []T) {
	t.Helper()
	var out bytes.Buffer
	for i, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString([]string{",\n", "[\n"}[min(1, max(0, 1-i))])
		out.Write(line)
	}
	out.WriteString("\n]\n")
	if *update {
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil { //nolint:gosec // a source file
			t.Fatal(err)
		}
	}
	had, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(had, out.Bytes()) {
		t.Errorf("%s differs from the table (%v): run go test ./internal/highlight -update, then make page", file, err)
	}
}
