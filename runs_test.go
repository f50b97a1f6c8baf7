package bellcord_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// runs matches a command of the Makefile or of .ci/run that selects tests by
// name: the pattern and the rest of the line.
var runs = regexp.MustCompile(`(?m)go test [^|\n]*?-run '?([^' ]+)'?([^\n]*)`)

var testDeclaration = regexp.MustCompile(`(?m)^func (Test\w+)`)

// go test succeeds if -run matches nothing. A test that was renamed would no
// longer run, and nothing would fail.
func TestMakefile_EveryRunPattern_MatchesATest(t *testing.T) {
	t.Parallel()
	commands := 0
	for _, file := range []string{"Makefile", ".ci/run"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := expandVariables(string(data))
		for _, found := range runs.FindAllStringSubmatch(text, -1) {
			commands++
			packages, _, _ := strings.Cut(found[2], "| grep")
			names := testNames(t, strings.Fields(packages))
			pattern, _, _ := strings.Cut(found[1], "/")
			if pattern == "" { // only subtests are selected
				continue
			}
			for _, part := range alternatives(pattern) {
				if !regexp.MustCompile(part).MatchString(strings.Join(names, "\n")) {
					t.Errorf("%s: %q of -run %q matches no test in %s", file, part, found[1], packages)
				}
			}
		}
	}
	if commands < 30 {
		t.Errorf("only %d commands were found", commands)
	}
}

// expandVariables replaces $(NAME) by the value that the Makefile assigns to it.
func expandVariables(text string) string {
	for _, v := range regexp.MustCompile(`(?m)^([A-Z_]+) [:?]?= (.*)$`).FindAllStringSubmatch(text, -1) {
		text = strings.ReplaceAll(text, "$("+v[1]+")", v[2])
	}
	return text
}

// alternatives splits a pattern at each | that is outside of brackets.
func alternatives(pattern string) []string {
	if strings.ContainsAny(pattern, "()[]") {
		return []string{pattern}
	}
	return strings.Split(pattern, "|")
}

// testNames returns the names of all tests in the packages among the arguments
// of go test.
func testNames(t *testing.T, args []string) (names []string) {
	t.Helper()
	for _, arg := range args {
		dir, below := strings.CutSuffix(arg, "...")
		if !strings.HasPrefix(dir, ".") {
			continue
		}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && filepath.Clean(path) != filepath.Clean(dir) && !below:
				return fs.SkipDir
			case !strings.HasSuffix(path, "_test.go"):
				return nil
			}
			data, err := os.ReadFile(path)
			for _, found := range testDeclaration.FindAllSubmatch(data, -1) {
				names = append(names, string(found[1]))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}
