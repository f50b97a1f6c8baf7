//go:build unix

package autostart_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/autostart"
)

// machine is a machine with a fake service manager that records its calls.
type machine struct {
	t     *testing.T
	root  string
	calls string
}

// newMachine returns a machine with only these programs. Each prints the word
// in its file of answers, and fails if the word is "no"; systemd itself always
// runs.
func newMachine(t *testing.T, programs ...string) *machine {
	t.Helper()
	m := &machine{t: t, root: t.TempDir()}
	m.calls = filepath.Join(m.root, "calls")
	bin := filepath.Join(m.root, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range programs {
		script := fmt.Sprintf("#!/bin/sh\necho %s \"$*\" >>%q\ncase \"$*\" in *is-system-running) echo running; exit;; esac\nread -r says <%q\necho \"$says\"\n[ \"$says\" != no ]\n", name, m.calls, m.answers(name))
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		m.setOutput(name, "running")
	}
	t.Setenv("PATH", bin)
	return m
}

func (m *machine) answers(program string) string { return filepath.Join(m.root, program+".says") }

func (m *machine) setOutput(program, word string) {
	m.t.Helper()
	m.puts(m.answers(program), word+"\n")
}

func (m *machine) puts(path, text string) {
	m.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		m.t.Fatal(err)
	}
}

// newCalls returns the calls since the last call of newCalls.
func (m *machine) newCalls() []string {
	m.t.Helper()
	text, err := os.ReadFile(m.calls)
	if err != nil {
		m.t.Fatal(err)
	}
	if err := os.Truncate(m.calls, 0); err != nil {
		m.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func (m *machine) unit(target autostart.Target) autostart.Unit {
	m.t.Helper()
	s := somebodys
	s.Root, s.Home = m.root, filepath.Join(m.root, "home")
	s.ConfigHome = filepath.Join(s.Home, ".config")
	return unitOf(m.t, target, s)
}

func (m *machine) does(steps []autostart.Step, err error) {
	m.t.Helper()
	if err := errors.Join(err, autostart.Do(m.t.Context(), steps)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) expectCalls(want ...string) {
	m.t.Helper()
	if got := m.newCalls(); !slices.Equal(got, want) {
		m.t.Errorf("asked was\n%q, want\n%q", got, want)
	}
}

func TestInstalling_SystemdSystem_CanBeInstalledAndUninstalled(t *testing.T) {
	m := newMachine(t, "systemctl", "systemd-sysusers")
	u := m.unit(autostart.SystemdSystem)
	m.does(u.Installing(false))
	m.expectCalls(`systemd-sysusers --inline u bellcord - "Bellcord" /var/lib/bellcord /usr/sbin/nologin`, "systemctl daemon-reload", "systemctl enable bellcord.service")
	if text, err := os.ReadFile(u.File); err != nil || string(text) != u.Text {
		t.Errorf("%v: %s", err, text)
	}
	if info, err := os.Stat(u.Keys); err != nil || info.Size() != 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("the keys: %v %v", info, err)
	}
	m.puts(u.Keys, "A_KEY=1\n")
	if _, err := u.Installing(false); !errors.Is(err, autostart.ErrThere) {
		t.Errorf("a second time: %v", err)
	}
	m.does(u.Installing(true))
	_ = m.newCalls()
	m.does(u.Uninstalling())
	m.expectCalls("systemctl disable --now bellcord.service", "systemctl daemon-reload")
	if _, err := os.Stat(u.File); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	if text, _ := os.ReadFile(u.Keys); string(text) != "A_KEY=1\n" {
		t.Errorf("the keys are now %q", text)
	}
	if _, err := u.Uninstalling(); !errors.Is(err, autostart.ErrMissing) {
		t.Errorf("a second time: %v", err)
	}
}

func TestInstalling_ForeignFile_IsKeptAsABackup(t *testing.T) {
	m := newMachine(t, "systemctl", "systemd-sysusers")
	u := m.unit(autostart.SystemdSystem)
	m.puts(u.File, "[Service]\n")
	if _, err := u.Installing(false); !errors.Is(err, autostart.ErrThere) {
		t.Errorf("installed over it: %v", err)
	}
	if _, err := u.Uninstalling(); !errors.Is(err, autostart.ErrForeign) {
		t.Errorf("removed: %v", err)
	}
	m.does(u.Installing(true))
	if text, err := os.ReadFile(u.File + ".old"); string(text) != "[Service]\n" {
		t.Errorf("kept is %q: %v", text, err)
	}
}

func TestInstalling_PackagedUnitExists_ReturnsErrThere(t *testing.T) {
	m := newMachine(t, "systemctl", "systemd-sysusers")
	u := m.unit(autostart.SystemdSystem)
	packaged := filepath.Join(m.root, "usr/lib/systemd/system/bellcord.service")
	m.puts(packaged, "[Service]\n")
	if _, err := u.Installing(false); !errors.Is(err, autostart.ErrThere) || !strings.Contains(err.Error(), packaged) {
		t.Errorf("%v", err)
	}
	m.setOutput("systemctl", "active")
	if s, err := u.Status(t.Context()); err != nil || !s.There || s.Ours || !s.Running || s.File != packaged {
		t.Errorf("%+v %v", s, err)
	}
}

func TestDo_FailedStep_ReturnsTheManagersOutput(t *testing.T) {
	m := newMachine(t, "systemctl")
	m.setOutput("systemctl", "no")
	err := autostart.Do(t.Context(), m.unit(autostart.SystemdUser).Starting())
	if err == nil || err.Error() != "systemctl --user start bellcord.service: exit status 1: no" {
		t.Errorf("%v", err)
	}
}

func TestStarting_LaunchdJob_IsLoadedOnce(t *testing.T) {
	m := newMachine(t, "launchctl", "chown")
	u := m.unit(autostart.LaunchdSystem)
	m.does(u.Installing(false))
	m.expectCalls("chown -R anna "+filepath.Dir(u.Keys), "launchctl enable system/dev.bellcord.bellcord")
	m.setOutput("launchctl", "state = running")
	m.does(u.Starting(), nil)
	m.expectCalls("launchctl print system/dev.bellcord.bellcord", "launchctl kickstart system/dev.bellcord.bellcord")
	if s, err := u.Status(t.Context()); err != nil || !s.Running || !s.Ours {
		t.Errorf("%+v %v", s, err)
	}
	_ = m.newCalls()
	m.does(u.Stopping(), nil)
	m.expectCalls("launchctl print system/dev.bellcord.bellcord", "launchctl bootout system/dev.bellcord.bellcord")
	m.setOutput("launchctl", "no")
	m.does(u.Uninstalling())
	m.expectCalls("launchctl print system/dev.bellcord.bellcord")
	if err := u.Reachable(t.Context()); err == nil || !strings.Contains(err.Error(), "launchd is not available here") {
		t.Errorf("%v", err)
	}
}
