//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	questions "github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

// fetched returns the repository and an environment in which the go command works with an empty
// home directory: it uses the test's caches.
func (r *reader) fetched() (repository string) {
	r.t.Helper()
	repository, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		r.t.Fatal(err)
	}
	out, err := exec.Command("go", "env", "-json", "GOROOT", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN", "GOFLAGS").Output()
	if err != nil {
		r.t.Fatal(err)
	}
	var env map[string]string
	if err := json.Unmarshal(out, &env); err != nil {
		r.t.Fatal(err)
	}
	r.has("go", fmt.Sprintf("exec %q \"$@\"", filepath.Join(env["GOROOT"], "bin", "go")))
	for name, value := range env {
		r.env = append(r.env, name+"="+value)
	}
	return repository
}

// The page needs a clone and Go, because it builds the fake Telegram.
func TestDocs_BotTutorial_PrintsShownOutput(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	r := newReader(t, "curl", "jq")
	r.dir = r.fetched()
	r.set = "set -eu" // chat ends a stream that curl would follow forever
	r.hasSettings()
	r.follows(r.elsewhere(blocks(t, filepath.Join("..", "..", "docs", "tutorial-bot.md")), "11436", "4500"))
	r.leavesNothing()
}

// The page shows examples/runner, and needs a clone and Go to run it.
func TestDocs_GoTutorial_PrintsShownOutput(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	r := newReader(t)
	r.dir = r.fetched()
	page := filepath.Join("..", "..", "docs", "tutorial-go.md")
	program, err := os.ReadFile(filepath.Join("..", "..", "examples", "runner", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	shown := ""
	for _, f := range fences(t, page) {
		if f.kind == "go" {
			shown += f.text + "\n"
		}
	}
	if blank := regexp.MustCompile(`\n+`); blank.ReplaceAllString(shown, "\n") != blank.ReplaceAllString(string(program), "\n") {
		t.Errorf("the parts of the program on the page are not examples/runner/main.go:\n%s", shown)
	}
	r.follows(blocks(t, page))
	r.leavesNothing()
}

// The page's packages are those of peers/openapi, which CI installs.
func TestDocs_TypeScriptTutorial_PrintsShownOutput(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	r := newReader(t, "curl", "node", "npm")
	r.hasSettings()
	peers, err := filepath.Abs(filepath.Join("..", "..", "peers", "openapi"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(peers, "node_modules", "openapi-fetch")); err != nil {
		missing(t, "peers/openapi/node_modules (npm ci)")
	}
	page := filepath.Join("..", "..", "docs", "tutorial-typescript.md")
	program := ""
	for _, f := range fences(t, page) {
		if f.kind == "ts" {
			program += f.text + "\n\n"
		}
	}
	written := filepath.Join(t.TempDir(), "main.ts")
	if err := os.WriteFile(written, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	r.has("mkdir", fmt.Sprintf("/bin/mkdir \"$@\" && cp %q ~/tutorial", written))
	all := blocks(t, page)
	if named, locked := namedPackages(all), lockedPackages(t, peers); !maps.Equal(named, locked) {
		t.Errorf("the page installs %v, peers/openapi has %v", named, locked)
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Fatal(err)
	}
	r.has("npm", fmt.Sprintf("[ \"$1\" = install ] || exec %q \"$@\"\nln -s %q node_modules", npm, filepath.Join(peers, "node_modules")))
	r.env = append(r.env, "PATH="+r.bin+":"+os.Getenv("PATH"), "npm_config_update_notifier=false", "NO_COLOR=1")
	r.follows(r.elsewhere(all, "4500"))
	r.leavesNothing()
}

// namedPackages returns the packages of all npm install commands, with their versions.
func namedPackages(all []block) map[string]string {
	named := map[string]string{}
	for _, b := range all {
		for line := range strings.Lines(b.text) {
			_, packages, found := strings.Cut(line, "npm install ")
			if !found {
				continue
			}
			for _, m := range regexp.MustCompile(`(@?[\w/-]+)@([\d.]+)`).FindAllStringSubmatch(packages, -1) {
				named[m[1]] = m[2]
			}
		}
	}
	return named
}

func lockedPackages(t *testing.T, dir string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Dependencies map[string]string }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all.Dependencies
}

// The page's keys are typed into a real terminal, and its screens have to appear there. Its shell
// commands run between them, in the same terminal's directory and home.
func TestDocs_TerminalTutorial_PrintsShownOutput(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	r := newReader(t)
	x := openTerminal(t)
	x.types("-l", fmt.Sprintf("cd %q; exec env -i TERM=\"$TERM\" LANG=C.UTF-8 %s PS1='reader\\044 ' bash --norc", r.dir, assignments(r.env)))
	x.types("Enter")
	x.sees("reader$") // the command line above has its code instead of the dollar
	var shell []block
	for _, f := range fences(t, filepath.Join("..", "..", "docs", "tutorial-terminal.md")) {
		switch f.kind {
		case "sh":
			shell = append(shell, block{line: f.line, text: f.text})
		case "text":
			shell[len(shell)-1].output = f.text
		case "console", "keys":
			if len(shell) > 0 {
				r.follows(shell)
			}
			shell = nil
			for line := range strings.Lines(f.text + "\n") {
				x.presses(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "$ "))
			}
		case "screen":
			for line := range strings.Lines(f.text + "\n") {
				r.seesLike(x, strings.TrimSuffix(line, "\n"))
			}
		}
	}
	r.follows(shell)
	r.leavesNothing("tutorial") // the reader removes it at last
}

// unusable is the content of a configuration file with which each command of Bellcord fails.
const unusable = "not a setting\n"

// hasSettings writes a configuration that a tutorial may neither use nor change.
func (r *reader) hasSettings() {
	r.t.Helper()
	dir := filepath.Join(r.home, ".config", "bellcord")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "config.toml"), []byte(unusable), 0o600)); err != nil {
		r.t.Fatal(err)
	}
	r.settings = true
}

