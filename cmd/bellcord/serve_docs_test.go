//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// block is a fenced block of a document, with the JSON or text block after it as its expected
// output.
type block struct {
	line  int
	text  string
	shown string
	said  string
}

// blocks returns a document's ```sh blocks in order, each with the ```json or ```text block after
// it.
func blocks(t *testing.T, path string) (all []block) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	kind, at := "", 0
	var lines []string
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case kind == "" && strings.HasPrefix(line, "```"):
			kind, at, lines = strings.TrimPrefix(line, "```")+" ", i+1, nil
		case line != "```":
			lines = append(lines, line)
		case kind == "sh ":
			all = append(all, block{line: at, text: strings.Join(lines, "\n")})
			kind = ""
		case kind == "json " && len(all) > 0:
			all[len(all)-1].shown = strings.Join(lines, "\n")
			kind = ""
		case kind == "text " && len(all) > 0:
			all[len(all)-1].said = strings.Join(lines, "\n")
			kind = ""
		default:
			kind = ""
		}
	}
	return all
}

// The test runs docs/http.md in one shell against a real server, and compares the answers with
// those that the document shows.
func TestDocs_HTTPCommands_ReturnShownAnswers(t *testing.T) {
	t.Parallel()
	for _, needed := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(needed); err != nil {
			missing(t, needed)
		}
	}
	w := newServerWorld(t)
	s := w.daemon(nil)
	all := blocks(t, filepath.Join("..", "..", "docs", "http.md"))
	if len(all) < 10 {
		t.Fatalf("the document has %d blocks", len(all))
	}
	bin, out := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "bellcord"), fmt.Appendf(nil, "#!/bin/sh\nexec %q \"$@\"\n", os.Args[0]), 0o700); err != nil {
		t.Fatal(err)
	}
	script := "set -eu\n"
	for i, b := range all {
		script += fmt.Sprintf("{\n%s\n} >%q/%d\n", b.text, out, i)
	}
	cmd := exec.Command("bash", "-c", script)
	cmd.Env = w.bellcord().Env
	cmd.Env = append(cmd.Env, "URL="+s.url, "PATH="+bin+":"+os.Getenv("PATH"))
	cmd.Dir = w.dir
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, said)
	}
	for i, b := range all {
		answer, err := os.ReadFile(filepath.Join(out, fmt.Sprint(i)))
		if err != nil {
			t.Fatalf("line %d was not reached: %v", b.line, err)
		}
		t.Logf("line %d:\n%s\n%s", b.line, b.text, answer)
		if b.shown == "" {
			continue
		}
		want, got := shapeOf(t, b.line, b.shown), shapeOf(t, b.line, string(answer))
		if !slices.Equal(want, got) {
			t.Errorf("line %d shows\n%s\nbut it is\n%s\nof\n%s", b.line, strings.Join(want, " "), strings.Join(got, " "), answer)
		}
	}
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
