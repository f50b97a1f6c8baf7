//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/app/doctor"
)

// newcomer is a user with a new installation, an empty home directory and an empty environment.
type newcomer struct {
	t    *testing.T
	home string
	env  []string
}

func newNewcomer(t *testing.T, env ...string) *newcomer {
	t.Helper()
	return &newcomer{t: t, home: t.TempDir(), env: env}
}

func (n *newcomer) types(args ...string) (stdout, stderr string, code int) {
	n.t.Helper()
	return n.runs(nil, args...)
}

// runs runs a command of this program. A nil input is the null device.
func (n *newcomer) runs(in io.Reader, args ...string) (stdout, stderr string, code int) {
	n.t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Stdin = in
	cmd.Dir = n.home
	cmd.Env = append([]string{"BELLCORD_TEST_MAIN=1", "HOME=" + n.home, "PATH=" + filepath.Join(n.home, "bin")}, n.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		n.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// has puts a program that does nothing on the newcomer's PATH.
func (n *newcomer) has(program string) {
	n.t.Helper()
	dir := filepath.Join(n.home, "bin")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"), 0o700)); err != nil {
		n.t.Fatal(err)
	}
}

func TestRoot_NoCommand_PrintsFindingsAndNextSteps(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t, "ANTHROPIC_API_KEY=sk-secret")
	n.has("goose")
	n.has("zed")
	out, errs, code := n.types()
	if code != 0 || errs != "" || strings.Count(out, "\n") > 25 {
		t.Errorf("%s%s, exit code %d", out, errs, code)
	}
	for _, want := range []string{"ANTHROPIC_API_KEY", "goose", "Zed", "bellcord init", `bellcord run "hello"`, "bellcord acp install zed", "bellcord doctor"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "sk-secret") {
		t.Error("it shows the key")
	}
	if _, errs, code := n.types("nonsense"); code != exitFailed || !strings.Contains(errs, `unknown command "nonsense"`) {
		t.Errorf("%q, exit code %d", errs, code)
	}
}

func TestRun_FakeModel_NeedsNoKeyAndNoServer(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	if out, errs, code := n.types("init"); code != 0 || !strings.Contains(out, "fake/fake") {
		t.Fatalf("%s%s, exit code %d", out, errs, code)
	}
	out, errs, code := n.types("run", "hello")
	if code != 0 || out != app.FakeNotice+"You said: hello\n" {
		t.Errorf("%q %q, exit code %d", out, errs, code)
	}
	out, _, _ = n.types("run", "--mode", "full", `[tool shell {"command":"echo hi"}] [then [say first] [tool shell {"command":"true"}] [then [say second]]]`)
	if strings.Count(out, "fake model") != 1 {
		t.Errorf("it says what it is %d times in a turn: %s", strings.Count(out, "fake model"), out)
	}
	if out, _, _ := n.types("models"); !strings.Contains(out, "not a language model") || !strings.Contains(out, "fake/fake\n") {
		t.Errorf("models: %s", out)
	}
}

func TestInit_ExistingFile_IsKeptWithoutForce(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	path := filepath.Join(n.home, "own.toml")
	if err := os.WriteFile(path, []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := n.types("init", "--config", path); code != exitFailed || !strings.Contains(errs, "already exists and was not changed") {
		t.Errorf("%q, exit code %d", errs, code)
	}
	if text, _ := os.ReadFile(path); string(text) != "# mine\n" {
		t.Errorf("the file is now %s", text)
	}
	if out, errs, code := n.types("init", "--config", path, "--force"); code != 0 || !strings.Contains(out, path+".old") {
		t.Errorf("%s%q, exit code %d", out, errs, code)
	}
	if text, _ := os.ReadFile(path + ".old"); string(text) != "# mine\n" {
		t.Errorf("--force kept %q of the old file", text)
	}
	if out, errs, code := n.types("doctor", "--config", path); code != 0 {
		t.Errorf("%s%s, exit code %d", out, errs, code)
	}
}

func TestDoctor_ModelWithoutKey_FailsAndNamesVariable(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t, "BELLCORD_MODEL=anthropic/claude")
	found, code := n.diagnosis()
	if f := found["model"]; f.Verdict != doctor.Broken || !strings.Contains(f.Says, "ANTHROPIC_API_KEY is not set") || code != exitFailed {
		t.Errorf("%+v, exit code %d", f, code)
	}
	for name, f := range found {
		if strings.Contains(f.Fix, "init --force") {
			t.Errorf("%s suggests to replace the whole configuration: %s", name, f.Fix)
		}
	}
}

