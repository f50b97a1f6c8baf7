package autostart_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/autostart"
)

var update = flag.Bool("update", false, "write the golden files")

var somebodys = autostart.Settings{
	Program: "/usr/local/bin/bellcord", Config: "/srv/bellcord/config.toml", Path: "/home/anna/.local/bin:/usr/bin:/bin",
	Home: "/home/anna", ConfigHome: "/home/anna/.config", Account: "anna", UID: 1000,
}

func unitOf(t *testing.T, target autostart.Target, s autostart.Settings) autostart.Unit {
	t.Helper()
	u, err := autostart.New(target, s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// stepsText returns the text of all steps of a service, in their order.
func stepsText(t *testing.T, u autostart.Unit) string {
	t.Helper()
	steps, err := u.Installing(true)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	autostart.PrintSteps(&out, steps)
	out.WriteString("\n# start\n")
	autostart.PrintSteps(&out, u.Starting())
	out.WriteString("\n# stop\n")
	autostart.PrintSteps(&out, u.Stopping())
	out.WriteString("\n# status\n" + u.QueryText())
	return out.String()
}

func TestSay_EachTarget_MatchesItsGoldenFile(t *testing.T) {
	t.Parallel()
	for _, target := range autostart.Targets() {
		golden := filepath.Join("testdata", string(target)+".txt")
		s := somebodys
		if target == autostart.Windows {
			s.Program, s.Config = `C:\Program Files\bellcord\bellcord.exe`, `C:\ProgramData\bellcord\config.toml`
		}
		got := stepsText(t, unitOf(t, target, s))
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
			t.Errorf("%s is not %s any more (-update writes it):\n%s", target, golden, got)
		}
	}
}

// directives returns the directives of a unit, except those that depend on the
// machine and those in but.
func directives(unit string, but ...string) (all []string) {
	for line := range strings.Lines(unit) {
		line = strings.TrimSpace(line)
		name, _, is := strings.Cut(line, "=")
		if is && line[0] != '#' && !slices.Contains(append(but, "ExecStart", "EnvironmentFile"), name) {
			all = append(all, line)
		}
	}
	return all
}

func TestNew_SystemdSystem_MatchesTheDeployedUnit(t *testing.T) {
	t.Parallel()
	deployed, err := os.ReadFile(filepath.Join("..", "..", "deploy", "bellcord.service"))
	if err != nil {
		t.Fatal(err)
	}
	want, got := directives(string(deployed)), directives(unitOf(t, autostart.SystemdSystem, somebodys).Text)
	if len(want) == 0 || !slices.Equal(want, got) {
		t.Errorf("deployed is\n%s\ninstalled is\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
	for _, line := range directives(unitOf(t, autostart.SystemdUser, somebodys).Text, "WorkingDirectory", "WantedBy", "Environment") {
		if !slices.Contains(want, line) {
			t.Errorf("a person's unit alone has %s", line)
		}
	}
}

func TestNew_SystemdUnits_PassSystemdAnalyze(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		if os.Getenv("CI") == "true" && runtime.GOOS == "linux" {
			t.Fatal("systemd-analyze is not installed, and CI must not skip this")
		}
		t.Skip("no systemd-analyze here")
	}
	for target, flag := range map[autostart.Target]string{autostart.SystemdUser: "--user", autostart.SystemdSystem: "--system"} {
		dir := t.TempDir()
		s := somebodys
		s.Program = filepath.Join(dir, `a program of 100%`)
		s.Config = filepath.Join(dir, `$HOME\x;y`)
		if err := os.Symlink(os.Args[0], s.Program); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "bellcord.service")
		if err := os.WriteFile(file, []byte(unitOf(t, target, s).Text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("systemd-analyze", "verify", flag, "--man=no", "--recursive-errors=no", file)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), file+":") {
			t.Errorf("%s: %v\n%s", target, err, out)
		}
	}
}

func TestNew_SpecialCharacters_AreQuoted(t *testing.T) {
	t.Parallel()
	s := somebodys
	s.Program, s.Config, s.Path = `/opt/a b 100%/bellcord`, `/srv/"$HOME"\x`, `/opt/a b/bin:/50%`
	text := unitOf(t, autostart.SystemdUser, s).Text
	for _, want := range []string{
		`ExecStart="/opt/a b 100%%/bellcord" serve --config "/srv/\"$$HOME\"\\x"` + "\n",
		`Environment="PATH=/opt/a b/bin:/50%%"` + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	s.Program = "/opt/<a&b>/bellcord"
	decoder := xml.NewDecoder(strings.NewReader(unitOf(t, autostart.LaunchdUser, s).Text))
	var words []string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if text, is := token.(xml.CharData); is {
			words = append(words, string(text))
		}
	}
	if !slices.Contains(words, s.Program) || !slices.Contains(words, s.Config) {
		t.Errorf("launchd reads %q", words)
	}
	s.Program = `C:\Program Files\x\` + `bellcord.exe`
	if text := unitOf(t, autostart.Windows, s).Text; !strings.Contains(text, `"C:\Program Files\x\bellcord.exe" serve --config`) {
		t.Error(text)
	}
}

func TestNew_ControlCharactersOrQuotes_AreRejected(t *testing.T) {
	t.Parallel()
	for _, target := range autostart.Targets() {
		s := somebodys
		s.Config = "/srv/x\nUser=root"
		if _, err := autostart.New(target, s); err == nil {
			t.Errorf("%s takes it", target)
		}
	}
	s := somebodys
	s.Program = `/opt/"x"/bellcord`
	if _, err := autostart.New(autostart.SystemdUser, s); err == nil {
		t.Error("systemd would refuse its program")
	}
	if _, err := autostart.New("upstart", somebodys); err == nil {
		t.Error("a target that is none")
	}
}

func TestHidden_ProgramInAHomeDirectory_IsAnErrorForTheSystemUnit(t *testing.T) {
	t.Parallel()
	s := somebodys
	if err := unitOf(t, autostart.SystemdSystem, s).Hidden(); err != nil {
		t.Error(err)
	}
	s.Program = "/home/anna/go/bin/bellcord"
	if err := unitOf(t, autostart.SystemdSystem, s).Hidden(); err == nil || !strings.Contains(err.Error(), "/home/") {
		t.Errorf("a program in a home: %v", err)
	}
	if err := unitOf(t, autostart.SystemdUser, s).Hidden(); err != nil {
		t.Errorf("a person's own sees it: %v", err)
	}
}

func TestEnvironment_FileReadableByOthers_IsAnError(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "environment")
	if err := os.WriteFile(path, []byte("# keys\n\nA_KEY=sk-1=2\r\nB=\"two words\"\n ; no\nC='x'\nD=\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := autostart.Environment(path)
	if err != nil || len(got) != 4 || got["A_KEY"] != "sk-1=2" || got["B"] != "two words" || got["C"] != "x" {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.WriteFile(path, []byte("A=1\nsk-secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := autostart.Environment(path); err == nil || !strings.Contains(err.Error(), "line 2") || strings.Contains(err.Error(), "secret") {
		t.Errorf("a line that is none: %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := autostart.Environment(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("one that others may read: %v", err)
	}
}
