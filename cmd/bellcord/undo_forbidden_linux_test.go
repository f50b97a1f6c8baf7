package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUndo_DirectoryWithoutWritePermission_LeavesItAndIsReversible(t *testing.T) {
	t.Parallel()
	w := newUnprivilegedWorld(t)
	if out, err := w.sh("echo 1 > a"); err != nil {
		t.Fatal(out, err)
	}
	if out, errs, code := w.does("run", "--mode", "full", `[tool shell {"command":"mkdir mod; echo x > mod/f; chmod 555 mod; echo 2 > a"}]`); code != 0 {
		t.Fatal(out, errs, code)
	}
	has := func(want string) {
		t.Helper()
		if text, err := os.ReadFile(filepath.Join(w.dir, "a")); err != nil || string(text) != want {
			t.Errorf("a has %q, %v, want %q", text, err, want)
		}
	}
	for _, flag := range []string{"--dry-run", "--yes"} {
		out, errs, code := w.does("undo", flag)
		if code != exitConflict || !strings.Contains(out, "conflict  mod/f  (it cannot be changed: permission denied)") {
			t.Errorf("undo %s: %s%s, exit code %d", flag, out, errs, code)
		}
	}
	has("1\n")
	if out, errs, code := w.does("redo", "--yes"); code != 0 {
		t.Errorf("redo: %s%s, exit code %d", out, errs, code)
	}
	has("2\n")
	if out, err := w.sh("chmod -R u+w mod"); err != nil {
		t.Fatal(out, err)
	}
	if out, errs, code := w.does("sessions"); code != 0 {
		t.Errorf("sessions: %s%s, exit code %d", out, errs, code)
	}
	has("2\n")
}
