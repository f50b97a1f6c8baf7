// Package page_test drives the page in a real browser: the actions of a person, the attacks of a
// hostile model, and the time from a press of Stop until the screen shows it.
package page_test

import (
	"bufio"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// missing fails the test in CI, where no test may be omitted, and skips it elsewhere.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// alone is false in a run of all tests, because the tests measure how soon a press takes effect.
// make page-test and CI set it.
var alone = flag.Bool("browser", false, "drive the page in a real browser")

func TestPage_InARealBrowser_PassesItsTests(t *testing.T) {
	t.Parallel()
	if !*alone {
		t.Skip("needs -browser: run make page-test")
	}
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && browser == "" {
			browser = path
		}
	}
	if browser == "" {
		missing(t, "no chromium, chromium-browser or google-chrome in PATH")
	}
	if _, err := exec.LookPath("node"); err != nil {
		missing(t, "no node in PATH")
	}
	if _, err := os.Stat("node_modules/playwright-core"); err != nil {
		missing(t, "playwright-core is not installed: make page-test does")
	}
	program := os.Getenv("BELLCORD_BIN")
	if program == "" {
		program = filepath.Join(t.TempDir(), "bellcord")
		if out, err := exec.Command("go", "build", "-o", program, "github.com/bellcord/bellcord/cmd/bellcord").CombinedOutput(); err != nil {
			t.Fatalf("building: %v\n%s", err, out)
		}
	}
	// Each file has its own server and browser. press.test.mjs measures, and the
	// browser ends the service worker of push.test.mjs if it is slow: they run alone.
	for _, file := range []string{
		"page.test.mjs", "commands.test.mjs", "offline.test.mjs", "files.test.mjs", "code.test.mjs", "settings.test.mjs", "history.test.mjs", "phone.test.mjs",
		"notices.test.mjs", "push.test.mjs", "addresses.test.mjs", "ports.test.mjs", "question.test.mjs", "form.test.mjs", "projects.test.mjs", "sessions.test.mjs", "search.test.mjs", "header.test.mjs", "changes.test.mjs", "rewind.test.mjs", "axe.test.mjs", "hostile.test.mjs", "press.test.mjs",
	} {
		t.Run(strings.TrimSuffix(file, ".test.mjs"), func(t *testing.T) {
			if file != "press.test.mjs" && file != "push.test.mjs" {
				t.Parallel()
			}
			run(t, file, program, browser)
		})
	}
}

// run forwards the output of the tests line by line, and keeps their failures.
func run(t *testing.T, file, program, browser string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", "--test", "--test-reporter=spec", file)
	cmd.Env = append(os.Environ(), "BELLCORD_BIN="+program, "BELLCORD_BROWSER="+browser)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var output []string
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20) // a failed comparison can print long lines
	for lines.Scan() {
		output = append(output, lines.Text())
		t.Log(lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
		failed.add(failures(file, output, err))
	}
}
