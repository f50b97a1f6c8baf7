package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
)

// undoFindings returns what the doctor finds about undo, with files of the given
// sizes in the undo storage.
func undoFindings(t *testing.T, dir, mode string, sizes map[string]int) []Finding {
	t.Helper()
	for name, size := range sizes {
		path := filepath.Join(dir, "undo", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := config.Config{DataDir: dir, Undo: config.Undo{Mode: mode, MaxDiskBytes: 64 << 20}}
	return New("", app.Config{Settings: c}, nil).undo(t.Context())
}

func TestUndo_ModesAndDiskUse_AreReported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode    string
		sizes   map[string]int
		want    string
		verdict Verdict
	}{
		"off":    {"off", nil, "off: changes of turns to files are not recorded", OK},
		"unused": {"on", nil, "on; nothing is kept yet, at most 64 MB for each directory", OK},
		"used":   {"require", map[string]int{"a/pack": 3 << 20, "a/log": 1 << 20, "b/pack": 2 << 20}, "require; 6 MB in use, at most 4 of 64 MB for one directory", OK},
		"full":   {"on", map[string]int{"a/pack": 60 << 20}, "on; 60 MB in use, at most 60 of 64 MB for one directory; new changes may not be kept", Warning},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := undoFindings(t, t.TempDir(), c.mode, c.sizes)
			if found[0].Says != c.want || found[0].Verdict != c.verdict {
				t.Errorf("found %+v, want %q", found, c.want)
			}
		})
	}
}

func TestUndo_DirectoryContainsTheDataDirectory_IsReported(t *testing.T) { //nolint:paralleltest // it changes the working directory
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	data := filepath.Join(home, "share", "bellcord") // does not exist
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(project)
	found := undoFindings(t, data, "on", nil)
	if len(found) != 2 || found[1].Verdict != OK || !strings.Contains(found[1].Says, "sessions that start in "+home+" itself") {
		t.Errorf("in a project: %+v", found)
	}
	t.Chdir(home)
	found = undoFindings(t, data, "on", nil)
	if len(found) != 2 || found[1].Verdict != Warning || !strings.Contains(found[1].Says, "contains the data directory") {
		t.Errorf("at home: %+v", found)
	}
}
