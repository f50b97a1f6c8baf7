//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// linesFile writes a file with the lines "line 1" to "line 20".
func linesFile(t *testing.T, path string) {
	t.Helper()
	text := ""
	for i := range 20 {
		text += "line " + string(rune('a'+i)) + "\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestChat_Edit_ShowsItsDiffOnceWithLineNumbers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	linesFile(t, filepath.Join(w.dir, "list.txt"))
	c := w.chats()
	c.enters(`[tool edit_file {"path":"list.txt","old":"line k","new":"line K"}]`)
	c.sees("? Edit list.txt?")
	c.sees("   8   line h\n")
	c.sees("  11 − line k\n")
	c.sees("  11 + line K\n")
	c.sees("  14   line n\n")
	c.answers("y")
	c.sees("✓ edit_file list.txt · +1 −1")
	c.sees("● done")
	if shown := c.tmux("capture-pane", "-p", "-J"); strings.Count(shown, "11 + line K") != 1 || strings.Contains(shown, "│") {
		t.Errorf("the diff is not shown once:\n%s", shown)
	}
}

func TestChat_ApplyPatchWithoutQuestion_ShowsItsDiff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	linesFile(t, filepath.Join(w.dir, "list.txt"))
	c := w.chats("--mode full")
	c.enters(`[tool apply_patch {"patch":"*** Begin Patch\n*** Add File: new.txt\n+one\n*** Update File: list.txt\n@@\n line k\n-line l\n+line L\n line m\n*** End Patch"}]`)
	c.sees("● done")
	c.sees("  new.txt · +1 −0\n  1 + one\n")
	c.sees("  list.txt · +1 −1\n")
	c.sees("  12 − line l\n  12 + line L\n")
}

func TestChat_PlainEdit_ShowsTheDiffInTheQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	linesFile(t, filepath.Join(w.dir, "list.txt"))
	c := w.chats("--plain")
	c.enters(`[tool edit_file {"path":"list.txt","old":"line k","new":"line K"}]`)
	c.sees("? Edit list.txt?")
	c.sees("  11 − line k\n  11 + line K\n")
	c.sees("then Enter")
	c.enters("y")
	c.sees("● done")
}
