package tool_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

func TestFileTools_PathInAdditionalDirectory_IsAcceptedAndReportedAbsolute(t *testing.T) {
	t.Parallel()
	work, other := lay(t, files{"a.txt": "one\n"}), lay(t, files{"sub/b.txt": "two\n", "in": "->sub"})
	b := filepath.Join(other, "sub", "b.txt")
	for _, test := range []struct {
		name string
		of   tool.Tool
		args fields
		want string
	}{
		{"reads", tool.ReadFile(), fields{"path": b}, "1→two\n"},
		{"reads through a link that stays inside", tool.ReadFile(), fields{"path": filepath.Join(other, "in", "b.txt")}, "1→two\n"},
		{"searches", tool.Grep(), fields{"path": other, "pattern": "two"}, filepath.ToSlash(b) + ":1:two\n"},
		{"finds", tool.Glob(), fields{"path": other, "pattern": "**/*.txt"}, filepath.ToSlash(b) + "\n"},
		{"lists", tool.ListDir(), fields{"path": filepath.Join(other, "sub")}, "b.txt\t4\n"},
		{"edits", tool.EditFile(), fields{"path": b, "old": "two", "new": "three"}, "edited " + filepath.ToSlash(b) + " (1 place)\n@@ line 1 @@\n-two\n+1→three\n"},
		{"writes", tool.WriteFile(), fields{"path": filepath.Join(other, "new", "c.txt"), "content": "four"}, "created " + filepath.ToSlash(filepath.Join(other, "new", "c.txt")) + " (4 bytes)"},
		{"still reads relative paths in the working directory", tool.ReadFile(), fields{"path": "a.txt"}, "1→one\n"},
	} {
		result := use(t, t.Context(), test.of, work, test.args, t.TempDir(), other)
		if result.Failed || !strings.HasPrefix(result.Text, test.want) {
			t.Errorf("%s: %+v, want %q", test.name, result, test.want)
		}
	}
	if got := content(t, other, "sub", "b.txt") + content(t, other, "new", "c.txt"); got != "three\nfour" {
		t.Errorf("the files contain %q", got)
	}
}

func TestFileTools_PathOutsideAdditionalDirectory_IsRefused(t *testing.T) {
	t.Parallel()
	for name, ask := range everyFileTool() {
		for _, path := range []string{
			"OTHER/../elsewhere/key.txt", "OTHER2/key.txt", "TOP/elsewhere/key.txt", "OTHER/key", "OTHER/out/key.txt", "OTHER/out/fresh/new.txt",
			"OTHER/sub/twice/key.txt", "OTHER/above/elsewhere/key.txt", "OTHER/system/etc/hostname",
			"link/key.txt", "../elsewhere/key.txt", // in the working directory
		} {
			other := lay(t, files{
				"sub/a.txt": "a\n", "key": "->TOP/elsewhere/key.txt", "out": "->../elsewhere", "sub/twice": "->../out", "above": "->..", "system": "->/",
			})
			top := filepath.Dir(other)
			put(t, other+"2/key.txt", "secret\n")
			work := lay(t, files{"link": "->" + other})
			before := everything(t, top)
			of, args := ask(strings.NewReplacer("OTHER", other, "TOP", top).Replace(path))
			result := use(t, t.Context(), of, work, args, other)
			if !result.Failed || result.Fate != bellcord.CallFinished || strings.Contains(result.Text, "secret") {
				t.Errorf("%s %s: %+v", name, path, result)
			}
			if now := everything(t, top); now != before || content(t, top, "elsewhere", "key.txt") != "secret\n" {
				t.Errorf("%s %s: now there is %s, before there was %s", name, path, now, before)
			}
		}
	}
}

