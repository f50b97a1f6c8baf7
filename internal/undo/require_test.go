package undo_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
)

func TestLawU14_UndoIsRequiredAndFilesAreNotKept_CallIsRefusedBeforeItRuns(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(dir string) error
		limits  snapshot.Limits
		want    string // "" if the call may run
	}{
		{"everything is kept", func(string) error { return nil }, snapshot.Limits{}, ""},
		{"a file is too large", func(dir string) error { return os.WriteFile(filepath.Join(dir, "model"), make([]byte, 100), 0o600) }, snapshot.Limits{File: 50}, "1 file is not kept (file too large)"},
		{"generated files", func(dir string) error {
			if err := os.Mkdir(filepath.Join(dir, "node_modules"), 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "node_modules", "x"), []byte("1"), 0o600)
		}, snapshot.Limits{}, "directory of generated files"},
		{"the scan is incomplete", func(string) error { return nil }, snapshot.Limits{Time: time.Nanosecond}, "undo is set to require that"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := test.prepare(dir); err != nil {
				t.Fatal(err)
			}
			r := undo.New(undo.Options{Place: t.TempDir(), Require: true, Limits: test.limits})
			turn := r.Turn(bellcord.Session{ID: bellcord.NewSessionID(), Dir: dir}, bellcord.NewTurnID(), &receipt{})
			err := turn.Before(t.Context(), "call", false)
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("the error is %v, want %q", err, test.want)
			}
			turn.Close()
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
