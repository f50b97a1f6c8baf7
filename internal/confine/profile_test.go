package confine

import (
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
	for name, test := range map[string]struct {
		command Command
		hide    []string
		write   []string
		network sandbox.Network
	}{
		"command after approval":   {Command{Kind: Shell, Dirs: []string{"/w"}}, []string{"/data", "/home/a/.ssh"}, []string{"/home/a/.cache", "/w"}, sandbox.Proxy},
		"command in mode full":     {Command{Kind: Shell, Full: true, Dirs: []string{"/w", "/v"}}, []string{"/data", "/home/a/.ssh"}, []string{"/home/a/.cache", "/w", "/v"}, sandbox.On},
		"MCP server":               {Command{Command: proc.Command{Dir: "/tmp/s"}, Kind: Server}, []string{"/data"}, []string{"/", "/tmp/s"}, sandbox.On},
		"MCP server, started here": {Command{Kind: Server}, []string{"/data"}, []string{"/", here}, sandbox.On},
		"hosted agent":             {Command{Kind: Agent, Home: "/home/a", Dirs: []string{"/w"}}, []string{"/data"}, []string{"/home/a", "/home/a/.cache", "/w"}, sandbox.On},
		"hosted agent, read-write": {Command{Kind: Agent, Full: true, Home: "/home/b", Dirs: []string{"/w"}}, []string{"/data"}, []string{"/home/b", "/home/a/.cache", "/w"}, sandbox.On},
	} {
		got := p.profile(test.command)
		if !slices.Equal(got.Hide, test.hide) || !slices.Equal(got.Write, test.write) || got.Network != test.network {
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
