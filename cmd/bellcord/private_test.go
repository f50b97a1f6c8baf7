//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServe_DataDirectoryReadableByOthers_BecomesPrivate(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	if err := os.Chmod(w.data, 0o755); err != nil { //nolint:gosec // on purpose
		t.Fatal(err)
	}
	s := w.daemon(nil)
	if info, err := os.Stat(w.data); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if !strings.Contains(s.stderrText(), "it is private now") {
		t.Errorf("the log has no word of it: %s", s.stderrText())
	}
}

func TestServe_WorldWritableDataDirectoryOfOtherUser_IsRejected(t *testing.T) {
	t.Parallel()
	w := newUnprivilegedWorld(t)
	if err := os.Chown(w.data, 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(w.data, 0o777); err != nil { //nolint:gosec // on purpose
		t.Fatal(err)
	}
	if _, errs, code := w.does("serve", "--addr", "127.0.0.1:0"); code == 0 || !strings.Contains(errs, "chmod 700 "+w.data) {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

func TestDoctorAndServe_KeyInReadableFile_IsReported(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	file := filepath.Join(w.dir, "open.toml")
	if err := os.WriteFile(file, []byte("[provider.x]\napi = \"chat\"\nbase_url = \"http://127.0.0.1:1\"\napi_key = \"sk-1\"\n"), 0o644); err != nil { //nolint:gosec // on purpose
		t.Fatal(err)
	}
	if out, _, code := w.does("doctor", "--config", file); code == 0 || !strings.Contains(out, "chmod 600 "+file) {
		t.Errorf("doctor: %d %s", code, out)
	}
	if s := w.daemon(nil, "--config", file); !strings.Contains(s.stderrText(), "chmod 600 "+file) {
		t.Errorf("the log has no word of it: %s", s.stderrText())
	}
}
