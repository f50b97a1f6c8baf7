//go:build linux

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

// managed gives the newcomer a systemctl that records its arguments and always prints one word.
func (n *newcomer) managed(word string) {
	n.t.Helper()
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>%q\necho %s\n", filepath.Join(n.home, "calls"), word)
	if err := errors.Join(os.MkdirAll(filepath.Join(n.home, "bin"), 0o700),
		os.WriteFile(filepath.Join(n.home, "bin", "systemctl"), []byte(script), 0o700)); err != nil {
		n.t.Fatal(err)
	}
}

// systemctlCalls returns the calls of systemctl since the last time.
func (n *newcomer) systemctlCalls() string {
	n.t.Helper()
	path := filepath.Join(n.home, "calls")
	text, err := os.ReadFile(path)
	if err := errors.Join(err, os.Remove(path)); err != nil {
		n.t.Fatal(err)
	}
	return string(text)
}

func (n *newcomer) files() (all []string) {
	n.t.Helper()
	err := filepath.WalkDir(n.home, func(path string, _ fs.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		n.t.Fatal(err)
	}
	return all
}

func TestService_DryRun_PrintsStepsAndChangesNothing(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t, "ANTHROPIC_API_KEY=sk-secret", "BELLCORD_STORE=postgres://u:sk-secret@h/d")
	n.managed("running")
	before := fmt.Sprint(n.files())
	for target, want := range map[string]string{
		"systemd-user": "systemctl --user enable bellcord.service", "systemd-system": "systemctl enable bellcord.service",
		"launchd-user": "Library/LaunchAgents/dev.bellcord.bellcord.plist", "launchd-system": "/Library/LaunchDaemons/dev.bellcord.bellcord.plist",
		"windows": `NT AUTHORITY\LocalService`,
	} {
		out, errs, code := n.types("service", "install", "--dry-run", "--target", target)
		if code != 0 || !strings.Contains(out, want) || strings.Contains(out+errs, "sk-secret") {
			t.Errorf("%s: no %q in %s%s, exit code %d", target, want, out, errs, code)
		}
	}
	for _, command := range []string{"start", "stop", "status"} {
		if out, errs, code := n.types("service", command, "--dry-run", "--user"); code != 0 || !strings.Contains(out, "# would be run: systemctl --user ") {
			t.Errorf("%s: %s%s, exit code %d", command, out, errs, code)
		}
	}
	if after := fmt.Sprint(n.files()); before != after {
		t.Errorf("there was\n%s\nthere is\n%s", before, after)
	}
	if _, errs, code := n.types("service", "install", "--target", "windows"); code != exitFailed || !strings.Contains(errs, "--dry-run") {
		t.Errorf("without --dry-run: %s, exit code %d", errs, code)
	}
}

func TestService_UserService_InstallsStartsStopsAndUninstalls(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t, "ANTHROPIC_API_KEY=sk-secret")
	n.env = append(n.env, "XDG_CONFIG_HOME="+filepath.Join(n.home, "conf"), "BELLCORD_DATA="+filepath.Join(n.home, "data"))
	n.managed("running")
	file, keys := filepath.Join(n.home, "conf/systemd/user/bellcord.service"), filepath.Join(n.home, "conf/bellcord/environment")
	if out, _, code := n.types("service", "status", "--user"); code != exitNoService || !strings.Contains(out, "bellcord service install --user") {
		t.Errorf("%s, exit code %d", out, code)
	}
	dry, _, _ := n.types("service", "install", "--user", "--dry-run")
	out, errs, code := n.types("service", "install", "--user")
	if code != 0 {
		t.Fatalf("%s%s, exit code %d", out, errs, code)
	}
	for _, want := range []string{file, keys, "bellcord service start --user", "journalctl --user -u bellcord", "loginctl enable-linger"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(dry, "# would be written: "+file+"\n"+string(text)) || strings.Contains(string(text), "sk-secret") ||
		!strings.Contains(string(text), " serve --data-dir "+filepath.Join(n.home, "data")+"\n") {
		t.Errorf("%v:\n%s\nsaid was\n%s", err, text, dry)
	}
	if got := n.systemctlCalls(); got != "--user is-system-running\n--user daemon-reload\n--user enable bellcord.service\n" {
		t.Errorf("asked was %s", got)
	}
	if _, errs, code := n.types("service", "install", "--user"); code != exitFailed || !strings.Contains(errs, "--force") {
		t.Errorf("a second time: %s, exit code %d", errs, code)
	}
	if _, errs, code := n.types("service", "install", "--user", "--force"); code != 0 {
		t.Errorf("with force: %s, exit code %d", errs, code)
	}
	if again, _ := os.ReadFile(file); string(again) != string(text) {
		t.Errorf("with force it is\n%s", again)
	}
	_ = n.systemctlCalls()
	for _, command := range []string{"start", "stop"} {
		_, errs, code := n.types("service", command, "--user")
		if calls := n.systemctlCalls(); code != 0 || !strings.HasSuffix(calls, "\n--user "+command+" bellcord.service\n") {
			t.Errorf("%s: %s, asked was %s", command, errs, calls)
		}
	}
	if _, errs, code := n.types("service", "uninstall", "--user"); code != 0 || !strings.HasPrefix(n.systemctlCalls(), "--user is-system-running\n--user disable --now bellcord.service\n") {
		t.Errorf("%s, exit code %d", errs, code)
	}
	if config.IsFile(file) || !config.IsFile(keys) {
		t.Error("the unit should be gone and the keys should be there")
	}
	if out, _, code := n.types("service", "uninstall", "--user"); code != 0 || !strings.Contains(out, "no service is installed") {
		t.Errorf("a second time: %s, exit code %d", out, code)
	}
}

func TestService_Status_SetsExitCode(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	n.managed("running")
	if _, errs, code := n.types("service", "install", "--user"); code != 0 {
		t.Fatal(errs)
	}
	answer := func(active string) {
		script := "#!/bin/sh\ncase $2 in is-active) echo " + active + ";; *) echo degraded; exit 1;; esac\n"
		if err := os.WriteFile(filepath.Join(n.home, "bin", "systemctl"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for active, want := range map[string]int{"active": 0, "activating": 0, "inactive": exitNotRunning, "failed": exitNotRunning} {
		answer(active)
		if out, errs, code := n.types("service", "status", "--user"); code != want || !strings.HasPrefix(out, active+"\n") {
			t.Errorf("%s: %s%s, exit code %d", active, out, errs, code)
		}
	}
}

func TestService_NoServiceManager_SuggestsServe(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	for _, installed := range []bool{false, true} {
		if installed {
			n.managed("offline")
		}
		_, errs, code := n.types("service", "install", "--user")
		if code != exitFailed || !strings.Contains(errs, "systemd is not available here") || !strings.Contains(errs, "run bellcord serve in the foreground instead") {
			t.Errorf("%s, exit code %d", errs, code)
		}
	}
	if config.IsFile(filepath.Join(n.home, ".config/systemd/user/bellcord.service")) {
		t.Error("it wrote a unit all the same")
	}
}

func TestServe_EnvFile_IsLoadedOnlyIfPrivate(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	path := filepath.Join(n.home, "environment")
	if err := os.WriteFile(path, []byte("BELLCORD_MODE=nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := n.types("serve", "--env-file", path); code != exitFailed || !strings.Contains(errs, "nonsense") {
		t.Errorf("%s, exit code %d", errs, code)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := n.types("serve", "--env-file", path); code != exitFailed || !strings.Contains(errs, "is open to other users") {
		t.Errorf("%s, exit code %d", errs, code)
	}
}
