package app

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/internal/tool/mcp"
	"github.com/bellcord/bellcord/proc"
)

func TestConfinement_MCPServersAndHostedAgents_CannotSeeBellcordsFiles(t *testing.T) {
	t.Parallel()
	for _, level := range []string{config.SandboxBubblewrap, config.SandboxNamespaces, config.SandboxLandlock} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			data, home, work := t.TempDir(), homeDir(t), t.TempDir()
			for path, text := range map[string]string{filepath.Join(data, "token"): "SECRET", filepath.Join(home, "settings"): "OWN"} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c := config.Defaults()
			c.DataDir, c.Sandbox.Mode, c.Sandbox.Level = data, config.SandboxRequire, level
			keeper, err := proc.Open("", proc.Options{AdoptOrphans: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = keeper.Close() })
			policy := newConfinement(Config{Settings: c, Logger: slog.New(slog.DiscardHandler)}, keeper, privateFiles(c, nil).Paths)
			script := []string{"/bin/sh", "-c", "cat " + data + "/token; cat " + home + "/settings; echo x > " + home + "/new && echo WRITTEN; echo END"}

			server, err := spawner(policy, &secret.Set{}, "")(mcp.Server{Name: "files", Command: script, Dir: work})
			if err != nil {
				t.Fatal(err)
			}
			expectHidden(t, "MCP server", server.Stdout)
			starter := agentStarter{policy: policy, home: home}
			additional := t.TempDir()
			script[2] = "echo x > " + additional + "/new || exit; " + script[2]
			agent, err := starter.Start(proc.Command{Args: script, Dir: work}, []string{work, additional})
			if err != nil {
				t.Fatal(err)
			}
			expectHidden(t, "hosted agent", agent.Stdout)
			if d := starter.describe(); d == nil || len(d.Gaps) == 0 {
				t.Errorf("the receipt of the agent's turns has %+v", d)
			}
		})
	}
}

// The sandbox of codex needs user namespaces, which it cannot create at Landlock or
// inside another sandbox of root.
func TestHostedAgent_CannotStartItsOwnSandbox_IsStartedWithoutIt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		level, mode string
		uid         int
		outside     bool
		want        string
	}{
		{level: config.SandboxLandlock, uid: 1000, want: "agent-full-access"},
		{level: config.SandboxBubblewrap, uid: 0, want: "agent-full-access"},
		{level: config.SandboxBubblewrap, uid: 0, mode: "read-only", want: "read-only"},
		{level: config.SandboxBubblewrap, uid: 1000},
		{level: config.SandboxLandlock, outside: true},
	}
	for _, test := range tests {
		c := config.Defaults()
		c.DataDir, c.Sandbox.Mode, c.Sandbox.Level = t.TempDir(), config.SandboxRequire, test.level
		own := config.Agent{Command: []string{"codex-acp"}}
		if test.mode != "" {
			own.Env = map[string]string{"INITIAL_AGENT_MODE": test.mode}
		}
		c.Agents = map[string]config.Agent{"codex": own}
		starter := agentStarter{policy: newConfinement(Config{Settings: c, Logger: slog.New(slog.DiscardHandler)}, nil, nil), outside: test.outside}
		d, err := AgentDefinition(c, "codex")
		if err != nil {
			t.Fatal(err)
		}
		if starter.excludesOthers(test.uid) {
			d = inSandbox(d)
		}
		if got := d.Env["INITIAL_AGENT_MODE"]; got != test.want {
			t.Errorf("%+v: started with %q", test, got)
		}
	}
}

// homeDir returns a new directory outside of /tmp, which is another one in the
// sandbox.
func homeDir(t *testing.T) string {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(home, ".bellcord-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// expectHidden reads the output of the script: the token is hidden, and the home
// directory can be read and written.
func expectHidden(t *testing.T, name string, from io.Reader) {
	t.Helper()
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	if out := string(text); strings.Contains(out, "SECRET") || !strings.Contains(out, "OWN") || !strings.Contains(out, "WRITTEN") || !strings.Contains(out, "END") {
		t.Errorf("%s: %q", name, out)
	}
}

// agentCredentials are the files in which the built-in agents keep their logins.
var agentCredentials = map[string]string{
	"pi": ".pi/agent/auth.json", "claude": ".claude/.credentials.json", "codex": ".codex/auth.json", "gemini": ".gemini/oauth_creds.json", "goose": ".config/goose/config.yaml",
	"opencode": ".local/share/opencode/auth.json", "qwen": ".qwen/oauth_creds.json", "kimi": ".kimi-code/config.toml",
}

func TestConfinement_HostedAgent_ReadsItsOwnCredentialsAndCommandsDoNot(t *testing.T) {
	home := homeDir(t)
	t.Setenv("HOME", home)
	work := filepath.Join(home, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, level := range []string{config.SandboxBubblewrap, config.SandboxNamespaces, config.SandboxLandlock} {
		for _, visible := range []string{config.HomeVisible, config.HomeHidden} {
			c := config.Defaults()
			c.DataDir, c.Sandbox.Mode, c.Sandbox.Level, c.Sandbox.Home = t.TempDir(), config.SandboxRequire, level, visible
			keeper, err := proc.Open("", proc.Options{AdoptOrphans: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = keeper.Close() })
			policy := newConfinement(Config{Settings: c, Logger: slog.New(slog.DiscardHandler)}, keeper, privateFiles(c, nil).Paths)
			for _, d := range preset.All() {
				file := filepath.Join(home, agentCredentials[d.Name])
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("SECRET\n"), 0o600)); err != nil {
					t.Fatalf("%s: %v", d.Name, err)
				}
				command := proc.Command{Args: []string{"/bin/cat", file}, Dir: work}
				agent, err := agentStarter{policy: policy}.Start(command, []string{work})
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(agent.Stdout)
				if err != nil || string(text) != "SECRET\n" {
					t.Errorf("%s, home %s: %s reads %q, %v", level, visible, d.Name, text, err)
				}
				var out bytes.Buffer
				command.Output = func(b []byte) { out.Write(b) }
				_, err = policy.Run(t.Context(), confine.Command{Command: command, Kind: confine.Shell, Dirs: []string{work}}, nil)
				if err != nil || strings.Contains(out.String(), "SECRET") {
					t.Errorf("%s, home %s: a command reads the credentials of %s: %q, %v", level, visible, d.Name, out.String(), err)
				}
			}
		}
	}
}
