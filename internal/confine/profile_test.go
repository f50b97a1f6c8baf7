package confine

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/proc"
)

func TestProfile_EveryKindAndMode_IsAsInTheDocumentedTable(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	p := &Policy{Hide: []string{"/data"}, Secrets: []string{"/home/a/.ssh"}, Write: []string{"/home/a/.cache"}, Network: sandbox.Proxy}
	home := t.TempDir()
	hide, secrets, cache := []string{"/data"}, []string{"/data", "/home/a/.ssh"}, []string{"/home/a/.cache"}
	for name, test := range map[string]struct {
		command          Command
		hide, own, write []string
		network          sandbox.Network
	}{
		"command after approval":   {Command{Kind: Shell, Dirs: []string{"/w"}}, secrets, []string{"/w"}, cache, sandbox.Proxy},
		"command in mode full":     {Command{Kind: Shell, Full: true, Dirs: []string{"/w", "/v"}}, secrets, []string{"/w", "/v"}, cache, sandbox.On},
		"MCP server":               {Command{Command: proc.Command{Dir: "/tmp/s"}, Kind: Server}, hide, nil, []string{"/", "/tmp/s"}, sandbox.On},
		"MCP server, started here": {Command{Kind: Server}, hide, nil, []string{"/", here}, sandbox.On},
		"hosted agent":             {Command{Kind: Agent, Home: home, Dirs: []string{"/w"}}, hide, []string{home, "/w"}, cache, sandbox.On},
		"hosted agent, read-write": {Command{Kind: Agent, Full: true, Home: home, Dirs: []string{"/w"}}, hide, []string{home, "/w"}, cache, sandbox.On},
	} {
		got := p.profile(test.command)
		same := slices.Equal(got.Hide, test.hide) && slices.Equal(got.Own, test.own) && slices.Equal(got.Write, test.write)
		if !same || got.Network != test.network {
			t.Errorf("%s: %+v", name, got)
		}
	}
	p.Network = sandbox.Off
	if got := p.profile(Command{Kind: Shell, Full: true}); got.Network != sandbox.Off {
		t.Errorf("mode full without a network in the settings: %s", got.Network)
	}
	if len(p.Hide) != 1 || len(p.Write) != 1 {
		t.Errorf("the policy was changed: %+v", p)
	}
}

func TestProfile_DirectoryIsARepository_ConfigurationAndHooksAreReadOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{".git/hooks", ".git/objects", ".git/refs"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".git/config", ".git/HEAD"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := (&Policy{}).profile(Command{Kind: Shell, Dirs: []string{dir}})
	for _, name := range []string{".git/config", ".git/hooks"} {
		if !slices.Contains(got.ReadOnly, filepath.Join(dir, name)) {
			t.Errorf("%s is not read-only: %v", name, got.ReadOnly)
		}
	}
}

func TestProfile_LinkOfAHiddenPathIsRemoved_ItsTargetStaysHidden(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(home+"/dotfiles/gh", 0o700), os.Symlink("dotfiles", home+"/.config")); err != nil {
		t.Fatal(err)
	}
	p := &Policy{Home: home, Hide: []string{home + "/.config/bellcord"}, Secrets: []string{home + "/.config/gh", home + "/.ssh"}}
	want := []string{home + "/.config/bellcord", home + "/dotfiles/bellcord", home + "/.config/gh", home + "/dotfiles/gh", home + "/.ssh"}
	for _, when := range []string{"before", "after"} {
		if got := p.profile(Command{Kind: Shell, Dirs: []string{home}}).Hide; !slices.Equal(got, want) {
			t.Errorf("%s the link is removed: hidden %q, want %q", when, got, want)
		}
		_ = os.Remove(home + "/.config") // by a command in the background
	}
}

func TestCaches_EnvironmentNamesOthers_ContainThem(t *testing.T) {
	t.Setenv("GOCACHE", "/build")
	t.Setenv("GOPATH", "/one:/two")
	t.Setenv("PIP_CACHE_DIR", "relative")
	all := Caches("/home/a")
	for _, want := range []string{"/home/a/.cache", "/build", "/one/pkg", "/two/pkg"} {
		if !slices.Contains(all, want) {
			t.Errorf("%s is missing: %v", want, all)
		}
	}
	if slices.Contains(all, "relative") {
		t.Errorf("a relative path: %v", all)
	}
}

func TestProfile_ArgumentIsAPath_IsShownUnlessTheModelChoseIt(t *testing.T) {
	t.Parallel()
	args := []string{"/bin/sh", "/tmp/package/server"}
	for kind, want := range map[Kind][]string{Shell: nil, Server: args, Agent: args} {
		if got := (&Policy{}).profile(Command{Command: proc.Command{Args: args}, Kind: kind}).Show; !slices.Equal(got, want) {
			t.Errorf("kind %d: %q, want %q", kind, got, want)
		}
	}
}

func TestConfines_ModeAndSettings_DecideWithoutACommand(t *testing.T) {
	t.Parallel()
	open := func(mode sandbox.Mode) func() (*sandbox.Box, error) {
		return func() (*sandbox.Box, error) { return sandbox.Open(t.Context(), mode, sandbox.Options{}) }
	}
	for name, of := range map[string]struct {
		policy *Policy
		want   bool
	}{
		"none is configured": {&Policy{}, false},
		"no policy":          {nil, false},
		"switched off":       {&Policy{Open: open(sandbox.Disabled)}, false},
		"automatic":          {&Policy{Open: open(sandbox.Auto)}, runtime.GOOS == "linux"}, // the tests need one
	} {
		if got := of.policy.Confines(); got != of.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The session's directories are visible inside what is hidden, so none may be one of
// Bellcord's own.
func TestAllows_DirectoryOfBellcord_IsRefusedUnlessItIsAWorkspace(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, dir := range []string{"real/data/workspaces/one", "real/data/tmp", "config", "project"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"data": "real/data", "shortcut": "real/data/tmp"} {
		if err := os.Symlink(target, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	p := &Policy{Hide: []string{base + "/data", base + "/config", base + "/missing"}, Workspaces: base + "/data/workspaces"}
	for dir, allowed := range map[string]bool{
		"/project": true, "": true, "/data/workspaces/one": true, "/real/data/workspaces/one": true, "/gone": true,
		"/real/data/workspaces": false, "/data": false, "/real/data": false, "/data/tmp": false, "/shortcut": false, "/config": false,
	} {
		if err := p.allows([]string{base + "/project", base + dir}); (err == nil) != allowed {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
