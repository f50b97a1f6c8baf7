package durable

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// content returns the content of a file, "" if it does not exist.
func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestReplace_ExistingFile_SyncsContentBeforeRenameAndDirectoryAfter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "chats.json")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	var synced []string
	err := replace(path, []byte("new"), private, func(f *os.File) error {
		of := "file " + content(t, path)
		if info, err := f.Stat(); err != nil {
			t.Error(err)
		} else if info.IsDir() {
			of = "directory " + content(t, path)
		} else if got := content(t, f.Name()); got != "new" {
			t.Errorf("a file with %q is synced, want the complete content", got)
		}
		synced = append(synced, of)
		return f.Sync()
	})
	want := []string{"file old", "directory new"}
	if runtime.GOOS == "windows" {
		want = want[:1]
	}
	if err != nil || !slices.Equal(synced, want) {
		t.Errorf("synced, with the content at that time: %q, %v; want %q", synced, err, want)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode())
	}
	if got := names(t, dir); !slices.Equal(got, []string{"chats.json"}) {
		t.Errorf("the directory contains %q", got)
	}
}

func TestReplace_ContentCannotBeSynced_KeepsTheOldFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "chats.json")
	if err := Replace(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	if err := replace(path, []byte("new"), private, func(*os.File) error { return full }); !errors.Is(err, full) {
		t.Errorf("%v, want %v", err, full)
	}
	if got := content(t, path); got != "old" {
		t.Errorf("the file contains %q", got)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"chats.json"}) {
		t.Errorf("the directory contains %q", got)
	}
}

func TestReplace_DirectoryCannotBeSynced_ReturnsTheError(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("directories are not synced on Windows")
	}
	full := errors.New("disk full")
	err := replace(filepath.Join(t.TempDir(), "chats.json"), []byte("new"), private, func(f *os.File) error {
		if info, err := f.Stat(); err != nil || info.IsDir() {
			return errors.Join(full, err)
		}
		return nil
	})
	if !errors.Is(err, full) {
		t.Errorf("%v, want %v", err, full)
	}
}

func TestReplaceMode_NewOrExistingFile_HasTheGivenPermissions(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permissions of Windows are not modes")
	}
	path := filepath.Join(t.TempDir(), "bellcord.service")
	for _, mode := range []os.FileMode{0o644, 0o600, 0o666} {
		if err := ReplaceMode(path, []byte("unit"), mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != mode {
			t.Errorf("the file has the mode %o, want %o", got, mode)
		}
	}
}
