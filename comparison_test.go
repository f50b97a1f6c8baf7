package bellcord_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	namedTest    = regexp.MustCompile("`(Test\\w+)`")
	browserTest  = regexp.MustCompile("`([a-z]+)` \"([^|]+?)…?\"(?:,|$)") // a file of peers/page, and the beginning of a test's name
)

// Every feature that docs/dev/comparison.md claims for Bellcord names a test, and the
// test exists.
func TestComparison_EveryYesOfBellcord_NamesATestThatExists(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/dev/comparison.md")
	if err != nil {
		t.Fatal(err)
	}
	exists := testFunctions(t)
	rows := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) < 5 || !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|--") || strings.HasPrefix(line, "| Feature") {
			continue
		}
		rows++
		own := strings.TrimSpace(cells[len(cells)-1])
		names, inBrowser := namedTest.FindAllStringSubmatch(own, -1), browserTest.FindAllStringSubmatch(own, -1)
		if strings.HasPrefix(own, "yes") != (len(names)+len(inBrowser) > 0) {
			t.Errorf("%s: a yes names its test, and only a yes does: %s", strings.TrimSpace(cells[0]), own)
		}
		for _, name := range names {
			if !exists[name[1]] {
				t.Errorf("%s: there is no test %s", strings.TrimSpace(cells[0]), name[1])
			}
		}
		for _, name := range inBrowser {
			file, err := os.ReadFile(filepath.Join("peers", "page", name[1]+".test.mjs"))
			if err != nil || !strings.Contains(string(file), name[2]) {
				t.Errorf("%s: %s has no test %q (%v)", strings.TrimSpace(cells[0]), name[1], name[2], err)
			}
		}
	}
	if rows < 40 {
		t.Errorf("the tables have only %d rows", rows)
	}
}

// testFunctions returns the names of all tests of the module.
func testFunctions(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range testFunction.FindAllSubmatch(text, -1) {
			all[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
