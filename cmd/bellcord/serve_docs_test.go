//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/testkit/short"
)

// fence is a fenced block of a document.
type fence struct {
	kind string // such as sh or json
	line int
	text string
}

// fences returns a document's fenced blocks in order.
func fences(t *testing.T, path string) (all []fence) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	var lines []string
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case !inside && strings.HasPrefix(line, "```"):
			all = append(all, fence{kind: strings.TrimPrefix(line, "```"), line: i + 1})
			inside, lines = true, nil
		case inside && line == "```":
			all[len(all)-1].text = strings.Join(lines, "\n")
			inside = false
		case inside:
			lines = append(lines, line)
		}
	}
	return all
}

// block is a shell block of a document, with the JSON or text block after it as its expected
// output.
type block struct {
	line   int
	text   string
	shown  string
	output string
}

// blocks returns a document's ```sh blocks in order, each with the ```json or ```text block after
// it.
func blocks(t *testing.T, path string) (all []block) {
	t.Helper()
	for _, f := range fences(t, path) {
		switch {
		case f.kind == "sh":
			all = append(all, block{line: f.line, text: f.text})
		case f.kind == "json" && len(all) > 0:
			all[len(all)-1].shown = f.text
		case f.kind == "text" && len(all) > 0:
			all[len(all)-1].output = f.text
		}
	}
	return all
}

// The test runs docs/http.md in one shell against a real server, and compares the answers with
// those that the document shows.
func TestDocs_HTTPCommands_ReturnShownAnswers(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	w := newServerWorld(t)
	s := w.daemon(nil)
	all := blocks(t, filepath.Join("..", "..", "docs", "http.md"))
	if len(all) < 10 {
		t.Fatalf("the document has %d blocks", len(all))
	}
	r := newReader(t, "curl", "jq")
	r.dir = w.dir
	r.env = slices.Concat(w.bellcord().Env, []string{"URL=" + s.url, "PATH=" + r.bin + ":" + os.Getenv("PATH")})
	r.set = "set -eu" // head ends streams that curl would follow forever
	r.follows(all)
}

// shapeOf lists the keys of a JSON text with their paths. A list has the keys of its entries.
func shapeOf(t *testing.T, line int, text string) []string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Errorf("line %d: %v in %s", line, err, text)
	}
	var all []string
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				all = append(all, at+"."+key)
				walk(at+"."+key, inner)
			}
		case []any:
			for _, inner := range v {
				walk(at+"[]", inner)
			}
		}
	}
	walk("", v)
	slices.Sort(all)
	return slices.Compact(all)
}
