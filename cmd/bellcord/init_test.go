//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

// asksInit starts bellcord init in a terminal, as a newcomer with the programs goose and zed, and with a
// provider whose key is in the environment.
func asksInit(t *testing.T, args string) (*terminal, *newcomer, string) {
	t.Helper()
	w := newWorld(t)
	n := newNewcomer(t)
	n.has("goose")
	n.has("zed")
	file := filepath.Join(n.home, "config.toml")
	term := openTerminal(t)
	// With the trap, the shell goes on to echo after Ctrl-C. Typed afterwards, echo could be an answer.
	term.types("-l", "trap : INT; clear; env -i BELLCORD_TEST_MAIN=1 TERM=xterm HOME='"+n.home+"' PATH='"+filepath.Join(n.home, "bin")+"' OPENAI_API_KEY=x OPENAI_BASE_URL="+w.url+" '"+os.Args[0]+"' init --config '"+file+"' "+args+"; echo code=$?")
	term.types("Enter")
	return term, n, file
}

func TestInit_Terminal_AsksForModelAgentAndEditor(t *testing.T) {
	t.Parallel()
	term, n, file := asksInit(t, "")
	term.sees("agents         goose")
	term.sees("1  openai/fake")
	term.sees("Number, or Enter for 1:")
	term.types("9", "Enter")
	term.sees("Type a number from 1 to ")
	term.types("Enter")
	term.sees("Which agent?")
	term.sees("2  goose")
	term.types("2", "Enter")
	term.sees("Add Bellcord to Zed?")
	if config.IsFile(file) {
		t.Error("the file is written before the last answer")
	}
	term.types("y", "Enter")
	term.sees("code=0")
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte("\nagent = \"goose\"\n")) || !bytes.Contains(text, []byte("\nmodel = \"openai/fake\"\n")) {
		t.Errorf("%s, %v", text, err)
	}
	zed, err := os.ReadFile(filepath.Join(n.home, ".config", "zed", "settings.json"))
	if err != nil || !bytes.Contains(zed, []byte(`"acp"`)) || !bytes.Contains(zed, []byte(file)) {
		t.Errorf("%s, %v", zed, err)
	}
}

func TestInit_TerminalWithoutTheLastAnswer_ChangesNothing(t *testing.T) {
	t.Parallel()
	for _, leaves := range []string{"C-c", "C-d"} {
		term, n, file := asksInit(t, "")
		term.sees("Which model?")
		term.types("Enter")
		term.sees("Which agent?")
		term.types("Enter")
		term.sees("Add Bellcord to Zed?")
		term.types(leaves)
		term.sees("code=1")
		if _, err := os.Stat(filepath.Join(n.home, ".config")); config.IsFile(file) || err == nil {
			t.Errorf("%s: a file was written", leaves)
		}
	}
}

func TestInit_YesInATerminal_AsksNothingAndSetsUpNoEditor(t *testing.T) {
	t.Parallel()
	term, n, file := asksInit(t, "--yes")
	term.sees("code=0")
	term.sees("bellcord run --agent goose")
	term.sees("bellcord acp install zed --write")
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte("\nmodel = \"openai/fake\"\n")) || bytes.Contains(text, []byte("\nagent = ")) {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(n.home, ".config")); err == nil {
		t.Error("the editor was set up")
	}
}

func TestInit_Flags_NameModelAgentAndEditor(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	out, errs, code := n.types("init", "--model", "fake/fake", "--agent", "goose", "--editor", "zed")
	if code != 0 || !strings.Contains(out, "agent:   goose") || !strings.Contains(out, "editor:  set up Zed") {
		t.Errorf("%s%s, exit code %d", out, errs, code)
	}
	for flag, want := range map[string]string{"--model=nope/x": "nope", "--agent=nope": "bellcord agents", "--editor=neovim": "by hand", "--editor=nope": "unknown editor"} {
		n := newNewcomer(t)
		if _, errs, code := n.types("init", flag); code != exitFailed || !strings.Contains(errs, want) {
			t.Errorf("%s: %q, exit code %d", flag, errs, code)
		}
		if _, err := os.Stat(filepath.Join(n.home, ".config")); err == nil {
			t.Errorf("%s: a file was written", flag)
		}
	}
}