func TestPermission_PathInAdditionalDirectory_FollowsTheRules(t *testing.T) {
	t.Parallel()
	work, other := lay(t, nil), lay(t, files{"docs/a.md": "", "secrets/k": "", "l": "->secrets", ".envrc": ""})
	slash := filepath.ToSlash(other)
	policy, err := permit.NewPolicy([]string{"write_file(docs/*)", "write_file(" + slash + "/free/*)"}, []string{"write_file(secrets/*)", "write_file(" + slash + "/never)"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		mode permit.Mode
		path string
		want permit.Verdict
	}{
		{permit.Ask, "docs/a.md", permit.Put}, // the rule is about the working directory
		{permit.Ask, "free/a.md", permit.Allow},
		{permit.Full, "secrets/k", permit.Deny}, // a rule that denies is not
		{permit.Full, "l/k", permit.Deny},
		{permit.Full, "never", permit.Deny},
		{permit.ReadOnly, "docs/a.md", permit.Deny},
		{permit.AutoEdit, "docs/a.md", permit.Allow},
		{permit.AutoEdit, ".envrc", permit.Put},
	} {
		args, err := json.Marshal(fields{"path": filepath.Join(other, c.path), "content": "x"})
		if err != nil {
			t.Fatal(err)
		}
		if d := policy.Decide(permit.Session{}, c.mode, tool.WriteFile().Permission(work, args, other)); d.Verdict != c.want {
			t.Errorf("%s in mode %s: %+v, want %s", c.path, c.mode, d, c.want)
		}
	}
}

func TestPrivate_PathsInAdditionalDirectory_AreRefused(t *testing.T) {
	t.Parallel()
	work, home := lay(t, nil), lay(t, files{"config.toml": "secret\n", "data/store": "secret\n"})
	private := workspace.Private{Paths: []string{filepath.Join(home, "config.toml"), filepath.Join(home, "data")}}
	for _, c := range []struct{ additional, path string }{
		{home, "config.toml"}, {home, "data/store"}, {filepath.Join(home, "data"), "data/store"},
	} {
		of := tool.KeepOut(private, []tool.Tool{tool.ReadFile()})[0]
		args := fields{"path": filepath.Join(home, c.path)}
		text, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		if asked := of.Permission(work, text, c.additional); asked.Forbidden == "" {
			t.Errorf("%+v: the policy is not told: %+v", c, asked)
		}
		if result := use(t, t.Context(), of, work, args, c.additional); !result.Failed || strings.Contains(result.Text, "secret") {
			t.Errorf("%+v: %+v", c, result)
		}
	}
}

func TestEditorTools_PathInAdditionalDirectory_GoesToTheEditor(t *testing.T) {
	t.Parallel()
	work, other := lay(t, nil), lay(t, files{"a.txt": "", "out": "->../elsewhere"})
	var asked []string
	editor := tool.EditorTools{Read: func(_ context.Context, path string, _, _ int) (string, error) {
		asked = append(asked, path)
		return "unsaved", nil
	}}
	read := editor.Tools([]tool.Tool{tool.ReadFile()})[0]
	if result := use(t, t.Context(), read, work, fields{"path": filepath.Join(other, "a.txt")}, other); result.Text != "1→unsaved\n" {
		t.Errorf("%+v", result)
	}
	if result := use(t, t.Context(), read, work, fields{"path": filepath.Join(other, "out", "key.txt")}, other); !result.Failed {
		t.Errorf("the link was followed: %+v", result)
	}
	if len(asked) != 1 || asked[0] != filepath.Join(other, "a.txt") {
		t.Errorf("the editor was asked for %v", asked)
	}
}

func TestPreviewed_PathInAdditionalDirectory_HasTheChange(t *testing.T) {
	t.Parallel()
	work, other := lay(t, nil), lay(t, files{"a.txt": "old"})
	path := filepath.Join(other, "a.txt")
	changes := tool.WriteFile().Previewed(t.Context(), work, json.RawMessage(`{"path":`+quoted(path)+`,"content":"new"}`), other)
	if len(changes) != 1 || changes[0].Path != path || changes[0].Old == nil || *changes[0].Old != "old" || changes[0].New != "new" {
		t.Errorf("%+v", changes)
	}
}