func TestInit_KeyInEnvironment_SelectsAvailableModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := newNewcomer(t, "OPENAI_API_KEY=x", "OPENAI_BASE_URL="+w.url)
	if out, errs, code := n.types("init"); code != 0 || !strings.Contains(out, "openai/fake (OPENAI_API_KEY is set") {
		t.Errorf("%s%s, exit code %d", out, errs, code)
	}
	if out, errs, code := n.types("run", "[say it works]"); code != 0 || out != "it works\n" {
		t.Errorf("%q %q, exit code %d", out, errs, code)
	}
}

// diagnosis returns the findings of doctor --json, by check.
func (n *newcomer) diagnosis(args ...string) (map[string]doctor.Finding, int) {
	n.t.Helper()
	out, errs, code := n.types(append([]string{"doctor", "--json"}, args...)...)
	var all []doctor.Finding
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		n.t.Fatalf("%v in %s%s", err, out, errs)
	}
	found := map[string]doctor.Finding{}
	for _, f := range all {
		found[f.Check] = f
		if (f.Verdict == doctor.OK) != (f.Fix == "") || strings.Contains(f.Says+f.Fix, "\n") {
			n.t.Errorf("not in order: %+v", f)
		}
	}
	return found, code
}

func TestDoctor_HealthyHome_FindsNothingBroken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := newNewcomer(t, "OPENAI_API_KEY=x", "OPENAI_BASE_URL="+w.url, "BELLCORD_MODEL=openai/fake")
	if _, errs, code := n.types("run", "hi"); code != 0 {
		t.Fatal(errs)
	}
	found, code := n.diagnosis()
	for _, check := range []string{"keys", "model", "clock", "agents", "data directory", "store", "token"} {
		if found[check].Verdict != doctor.OK {
			t.Errorf("%+v", found[check])
		}
	}
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestDoctor_BrokenSetup_PrintsProblemsAndFixes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := newNewcomer(t, "OPENAI_BASE_URL="+w.url, "BELLCORD_MODEL=openai/other") // without a key
	data := filepath.Join(n.home, "data")
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = busy.Close() })
	if err := errors.Join(os.Mkdir(data, 0o700), os.Chmod(data, 0o755), os.WriteFile(filepath.Join(data, "token"), nil, 0o600), //nolint:gosec // that is what has to be found
		os.Chmod(filepath.Join(data, "token"), 0o644), os.WriteFile(filepath.Join(n.home, "c.toml"), []byte("agent = \"goose\"\n[serve]\naddr = \""+busy.Addr().String()+"\"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	found, code := n.diagnosis("--data-dir", data, "--config", filepath.Join(n.home, "c.toml"))
	for check, want := range map[string]doctor.Verdict{"keys": doctor.Broken, "agents": doctor.Broken, "data directory": doctor.Broken, "token": doctor.Broken, "port": doctor.Warning, "configuration": doctor.OK} {
		if found[check].Verdict != want {
			t.Errorf("%+v", found[check])
		}
	}
	if code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	if err := os.WriteFile(filepath.Join(n.home, "c.toml"), []byte("moodel = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if found, code := n.diagnosis("--config", filepath.Join(n.home, "c.toml")); found["configuration"].Verdict != doctor.Broken || code != exitFailed {
		t.Errorf("%+v, exit code %d", found, code)
	}
}

func TestACPInstall_Editor_IsConfiguredOnce(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	out, errs, _ := n.types("acp", "install", "zed", "--model", "fake/fake")
	if !strings.Contains(out, `"--model"`) || !strings.Contains(errs, filepath.Join("zed", "settings.json")) {
		t.Errorf("%s%s", out, errs)
	}
	every := []string{
		"--config", filepath.Join(n.home, "c.toml"), "--data-dir", filepath.Join(n.home, "data"), "--store-url", "postgres://db/x", "--model", "fake/fake", "--agent", "goose", "--mode", "full",
		"--deadline", "1m30s", "--max-tokens", "1000", "--max-cost", "0.5", "--max-steps", "0",
	}
	out, errs, code := n.types(append([]string{"acp", "install", "zed"}, every...)...)
	for _, arg := range every {
		if code != 0 || !strings.Contains(out, fmt.Sprintf("%q", arg)) {
			t.Errorf("no %q in %s%s", arg, out, errs)
		}
	}
	if out, _, _ := n.types("acp", "install", "zed", "--data-dir", "data"); !strings.Contains(out, filepath.Join(n.home, "data")) {
		t.Errorf("a relative directory: %s", out)
	}
	for _, want := range []string{"set up JetBrains IDEs", "is already set up"} {
		if out, errs, code := n.types("acp", "install", "jetbrains", "--write"); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s%s", out, errs)
		}
	}
	if _, errs, code := n.types("acp", "install", "emacs", "--write"); code != exitFailed || !strings.Contains(errs, "its settings are not changed by Bellcord") {
		t.Errorf("%q, exit code %d", errs, code)
	}
}
