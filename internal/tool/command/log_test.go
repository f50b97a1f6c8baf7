package command

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

func TestLog_OutputBeyondBound_KeepsNewestAndCountsOmitted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ half, written int }{
		{1000, 0}, {1000, 1}, {1000, 1000}, {1000, 2000}, {1000, 2001}, {1000, 5000}, {1000, 100_000}, {300_000, 700_000}, {300_000, 5_000_000},
	} {
		half, written := c.half, c.written
		t.Run(fmt.Sprint(half, " ", written), func(t *testing.T) {
			t.Parallel()
			file, err := os.Create(filepath.Join(t.TempDir(), "log"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close() //nolint:errcheck // the content is checked
			all := make([]byte, written)
			for i := range all {
				all[i] = "0123456789abcdef"[rand.IntN(16)]
			}
			log := &Log{File: file, Half: int64(half)}
			for rest := all; len(rest) > 0; {
				n := min(len(rest), 1+rand.IntN(3*half))
				if wrote, err := log.Write(rest[:n]); wrote != n || err != nil {
					t.Fatalf("%d of %d, %v", wrote, n, err)
				}
				rest = rest[n:]
			}
			text, err := os.ReadFile(file.Name())
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > 2*half+100 {
				t.Errorf("the file has %d bytes", len(text))
			}
			kept, missing := text, 0
			if line, rest, cut := bytes.Cut(text, []byte("\n")); cut {
				if _, err := fmt.Sscanf(string(line), "[%d bytes of earlier output omitted]", &missing); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				kept = rest
			}
			if missing+len(kept) != written || !bytes.HasSuffix(all, kept) || written <= 2*half && missing > 0 || missing > 0 && len(kept) < half {
				t.Errorf("%d bytes are kept, %d are said to be missing, %d were written; they are the newest: %v", len(kept), missing, written, bytes.HasSuffix(all, kept))
			}
		})
	}
}
