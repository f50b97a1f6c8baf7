package confine

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/proc"
)

func TestPrepare_CachesAreMissing_CreatesThemAndTheyAreWritable(t *testing.T) {
	t.Parallel()
	home, dir := outsideTmp(t), outsideTmp(t)
	p := newTestPolicy(t)
	p.Home, p.Caches = home, []string{filepath.Join(home, ".cache"), filepath.Join(home, "go", "pkg")}
	p.Write = p.Caches
	exit, err := p.Run(t.Context(), Command{
		Command: proc.Command{Args: []string{"/bin/sh", "-c", "mkdir -p " + home + "/.cache/go-build/aa " + home + "/go/pkg/mod && ! mkdir " + home + "/go/bin"}, Dir: dir},
		Dirs:    []string{dir},
	}, nil)
	if err != nil || exit.Code != 0 {
		t.Fatalf("%+v, %v", exit, err)
	}
	for name, want := range map[string]os.FileMode{".cache": 0o700, "go/pkg": 0o755} {
		info, err := os.Stat(filepath.Join(home, name))
		if err != nil || info.Mode().Perm() != want || int(info.Sys().(*syscall.Stat_t).Uid) != os.Getuid() {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestCreateCaches_LinkForeignOwnerOrPathOutside_CreateNothing(t *testing.T) {
	t.Parallel()
	home, elsewhere := outsideTmp(t), outsideTmp(t)
	for name, target := range map[string]string{".cache": elsewhere, "go": "inside", ".npm": elsewhere + "/new"} {
		if err := os.Symlink(target, filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(home, "inside"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := &Policy{Home: home, Caches: below(home, ".cache/pip", "go/pkg", ".npm", "../beside", "..", ".", "a\x00b", "f/x")}
	p.Caches = append(p.Caches, filepath.Join(elsewhere, "cache"))
	if err := os.WriteFile(filepath.Join(home, "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		foreign := filepath.Join(home, "foreign")
		if err := os.Mkdir(foreign, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(foreign, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		p.Caches = append(p.Caches, filepath.Join(foreign, "cache"))
	}
	p.createCaches()
	for _, dir := range []string{elsewhere, filepath.Join(home, "inside"), filepath.Join(home, "foreign")} {
		if entries, _ := os.ReadDir(dir); len(entries) > 0 {
			t.Errorf("%s contains %v", dir, entries)
		}
	}
	if entries, _ := filepath.Glob(filepath.Join(filepath.Dir(home), "beside")); len(entries) > 0 {
		t.Error("it created a directory outside of the home directory")
	}
}

func TestCaches_VariableNamesTheHomeOrMore_IsIgnored(t *testing.T) {
	for _, value := range []string{"/home/a", "/home", "/", "/home/a/", "/home/a/x/.."} {
		t.Setenv("XDG_CACHE_HOME", value)
		t.Setenv("CARGO_HOME", "/home/a/rust")
		for _, dir := range Caches("/home/a") {
			if contains(dir, "/home/a") {
				t.Errorf("%s makes %s writable", value, dir)
			}
		}
	}
}

func newTestPolicy(t *testing.T) *Policy {
	t.Helper()
	return newTestPolicyAt(t, sandbox.Options{})
}

func newTestPolicyAt(t *testing.T, o sandbox.Options) *Policy {
	t.Helper()
	keeper, err := proc.Open("", proc.Options{AdoptOrphans: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keeper.Close() })
	box, err := sandbox.Open(t.Context(), sandbox.Require, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	return &Policy{Keeper: keeper, Open: func() (*sandbox.Box, error) { return box, nil }, Network: sandbox.Off}
}

// outsideTmp returns a new directory outside of /tmp, which is another one in the
// sandbox.
func outsideTmp(t *testing.T) string {
	t.Helper()
	parent := "/var/lib"
	if os.Getuid() != 0 {
		parent, _ = os.UserHomeDir()
	}
	dir, err := os.MkdirTemp(parent, "bellcord-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestCreateCaches_NoHomeDirectory_CreateNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	(&Policy{Caches: Caches("")}).createCaches()
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("in the working directory: %v, %v", entries, err)
	}
}
