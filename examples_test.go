package bellcord_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// requirement is a line of a go.mod that names a module and its version.
var requirement = regexp.MustCompile(`(?m)^(?:require )?\t?([\w./-]+\.[\w./-]+) (v\S+)`)

func requirements(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, m := range requirement.FindAllStringSubmatch(string(text), -1) {
		versions[m[1]] = m[2]
	}
	return versions
}

func TestExamples_Requirements_HaveTheVersionsOfTheMainModule(t *testing.T) {
	t.Parallel()
	want := requirements(t, "go.mod")
	files, err := filepath.Glob("examples/*/go.mod")
	if err != nil || len(files) != 5 || len(want) == 0 {
		t.Fatalf("%d examples, %d requirements, error %v", len(files), len(want), err)
	}
	for _, file := range files {
		for name, version := range requirements(t, file) {
			if name != module && version != want[name] {
				t.Errorf("%s requires %s %s, go.mod %q", file, name, version, want[name])
			}
		}
	}
}

func TestExamples_ProgramInTheREADME_IsPartOfEmbed(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("examples/embed/main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "```go\n")
	code, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("README.md has no Go program")
	}
	if !strings.Contains(strings.ReplaceAll(string(program), "\n\t", "\n"), code) {
		t.Errorf("examples/embed does not contain this part of README.md:\n%s", code)
	}
	if lines := strings.Count(string(program), "\n"); lines > 40 {
		t.Errorf("examples/embed has %d lines, README.md promises 40", lines)
	}
}
