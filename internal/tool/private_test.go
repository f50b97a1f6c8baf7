package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// home returns a directory that contains Bellcord's data and configuration, and
// links to them.
func home(t *testing.T) (dir string, private workspace.Private) {
	t.Helper()
	dir = t.TempDir()
	data, config := filepath.Join(dir, ".local", "share", "bellcord"), filepath.Join(dir, ".config", "bellcord")
	for _, d := range []string{filepath.Join(data, "workspaces", "one"), filepath.Join(dir, ".config"), filepath.Join(dir, "project")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeFileAt(t, filepath.Join(data, "token"), "secret-token")
	writeFileAt(t, filepath.Join(dir, "project", "own.toml"), "secret-token")
	for name, target := range map[string]string{"to-data": ".local/share/bellcord", "to-share": ".local/share", "to-token": ".local/share/bellcord/token"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("no links here:", err)
		}
	}
	return dir, workspace.Private{Paths: []string{data, config, filepath.Join(dir, "project", "own.toml")}, Workspaces: filepath.Join(data, "workspaces")}
}

func writeFileAt(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func decideAndRun(t *testing.T, dir string, of tool.Tool, args map[string]any) (permit.Call, tool.Result) {
	t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return of.Permission(dir, text), of.Run(context.Background(), tool.Call{Dir: dir, Args: text, Output: func(string) {}})
}

func TestPrivate_FileTools_NeverAccessBellcordFiles(t *testing.T) {
	t.Parallel()
	dir, private := home(t)
	tools := map[string]tool.Tool{}
	for _, of := range tool.KeepOut(private, []tool.Tool{tool.ReadFile(), tool.WriteFile(), tool.EditFile(), tool.ListDir(), tool.Glob(), tool.Grep()}) {
		tools[of.Name] = of
	}
	policy, err := permit.NewPolicy([]string{"*"}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		more       map[string]any
	}{
		{"read_file", ".local/share/bellcord/token", nil},
		{"read_file", "to-data/token", nil},
		{"read_file", "to-share/bellcord/token", nil},
		{"read_file", "to-token", nil},
		{"read_file", "project/own.toml", nil},
		{"read_file", "project/../to-data/token", nil},
		{"write_file", ".local/share/bellcord/allowed.json", map[string]any{"content": "x"}},
		{"write_file", ".config/bellcord/config.toml", map[string]any{"content": "x"}}, // does not exist yet
		{"write_file", ".config/Bellcord/config.toml", map[string]any{"content": "x"}},
		{"write_file", "to-data/workspaces/one/x", map[string]any{"content": "x"}},
		{"write_file", "project/own.toml", map[string]any{"content": "x"}},
		{"edit_file", "to-token", map[string]any{"old": "secret", "new": "x"}},
		{"list_dir", "to-data", nil},
		{"glob", "to-data", map[string]any{"pattern": "*"}},
		{"grep", "to-data", map[string]any{"pattern": "secret"}},
		{"grep", "project/own.toml", map[string]any{"pattern": "secret"}},
	} {
		args := map[string]any{"path": c.path}
		for key, value := range c.more {
			args[key] = value
		}
		call, result := decideAndRun(t, dir, tools[c.name], args)
		if !result.Failed || !strings.Contains(result.Text, "belongs to Bellcord") {
			t.Errorf("%s %s: %q", c.name, c.path, result.Text)
		}
		for _, mode := range permit.Modes {
			if d := policy.Decide(permit.Session{}, mode, call); d.Verdict != permit.Deny {
				t.Errorf("%s %s in mode %s: %s, want it denied", c.name, c.path, mode, d.Verdict)
			}
		}
	}
	// A walk that starts above skips private files.
	for _, name := range []string{"grep", "glob"} {
		pattern := map[string]string{"grep": "secret-token", "glob": "**/token"}[name]
		if _, result := decideAndRun(t, dir, tools[name], map[string]any{"pattern": pattern}); strings.Contains(result.Text, "secret-token") || strings.Contains(result.Text, "bellcord/token\n") {
			t.Errorf("%s found %q", name, result.Text)
		}
	}
	if left, err := os.ReadFile(filepath.Join(dir, ".local", "share", "bellcord", "token")); err != nil || string(left) != "secret-token" {
		t.Errorf("the token is %q, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".config", "bellcord")); err == nil {
		t.Error("the directory of the configuration was made")
	}
}

func TestPrivate_SessionInsideDataDirectory_WorksOnlyInWorkspace(t *testing.T) {
	t.Parallel()
	dir, private := home(t)
	write := tool.KeepOut(private, []tool.Tool{tool.WriteFile()})[0]
	data := filepath.Join(dir, ".local", "share", "bellcord")
	args := map[string]any{"path": "x", "content": "y"}
	if call, result := decideAndRun(t, filepath.Join(data, "workspaces", "one"), write, args); result.Failed || call.Forbidden != "" {
		t.Errorf("in a workspace: %q, %q", result.Text, call.Forbidden)
	}
	for _, at := range []string{data, filepath.Join(data, "workspaces"), filepath.Join(dir, "to-data")} {
		if call, result := decideAndRun(t, at, write, args); !result.Failed || call.Forbidden == "" {
			t.Errorf("in %s: %q, %q", at, result.Text, call.Forbidden)
		}
	}
}

func TestPermission_AutoEdit_RequiresApprovalForFilesThatRunOrSteer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, d := range []string{".git/hooks", "docs", "src"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeFileAt(t, filepath.Join(dir, "script"), "#!/bin/sh\n")
	writeFileAt(t, filepath.Join(dir, "tool"), "x")
	if err := os.Chmod(filepath.Join(dir, "tool"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../.git", filepath.Join(dir, "docs", "l")); err != nil {
		t.Skip("no links here:", err)
	}
	policy, err := permit.NewPolicy(nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	decide := func(path string) permit.Decision {
		call, err := json.Marshal(map[string]any{"path": path, "content": "x"})
		if err != nil {
			t.Fatal(err)
		}
		return policy.Decide(permit.Session{}, permit.AutoEdit, tool.WriteFile().Permission(dir, call))
	}
	asked := []string{
		".git/config", ".git/hooks/post-checkout", ".GIT/config", "docs/l/config", "docs/l/new/x", "sub/.git/config", ".g\u200cit/config", "\u200c.git/config", "git~1/config",
		".github/workflows/a.yml", ".gitlab-ci.yml", ".circleci/config.yml", ".vscode/tasks.json", ".idea/x", ".zed/tasks.json", ".envrc", ".env", ".bashrc", ".config/fish/config.fish",
		"AGENTS.md", "agents.md", "sub/CLAUDE.md", "GEMINI.md", "Jenkinsfile", "githooks/x", "hooks/pre-commit", ".husky/pre-commit", "script", ".gitattributes",
		"opencode.json", "crush.json", "lefthook.yml", "my.code-workspace", "devcontainer.json", "skills/x/SKILL.md", "Makefile", "package.json", "gradlew",
	}
	if runtime.GOOS != "windows" {
		asked = append(asked, "tool")
	}
	for _, path := range asked {
		if d := decide(path); d.Verdict != permit.Put || d.Why == "" {
			t.Errorf("%q: %+v, want a question with a reason", path, d)
		}
	}
	for _, path := range []string{"main.go", "src/hooks/useThing.ts", "docs/a.md", "setup.py", ".gitignore", "sub/.editorconfig", "new/dir/file.txt"} {
		if d := decide(path); d.Verdict != permit.Allow {
			t.Errorf("%q: %+v, want it allowed", path, d)
		}
	}
}

func TestPermission_PathThroughLink_IsDecidedByTarget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "docs"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(dir, "docs", "l")); err != nil {
		t.Skip("no links here:", err)
	}
	policy, err := permit.NewPolicy([]string{"write_file(docs/*)"}, []string{"write_file(.git/*)", "read_file(secret)", "read_file(docs/l/*)"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		of   tool.Tool
		path string
		want permit.Verdict
	}{
		{tool.WriteFile(), "docs/a.md", permit.Allow},
		{tool.WriteFile(), "docs/l/Makefile", permit.Put},
		{tool.WriteFile(), "docs/l/docs/a.md", permit.Allow},
		{tool.WriteFile(), "docs/l/.git/hooks/post-checkout", permit.Deny},
		{tool.ReadFile(), "docs/l/docs/x", permit.Deny}, // denied as written
		{tool.ReadFile(), "docs/../secret", permit.Deny},
		{tool.ReadFile(), "other", permit.Allow},
	} {
		args, err := json.Marshal(map[string]any{"path": c.path, "content": "x"})
		if err != nil {
			t.Fatal(err)
		}
		if d := policy.Decide(permit.Session{}, permit.Ask, c.of.Permission(dir, args)); d.Verdict != c.want {
			t.Errorf("%s %s: %s, want %s", c.of.Name, c.path, d.Verdict, c.want)
		}
	}
}
