//go:build linux

package restore_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// operations change a workspace as programs do. Those that are not possible have
// no effect.
var operations = map[string]func(path, other, text string, mode os.FileMode){
	"create": func(path, _, text string, mode os.FileMode) {
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		_ = os.WriteFile(path, []byte(text), mode.Perm())
	},
	"append": func(path, _, text string, _ os.FileMode) {
		if f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0); err == nil {
			_, _ = f.WriteString(text)
			_ = f.Close()
		}
	},
	"truncate":    func(path, _, text string, _ os.FileMode) { _ = os.Truncate(path, int64(len(text)/2)) },
	"mmap":        func(path, _, text string, _ os.FileMode) { writeMapped(path, text) },
	"rename over": func(path, other, _ string, _ os.FileMode) { _ = os.Rename(path, other) },
	"save": func(path, _, text string, mode os.FileMode) {
		if os.WriteFile(path+"~", []byte(text), mode.Perm()) == nil && os.Rename(path+"~", path) != nil {
			_ = os.Remove(path + "~")
		}
	},
	"mkdir":  func(path, _, _ string, _ os.FileMode) { _ = os.MkdirAll(path, 0o755) },
	"remove": func(path, _, _ string, _ os.FileMode) { _ = os.RemoveAll(path) },
	"link":   func(path, other, _ string, _ os.FileMode) { _ = os.Link(path, other) },
	"symlink": func(path, _, text string, _ os.FileMode) {
		_ = os.RemoveAll(path)
		_ = os.Symlink("target of "+text, path)
	},
	"chmod": func(path, _, _ string, mode os.FileMode) {
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink == 0 {
			_ = os.Chmod(path, mode)
		}
	},
	"directory to file": func(path, _, text string, mode os.FileMode) {
		_ = os.RemoveAll(path)
		_ = os.WriteFile(path, []byte(text), mode.Perm())
	},
	"file to directory": func(path, _, text string, mode os.FileMode) {
		_ = os.RemoveAll(path)
		_ = os.MkdirAll(filepath.Join(path, "inner"), 0o755)
		_ = os.WriteFile(filepath.Join(path, "inner", "f"), []byte(text), mode.Perm())
	},
}

// writeMapped writes to a file through memory.
func writeMapped(path, text string) {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 || !info.Mode().IsRegular() {
		return
	}
	if m, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err == nil {
		copy(m, text)
		_ = unix.Munmap(m)
	}
}

// operate does up to a number of random operations.
func (w *whole) operate(t *rapid.T, label string, most int) {
	names := []string{"a", "b", "sub", "new\nline", "bad\xff\xfeutf8", ".env"}
	draw := func(label string) string {
		p := rapid.SampledFrom(names).Draw(t, label)
		if rapid.Bool().Draw(t, label+" deep") {
			p += "/" + rapid.SampledFrom(names).Draw(t, label+" in")
		}
		return filepath.Join(w.root, p)
	}
	kinds := slices.Sorted(maps.Keys(operations))
	for range rapid.IntRange(most/2, most).Draw(t, label) {
		op := rapid.SampledFrom(kinds).Draw(t, "operation")
		mode := rapid.SampledFrom([]os.FileMode{0o644, 0o600, 0o755, 0o700, 0o755 | os.ModeSetgid}).Draw(t, "mode")
		operations[op](draw("path"), draw("other"), rapid.StringN(0, 20, 60).Draw(t, "text"), mode)
	}
}
