package confine

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/proc"
)

// levels are all levels of the sandbox on Linux.
var levels = map[string]sandbox.Options{
	"bubblewrap": {Level: sandbox.Namespaces, Means: sandbox.Bubblewrap},
	"namespaces": {Level: sandbox.Namespaces, Means: sandbox.Bellcord},
	"landlock":   {Level: sandbox.Landlock},
}

// readable returns which files a command of the shell tool can read.
func readable(t *testing.T, p *Policy, dir string, files []string) []string {
	t.Helper()
	list := filepath.Join(dir, "files")
	if err := os.WriteFile(list, []byte(strings.Join(files, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	exit, err := p.Run(t.Context(), Command{
		Command: proc.Command{
			Args: []string{"/bin/sh", "-c", `while read -r f; do grep -qs SECRET "$f" && echo "$f"; done < files; exit 0`}, Dir: dir, Output: func(b []byte) { out.Write(b) },
		},
		Dirs: []string{dir},
	}, nil)
	if err != nil || exit.Code != 0 {
		t.Fatalf("%+v, %v: %s", exit, err, out.String())
	}
	return strings.Fields(out.String())
}

// fill creates files with a secret.
func fill(t *testing.T, files []string) {
	t.Helper()
	for _, file := range files {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("SECRET\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCredentials_WellKnownFiles_AreHiddenAtEachLevelUntilTheyAreShown(t *testing.T) {
	t.Parallel()
	for name, options := range levels {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := outsideTmp(t)
			dir := filepath.Join(home, "work")
			files, needed := below(home, strings.Fields(wellKnown)...), below(home, strings.Fields(ordinary)...)
			if len(files) < 127 {
				t.Fatalf("only %d files", len(files))
			}
			fill(t, append(slices.Clone(needed), append(files, filepath.Join(dir, "own"))...))
			p := newTestPolicyAt(t, options)
			p.Home, p.Secrets, p.Write = home, Credentials(home), below(home, ".cache")
			if got := readable(t, p, dir, files); len(got) > 0 {
				t.Errorf("%d of %d can be read: %q", len(got), len(files), got)
			}
			if got := readable(t, p, dir, needed); len(got) != len(needed) {
				t.Errorf("of %q, only %q can be read", needed, got)
			}
			p.Show = files // inside hidden directories, too
			if got := readable(t, p, dir, files); len(got) != len(files) {
				missing := slices.DeleteFunc(files, func(file string) bool { return slices.Contains(got, file) })
				t.Errorf("with sandbox.show, these cannot be read: %q", missing)
			}
		})
	}
}

func TestCredentials_VariableNamesAnotherPlace_IsHiddenAtEachLevel(t *testing.T) {
	elsewhere, home := outsideTmp(t), outsideTmp(t)
	var files []string
	for name, value := range variables {
		file := filepath.Join(elsewhere, name)
		files = append(files, file)
		t.Setenv(name, strings.ReplaceAll(value, "%", file))
	}
	for name, file := range directories {
		files = append(files, filepath.Join(elsewhere, name, file))
		t.Setenv(name, filepath.Join(elsewhere, name))
	}
	fill(t, files)
	for name, options := range levels {
		p := newTestPolicyAt(t, options)
		p.Home, p.Secrets = home, Credentials(home)
		if got := readable(t, p, home, files); len(got) > 0 {
			t.Errorf("%s: %d of %d can be read: %q", name, len(got), len(files), got)
		}
		p.Secrets = nil
		if got := readable(t, p, home, files); len(got) != len(files) {
			t.Errorf("%s: only %q can be read if nothing is hidden", name, got)
		}
	}
}
