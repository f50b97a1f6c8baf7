package hostile_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord/internal/sandbox"
)

// harm is what an observer finds that the sandbox has to prevent.
type harm string

const (
	secretRead    harm = "a secret was read"
	outsideChange harm = "a file outside was changed"
	socketReached harm = "a socket was reached"
	gitChanged    harm = "the configuration or the hooks of git were changed"
	programRan    harm = "git of the user ran a program"
)

// observer compares what surrounds a workspace.
type observer struct {
	world  *world
	before map[string]string
	git    map[string]string
}

func newObserver(w *world) *observer {
	return &observer{world: w, before: w.outside(), git: w.protected()}
}

// looks returns the harm since the last look, with what was found. quiet is set if
// no command runs.
func (o *observer) looks(output string, quiet bool) map[harm]string {
	found := map[harm]string{}
	if at := strings.Index(output, canary); at >= 0 {
		found[secretRead] = output[max(0, at-200):min(len(output), at+50)]
	}
	if at := strings.Index(output, "INHERITED"); at >= 0 {
		found[secretRead] = output[at:min(len(output), at+200)]
	}
	after := o.world.outside()
	if d := difference(o.before, after); d != "" {
		found[outsideChange] = d
	}
	o.before = after
	if names := o.world.reached.take(); len(names) > 0 {
		found[socketReached] = fmt.Sprint(names)
	}
	if o.world.level == sandbox.Namespaces { // at the level Landlock it is a gap that is documented
		git := o.world.protected()
		if d := difference(o.git, git); d != "" {
			found[gitChanged] = d
		}
		o.git = git
		if quiet && len(o.git) > 0 {
			o.world.userGit()
		}
	}
	if entries, _ := os.ReadDir(o.world.pwned); len(entries) > 0 {
		found[programRan] = fmt.Sprint(entries)
		for _, e := range entries {
			_ = os.Remove(filepath.Join(o.world.pwned, e.Name()))
		}
	}
	return found
}

func difference(before, after map[string]string) string {
	var all []string
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if after[path] != before[path] {
			all = append(all, fmt.Sprintf("%s: %s, now %s", path, before[path], after[path]))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if _, known := before[path]; !known {
			all = append(all, fmt.Sprintf("%s: new: %s", path, after[path]))
		}
	}
	return strings.Join(all, "\n")
}

// outside returns the state of everything that commands may not change.
func (w *world) outside() map[string]string {
	free := map[string]bool{w.work: true, w.home + "/.cache": true, w.data + "/tmp": true, w.pwned: true, w.main + "/.git": true}
	all := map[string]string{}
	_ = filepath.WalkDir(w.base, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			all[path] = err.Error()
			return nil
		}
		if free[path] {
			return fs.SkipDir
		}
		all[path] = state(path)
		return nil
	})
	for _, path := range w.secrets { // also those in the workspace
		all[path] = state(path)
	}
	return all
}

// state returns what identifies the content of a path, its rights and its names.
func state(path string) string {
	var info syscall.Stat_t
	if err := syscall.Lstat(path, &info); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("mode %o, inode %d, size %d, links %d, changed %d.%09d", info.Mode, info.Ino, info.Size, info.Nlink, info.Ctim.Sec, info.Ctim.Nsec)
}

// protected returns what git of the user reads for the programs that it runs; empty
// if the workspace began without a repository.
func (w *world) protected() map[string]string {
	repository := w.work + "/.git"
	switch w.kind {
	case withoutRepository, inData:
		return nil
	case withWorktree:
		repository = w.main + "/.git"
	case withRepository, atHome, nested, kinds:
	}
	all := map[string]string{}
	for _, name := range []string{"config", "hooks", "modules/m/config", "modules/m/hooks", "worktrees/tree/commondir", "worktrees/tree/gitdir", "worktrees/other/commondir", "worktrees/other/gitdir"} {
		if name := filepath.Join(repository, name); w.kind == withWorktree || !strings.Contains(name, "/worktrees/") {
			_ = filepath.WalkDir(name, func(path string, e fs.DirEntry, err error) error {
				switch {
				case err != nil:
					all[path] = "missing"
				case e.Type().IsRegular():
					all[path] = read1(path)
				default:
					all[path] = e.Type().String()
				}
				return nil
			})
		}
	}
	return all
}

func TestObserver_EachHarm_IsFound(t *testing.T) {
	t.Parallel()
	base := directory(t)
	w := &world{base: base, home: base + "/home", data: base + "/data", work: base + "/work", pwned: base + "/pwned", main: base + "/main", level: sandbox.Namespaces}
	for _, path := range []string{w.home + "/.bashrc", w.work + "/.git/config", w.pwned + "/.keep"} {
		if err := put(path, "before"); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Remove(w.pwned + "/.keep")
	o := newObserver(w)
	if found := o.looks("nothing", true); len(found) > 0 {
		t.Errorf("found %v", found)
	}
	_ = put(w.home+"/.bashrc", "after!")
	_ = put(w.home+"/new", "")
	_ = put(w.work+"/.git/config", "changed")
	_ = put(w.pwned+"/x", "")
	w.reached.add("socket")
	if found := o.looks("the "+canary, false); len(found) != 5 {
		t.Errorf("found %v", found)
	}
}
