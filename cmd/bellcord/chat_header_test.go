//go:build unix

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestPlaceIn_Directory_HasTildeAndBranch(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("shop/.git/HEAD", "ref: refs/heads/feature/x\n")
	write("shop/cart/a", "")
	write("tree/.git", "gitdir: ../shop/.git/worktrees/tree\n")
	write("shop/.git/worktrees/tree/HEAD", "ref: refs/heads/other\n")
	write("detached/.git/HEAD", "0123456789012345678901234567890123456789\n")
	write("none/a", "")
	for dir, want := range map[string]string{
		"shop": "~/shop (feature/x)", "shop/cart": "~/shop/cart (feature/x)", "tree": "~/tree (other)",
		"detached": "~/detached", "none": "~/none", "": "~",
	} {
		if got := placeIn(home, filepath.Join(home, dir)); got != want {
			t.Errorf("%q is %q, not %q", dir, got, want)
		}
	}
	if got := placeIn(filepath.Join(home, "none"), filepath.Join(home, "shop")); got != filepath.Join(home, "shop")+" (feature/x)" {
		t.Errorf("outside of the home directory it is %q", got)
	}
}

func TestChat_Start_HasHeaderAndRightAlignedFooter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.Mkdir(filepath.Join(w.dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.chats()
	c.tmux("resize-window", "-x", "80", "-y", "24")
	c.sees("Bellcord " + version + " · openai/fake · ask ·")
	c.sees("@ adds a file")
	c.sees("  enter send · alt+enter new line · ctrl+p sessions")
	c.enters("[slow 6000 20ms]")
	c.sees("● running")
	c.sees("  enter queues")
	c.sees("word1 ") // from then on, the size of the context is known
	c.types("Escape")
	c.sees("■ stopped after ")
	c.sees("\n  /continue · /receipt ")
	c.enters("/receipt")
	c.sees("end         stopped")
	c.enters("[say hello]")
	c.sees("● done")
	right := regexp.MustCompile(`(?m)^  openai/fake · ask · .*\(main\)  +(.*)$`)
	comesTrue(t, "the footer is aligned", func() bool {
		shown := c.tmux("capture-pane", "-p")
		for line := range strings.Lines(shown) {
			if line = strings.TrimRight(line, "\n"); right.MatchString(line) {
				return len([]rune(line)) == 79
			}
		}
		return !strings.Contains(shown, "ctx") && strings.Contains(shown, "(main)\n")
	})
	c.tmux("resize-window", "-x", "38", "-y", "24")
	comesTrue(t, "a narrow window has no footer", func() bool {
		return !regexp.MustCompile(`(?m)^  openai/fake`).MatchString(c.tmux("capture-pane", "-p"))
	})
}
