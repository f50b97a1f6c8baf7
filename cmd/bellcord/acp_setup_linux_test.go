package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// setsUp starts the set-up in a terminal, as an editor does that has no key in
// its environment.
func (w *world) setsUp(env ...string) *typist {
	w.t.Helper()
	w.program = "/usr/bin/env"
	args := append([]string{"-u", "BELLCORD_MODEL", "-u", "OPENAI_API_KEY"}, env...)
	return w.onTerminal(append(args, os.Args[0], "acp", setUpFlag)...)
}

func TestACPSetUp_KeyEntered_WritesAConfigurationThatOnlyTheUserCanRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := filepath.Join(w.dir, "bellcord", "config.toml")
	p := w.setsUp()
	p.sees("only Enter to use what is found")
	p.types("9\n")
	p.types("2\n")
	p.sees("API key of openai")
	p.types("sk-secret-1\n")
	p.sees("written: " + config)
	p.ends()
	if code := p.cmd.ProcessState.ExitCode(); code != 0 || strings.Contains(p.shown(), "sk-secret-1") {
		t.Errorf("exit code %d, the terminal shows\n%s", code, p.shown())
	}
	text, err := os.ReadFile(config)
	if err != nil || !strings.Contains(string(text), "[provider.openai]\napi_key = \"sk-secret-1\"\n") || !strings.Contains(string(text), "\nmodel = \"openai/") {
		t.Errorf("%v: the file has\n%s", err, text)
	}
	if info, err := os.Stat(config); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	again := w.setsUp()
	again.sees("is already configured")
	again.ends()
	if code := again.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestACPSetUp_KeyThatDoesNotWork_WritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := filepath.Join(w.dir, "bellcord", "config.toml")
	p := w.setsUp("OPENAI_BASE_URL=http://127.0.0.1:1/v1")
	p.sees("only Enter to use what is found")
	p.types("2\n")
	p.sees("API key of openai")
	p.types("sk-secret-1\n")
	p.sees("could not be listed with this key")
	p.ends()
	if _, err := os.Stat(config); p.cmd.ProcessState.ExitCode() == 0 || err == nil {
		t.Errorf("exit code %d, file: %v", p.cmd.ProcessState.ExitCode(), err)
	}
}
