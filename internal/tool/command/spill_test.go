package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bellcord/bellcord/internal/tool/command"
)

const kib = 1 << 10

func TestSpill_ShortOutput_StaysInMemory(t *testing.T) {
	t.Parallel()
	for _, output := range []string{"", "one\n", "日本\n", strings.Repeat("x", 30*kib)} {
		dir := t.TempDir()
		s := command.NewSpill(dir)
		for piece := range chunks(output, 1000) {
			s.Add(piece)
		}
		if err := s.Close(); err != nil || s.String() != output || s.Name() != "" || everything(t, dir) != "" {
			t.Errorf("of %d bytes: %.100q, %v, in %q", len(output), s.String(), err, everything(t, dir))
		}
	}
}

func TestSpill_LongOutput_IsCompleteOnDisk(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		size, piece int
	}{
		{"one byte too many", 30*kib + 1, 100},
		{"in small pieces", 300 * kib, 7},
		{"in middling pieces", 300 * kib, 50 * kib},
		{"in one piece", 300 * kib, 300 * kib},
		{"in pieces that just fit", 255 * kib, 15 * kib},
		{"the first piece fills the head", 31 * kib, 30 * kib},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var all strings.Builder
			for i := 0; all.Len() < test.size; i++ {
				fmt.Fprintf(&all, "%d ", i)
			}
			output := all.String()[:test.size]
			s := command.NewSpill(t.TempDir())
			for piece := range chunks(output, test.piece) {
				s.Add(piece)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("%s\n[… %d bytes omitted …]\n%s\n[%d bytes in total; the complete output is in %s]",
				output[:15*kib], test.size-30*kib, output[test.size-15*kib:], test.size, s.Name())
			if got := s.String(); got != want {
				t.Errorf("%.100q … %q", got, got[max(0, len(got)-200):])
			}
			if got := content(t, s.Name()); got != output {
				t.Errorf("the file has %d bytes", len(got))
			}
			if info, err := os.Stat(s.Name()); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		})
	}
}

func TestSpill_EndlessOutput_IsBounded(t *testing.T) {
	t.Parallel()
	s := command.NewSpill(t.TempDir())
	piece := strings.Repeat("y\n", 512*kib)
	for range 66 {
		s.Add(piece)
	}
	s.Add("end")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.Name())
	if err != nil || info.Size() != 64<<20 {
		t.Errorf("%v, %v", info.Size(), err)
	}
	note := fmt.Sprintf("end\n[%d bytes in total; the first %d are in %s]", 66<<20+3, 64<<20, s.Name())
	if got := s.String(); !strings.HasSuffix(got, note) || len(got) > 70*kib {
		t.Errorf("%d bytes, at last %q", len(got), got[len(got)-200:])
	}
}

func TestSpill_DiskFails_KeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"a directory that cannot be made": filepath.Join(file, "none"), "no directory": ""} {
		s := command.NewSpill(dir)
		for range 100 {
			s.Add(strings.Repeat("z", kib))
		}
		if got := s.String(); !strings.Contains(got, "[102400 bytes in total; the rest was not saved") || s.Close() != nil || s.Name() != "" {
			t.Errorf("%s: %q", name, got[len(got)-200:])
		}
	}
}

func TestSpill_OutputAfterClose_IsCounted(t *testing.T) {
	t.Parallel()
	s := command.NewSpill(t.TempDir())
	s.Add(strings.Repeat("a", 70*kib))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s.Add("late")
	if got := s.String(); !strings.HasSuffix(got, fmt.Sprintf("late\n[%d bytes in total; the first %d are in %s]", 70*kib+4, 70*kib, s.Name())) {
		t.Errorf("%q", got[len(got)-200:])
	}
}

func TestSpill_CutInsideCharacter_ReturnsValidUTF8(t *testing.T) {
	t.Parallel()
	for shift := range 4 {
		s := command.NewSpill("")
		s.Add(strings.Repeat("x", shift) + strings.Repeat("日", 50*kib))
		if !utf8.ValidString(s.String()) {
			t.Errorf("shifted by %d: not text", shift)
		}
	}
}

func chunks(s string, size int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for len(s) > 0 {
			n := min(size, len(s))
			if !yield(s[:n]) {
				return
			}
			s = s[n:]
		}
	}
}

// everything returns the names of the files in a directory.
func everything(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, e := range entries {
		names += e.Name() + "\n"
	}
	return names
}

// content returns the text of a file.
func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
