//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/store"
)

func TestChat_CtrlV_SendsTheImageOfTheClipboard(t *testing.T) {
	w := newWorld(t)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "wl-paste"), []byte("#!/bin/sh\nprintf '\\211PNG\\r\\n\\032\\n'; head -c 5000 /dev/zero\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	c := w.chats()
	c.types("C-v")
	c.sees("image 1: 4 kB png")
	c.enters("[say seen]")
	c.sees("\nseen")
	if images := w.imagesSent(); len(images) != 1 || images[0].Type != "image/png" || len(images[0].Data) != 5008 {
		t.Errorf("%d images were sent", len(images))
	}
}

func TestChat_MentionedImage_IsSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.dir, "plan.png"), []byte("\x89PNG\r\n\x1a\nrest"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.chats()
	c.types("-l", "[say seen @plan.png")
	c.sees("tab inserts")
	c.types("Tab")
	c.enters("]")
	c.sees("\nseen @plan.png")
	if images := w.imagesSent(); len(images) != 1 {
		t.Errorf("%d images were sent", len(images))
	}
}

func TestChat_NoColorVariable_UsesNoColours(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	w := newWorld(t)
	linesFile(t, filepath.Join(w.dir, "list.txt"))
	c := w.chats("--mode full")
	c.enters(`[tool edit_file {"path":"list.txt","old":"line k","new":"line K"}]`)
	c.sees("● done")
	screen := c.tmux("capture-pane", "-p", "-e")
	for _, colour := range []string{"\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[35m", "\x1b[36m"} {
		if strings.Contains(screen, colour) {
			t.Errorf("the colour %q is on the screen: %q", colour, screen)
		}
	}
	if !strings.Contains(screen, "\x1b[7m") {
		t.Errorf("no changed word is reversed: %q", screen)
	}
}

// imagesSent returns the images of the prompts of the only session.
func (w *world) imagesSent() (images []bellcord.Image) {
	w.t.Helper()
	id := w.onlySession()
	s := settings{data: w.data}
	err := s.withStore(w.t.Context(), func(kept app.Store) error {
		return store.EachEvent(w.t.Context(), kept, id, 0, func(ev bellcord.Event) bool {
			if b, is := ev.Body.(bellcord.TurnAccepted); is {
				images = append(images, b.Images...)
			}
			return true
		})
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return images
}
