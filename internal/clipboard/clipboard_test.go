//go:build unix

package clipboard_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/clipboard"
)

// program writes a program to a directory that is the whole PATH.
func program(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

func TestImage_ProgramPrintsOne_ReturnsIt(t *testing.T) {
	program(t, "wl-paste", `echo "$@"`)
	if data, err := clipboard.Image(t.Context()); err != nil || string(data) != "--type image/png\n" {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestImage_NoneInClipboard_IsAnError(t *testing.T) {
	program(t, "xclip", "echo target not available >&2; exit 1")
	if _, err := clipboard.Image(t.Context()); !errors.Is(err, clipboard.ErrNoImage) {
		t.Errorf("got %v", err)
	}
}

func TestImage_NoProgram_NamesThePrograms(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := clipboard.Image(t.Context()); err == nil || !strings.Contains(err.Error(), "install one of these programs: wl-paste, xclip, pngpaste") {
		t.Errorf("got %v", err)
	}
}

func TestImage_TooLarge_IsRefused(t *testing.T) {
	program(t, "wl-paste", "exec /usr/bin/head -c 11000000 /dev/zero")
	if _, err := clipboard.Image(t.Context()); err == nil || !strings.Contains(err.Error(), "larger than 10 MiB") {
		t.Errorf("got %v", err)
	}
}
