package page_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// failed lists the failed browser tests of all files.
var failed failedTests

type failedTests struct {
	mu    sync.Mutex
	tests []string
}

func (f *failedTests) add(tests []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tests = append(f.tests, tests...)
}

// TestMain prints the failed browser tests at the end of the output, where a
// log that was cut still has them.
func TestMain(m *testing.M) {
	code := m.Run()
	for _, test := range failed.tests {
		fmt.Println("✖ failed: " + test)
	}
	os.Exit(code)
}

// testName is the line that Node prints for a failed test.
var testName = regexp.MustCompile(`^✖ (.+) \([\d.]+ms\)$`)

// failures returns the failed tests in the output of one file, as "file: name:
// first line of the error, line in the file". Node lists them at the end.
func failures(file string, output []string, err error) []string {
	at := regexp.MustCompile(regexp.QuoteMeta(file) + `:(\d+):\d+\)?$`)
	list := output[slices.Index(output, "✖ failing tests:")+1:]
	var found []string
	for i, line := range list {
		name := testName.FindStringSubmatch(line)
		if name == nil {
			continue
		}
		failure := file + ": " + name[1]
		for n, more := range list[i+1:] {
			if testName.MatchString(more) {
				break
			}
			if n == 0 {
				failure += ": " + strings.TrimSpace(more)
			} else if place := at.FindStringSubmatch(more); place != nil && strings.HasPrefix(strings.TrimSpace(more), "at ") {
				failure += ", line " + place[1]
				break
			}
		}
		found = append(found, failure)
	}
	if found == nil {
		return []string{file + ": " + err.Error()}
	}
	return found
}

func TestFailures_OfAFile_NameEachTestOnceWithItsError(t *testing.T) {
	t.Parallel()
	const stack = "      at TestContext.<anonymous> (file:///src/a.test.mjs:46:5)\n      at async Test.run (node:internal/test_runner/test:526:7)\n"
	const one = "✖ a sum: of two (19.8ms)\n  AssertionError [ERR_ASSERTION]: Expected values to be equal:\n  + actual - expected\n" + stack
	const two = "✖ a stop (3ms)\n  locator.waitFor: Timeout 30000ms exceeded.\n  Call log:\n    - waiting for locator('.badge')\n" + stack
	output := "✔ good (5.6ms)\n" + one + two + "ℹ tests 3\n\n✖ failing tests:\n\ntest at a.test.mjs:4:1\n" + one + "\ntest at a.test.mjs:40:1\n" + two
	want := []string{
		"a.test.mjs: a sum: of two: AssertionError [ERR_ASSERTION]: Expected values to be equal:, line 46",
		"a.test.mjs: a stop: locator.waitFor: Timeout 30000ms exceeded., line 46",
	}
	exit := fmt.Errorf("exit status 1")
	if got := failures("a.test.mjs", strings.Split(output, "\n"), exit); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := failures("a.test.mjs", nil, exit); !slices.Equal(got, []string{"a.test.mjs: exit status 1"}) {
		t.Errorf("a file without a list of failures: got %q", got)
	}
}