// leavesNothing checks that a tutorial has neither changed the reader's configuration and data nor
// left files, except the given ones.
func (r *reader) leavesNothing(except ...string) {
	r.t.Helper()
	if r.settings {
		dir := filepath.Join(r.home, ".config", "bellcord")
		text, err := os.ReadFile(filepath.Join(dir, "config.toml"))
		if files, _ := os.ReadDir(dir); err != nil || string(text) != unusable || len(files) != 1 {
			r.t.Errorf("the tutorial has changed the reader's settings: %q, %d files, %v", text, len(files), err)
		}
		except = append(except, ".config/bellcord")
	}
	for _, path := range []string{"tutorial", ".config/bellcord", ".config/zed", ".local/share/bellcord"} {
		if slices.Contains(except, path) {
			continue
		}
		if _, err := os.Stat(filepath.Join(r.home, path)); err == nil {
			r.t.Errorf("the tutorial has left ~/%s", path)
		}
	}
}

// assignments returns the variables as words of a shell command.
func assignments(env []string) string {
	words := ""
	for _, pair := range env {
		words += " '" + pair + "'"
	}
	return words
}

// presses presses a key that has a name, or types a line and presses Enter. A letter answers a
// question, which has to be on the screen for a while.
func (x *terminal) presses(line string) {
	x.t.Helper()
	switch line {
	case "Esc":
		x.types("Escape")
	case "Enter":
		x.types("Enter")
	case "y":
		<-time.After(2 * questions.Settling)
		x.types("y")
		x.sees("enter confirms")
	default:
		x.types("-l", line)
		x.types("Enter")
	}
}

// seesLike waits until a line of the screen is like the one that a document shows.
func (r *reader) seesLike(x *terminal, shown string) {
	r.t.Helper()
	screen := ""
	r.t.Cleanup(func() {
		if r.t.Failed() {
			r.t.Log(screen)
		}
	})
	comesTrue(r.t, "the screen shows "+shown, func() bool {
		screen = x.tmux("capture-pane", "-p", "-J")
		for line := range strings.Lines(screen) {
			if matches(shown, r.asAnna(strings.TrimRight(line, " \n")+"\n")) {
				return true
			}
		}
		return false
	})
}
