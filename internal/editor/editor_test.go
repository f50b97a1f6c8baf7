package editor_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/editor"
)

var command = []string{"/opt/bellcord", "acp"}

func homeOf(t *testing.T) editor.Home {
	t.Helper()
	dir := t.TempDir()
	return editor.Home{Dir: dir, Config: filepath.Join(dir, ".config"), Roaming: filepath.Join(dir, "AppData")}
}

func named(t *testing.T, name string) editor.Editor {
	t.Helper()
	e, err := editor.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// write creates the settings file, calls Write, and returns the file's new
// content.
func write(t *testing.T, name, before string) (after string, done editor.Written) {
	t.Helper()
	home, e := homeOf(t), named(t, name)
	path := e.Place(home)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(before), 0o640); err != nil {
		t.Fatal(err)
	}
	done, err := e.Write(home, command)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := e.Write(home, command); err != nil || again.Changed {
		t.Errorf("a second time changes the file: %v", err)
	}
	if info, _ := os.Stat(path); runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is now %v", info.Mode())
	}
	return string(text), done
}

const entry = `{
      "args": [
        "acp"
      ],
      "command": "/opt/bellcord",
      "type": "custom"
    }`

func TestWrite_ExistingSettings_OnlyAddsTheEntry(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after string }{
		"settings with comments and a last comma": {
			"// mine\n{ // top\n  \"theme\": \"One \\\"Dark\\\" // no comment\", /* { */\n  \"list\": [1, {\"a\": null},],\n}\n",
			"// mine\n{\n  \"agent_servers\": {\n    \"Bellcord\": " + entry + "\n  }, // top\n  \"theme\": \"One \\\"Dark\\\" // no comment\", /* { */\n  \"list\": [1, {\"a\": null},],\n}\n",
		},
		"another agent is there": {
			"{\n  \"agent_servers\": {\n    // goose\n    \"Goose\": {\"command\": \"goose\"}\n  }\n}",
			"{\n  \"agent_servers\": {\n    \"Bellcord\": " + entry + ",\n    // goose\n    \"Goose\": {\"command\": \"goose\"}\n  }\n}",
		},
		"an older entry of ours": {
			"{\"agent_servers\": {\"Bellcord\": {\"command\": \"/old\"}, \"x\": {}}}",
			"{\"agent_servers\": {\"Bellcord\": " + entry + ", \"x\": {}}}",
		},
		"an empty object": {"{}", "{\n  \"agent_servers\": {\n    \"Bellcord\": " + entry + "\n  }\n}"},
		"an empty file":   {"\n", "{\n  \"agent_servers\": {\n    \"Bellcord\": " + entry + "\n  }\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, done := write(t, "zed", c.before)
			if after != c.after {
				t.Errorf("the file is now\n%s\nand should be\n%s", after, c.after)
			}
			if kept, err := os.ReadFile(done.Backup); err != nil || string(kept) != c.before {
				t.Errorf("the old file is kept as %q, %v", kept, err)
			}
		})
	}
}

func TestWrite_InvalidSettings_LeavesTheFileUnchanged(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"[]", "{\"a\": ", "{\"a\" 1}", "{a: 1}", "{\"agent_servers\": []}", "{\"a\": tru}", "/* no end", "{\"a\": \"no end", "{\"a\": 1 \"b\": 2}"} {
		home, e := homeOf(t), named(t, "jetbrains")
		path := e.Place(home)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Write(home, command); err == nil || !strings.Contains(err.Error(), "was not changed") {
			t.Errorf("%q: %v", before, err)
		}
		if text, _ := os.ReadFile(path); string(text) != before {
			t.Errorf("%q became %q", before, text)
		}
	}
}

func TestWrite_MissingFileOrSymlink_CreatesTheFileAndKeepsTheLink(t *testing.T) {
	t.Parallel()
	home, e := homeOf(t), named(t, "jetbrains")
	done, err := e.Write(home, command)
	if err != nil || !done.Changed || done.Backup != "" {
		t.Fatalf("%+v, %v", done, err)
	}
	if text, _ := os.ReadFile(done.Path); string(text) != e.Snippet(command) {
		t.Errorf("the file is %s", text)
	}
	elsewhere := filepath.Join(t.TempDir(), "acp.json")
	if err := errors.Join(os.WriteFile(elsewhere, []byte("{}"), 0o600), os.Remove(done.Path)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, done.Path); err != nil {
		t.Skip("no links here:", err)
	}
	if _, err := e.Write(home, command); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Lstat(done.Path); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if text, _ := os.ReadFile(elsewhere); !strings.Contains(string(text), "/opt/bellcord") {
		t.Errorf("behind the link is %s", text)
	}
}

func TestWrite_EditorConfiguredInCode_ReturnsErrByHand(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"emacs", "neovim", "avante"} {
		e := named(t, name)
		if _, err := e.Write(homeOf(t), command); !errors.Is(err, editor.ErrByHand) {
			t.Errorf("%s: %v", name, err)
		}
		if text := e.Snippet(command); !strings.Contains(text, `"/opt/bellcord"`) || !strings.Contains(text, `"acp"`) {
			t.Errorf("%s: %s", name, text)
		}
	}
	if text := named(t, "obsidian").Snippet([]string{"/opt/bellcord", "acp", "--agent", "goose"}); !strings.Contains(text, "Path: /opt/bellcord\n") || !strings.HasSuffix(text, "acp\n--agent\ngoose\n") {
		t.Errorf("obsidian: %s", text)
	}
	if _, err := editor.Named("ed"); err == nil || !strings.Contains(err.Error(), `unknown editor "ed": use one of zed, jetbrains, emacs, neovim, avante, obsidian`) {
		t.Error(err)
	}
}
