package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// ownCgroup returns the directory of this process's cgroup in the version 2
// hierarchy, or "". On hosts that use both versions, version 2 is mounted in
// another place.
var ownCgroup = sync.OnceValue(func() string {
	for line := range strings.SplitSeq(ownGroups(), "\n") {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return groupDir(mounts(), "cgroup2", "", path)
		}
	}
	return ""
})

// limitBase returns the cgroup in which the cgroups of commands are created:
// this process's own. If that one cannot have controllers, because it contains
// this process, it is the parent, but only if systemd has delegated the parent
// (DelegateSubgroup=).
var limitBase = sync.OnceValue(func() string {
	own := ownCgroup()
	if own == "" || enableControllers(own) {
		return own
	}
	parent := filepath.Dir(own)
	if delegated(parent) && enableControllers(parent) {
		return parent
	}
	return own
})

// enableControllers lets the children of a cgroup have limits. It reports
// whether they can.
func enableControllers(dir string) bool {
	available, _ := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	for _, name := range []string{"memory", "pids", "cpu"} {
		if !slices.Contains(strings.Fields(string(available)), name) {
			return false
		}
	}
	return os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte("+memory +pids +cpu"), 0) == nil
}

// delegated reports whether systemd has given a cgroup to this service.
func delegated(dir string) bool {
	var value [1]byte
	for _, name := range []string{"trusted.delegate", "user.delegate"} {
		if n, err := unix.Getxattr(dir, name, value[:]); err == nil && string(value[:n]) == "1" {
			return true
		}
	}
	return false
}

// hasControllers reports whether a cgroup of version 2 has all the controllers.
func hasControllers(dir string, names []string) bool {
	text, _ := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	has := strings.Fields(string(text))
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(has, name) })
}

// groupDir returns a cgroup's directory, or "" if it is not mounted. system is
// the type of the file system: "cgroup2", or "cgroup" with a controller. A mount
// may show only a part of the hierarchy; its root is then cut off the path.
func groupDir(mountinfo, system, controller, path string) string {
	for line := range strings.SplitSeq(mountinfo, "\n") {
		before, after, _ := strings.Cut(line, " - ")
		f, super := strings.Fields(before), strings.Fields(after)
		if len(f) < 5 || len(super) < 3 || super[0] != system {
			continue
		}
		if controller != "" && !slices.Contains(strings.Split(super[2], ","), controller) {
			continue
		}
		rest, ok := strings.CutPrefix(path, strings.TrimSuffix(f[3], "/"))
		if ok && !strings.Contains(rest, "..") {
			return filepath.Join(f[4], rest)
		}
	}
	return ""
}

// cgroup is the directory of one command's cgroup; "" means that there is no
// cgroup.
type cgroup string

func cgroupName(id string) string { return "bellcord-" + strconv.Itoa(os.Getpid()) + "-" + id }

// cgroupIDs returns the ids of the commands that a process belongs to by its
// cgroup.
func cgroupIDs(pid int) []string {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	var ids []string
	for line := range strings.SplitSeq(string(text), "\n") {
		path, _ := strings.CutPrefix(line, "0::")
		for dir := range strings.SplitSeq(path, "/") {
			rest, hasPrefix := strings.CutPrefix(dir, "bellcord-")
			keeper, id, _ := strings.Cut(rest, "-")
			if _, err := strconv.Atoi(keeper); hasPrefix && err == nil && id != "" {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// makeCgroup creates a cgroup below base, or returns "" if that is not
// possible.
func makeCgroup(base, id string) cgroup {
	if base == "" {
		return ""
	}
	dir := filepath.Join(base, cgroupName(id))
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // the mode that the kernel uses for cgroups
		return ""
	}
	return cgroup(dir)
}

// recallCgroup returns a dead keeper's cgroup from the ledger, or "" if path is
// not such a cgroup.
func recallCgroup(path, id string) cgroup {
	base := filepath.Base(path)
	if !strings.HasPrefix(base, "bellcord-") || !strings.HasSuffix(base, "-"+id) {
		return ""
	}
	if _, err := os.Stat(filepath.Join(path, "cgroup.events")); err != nil {
		return ""
	}
	return cgroup(path)
}

// populated reports whether the cgroup, or one below it, contains a living
// process. If this cannot be read, it returns true, unless the cgroup no longer
// exists.
func (c cgroup) populated() bool {
	events, err := os.ReadFile(filepath.Join(string(c), "cgroup.events"))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || !slices.Contains(strings.Split(string(events), "\n"), "populated 0")
}

// dirs returns the cgroup and the cgroups that its processes created below it,
// parents first.
func (c cgroup) dirs() []string {
	var dirs []string
	_ = filepath.WalkDir(string(c), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return nil
	})
	return dirs
}

// members returns the living processes in the cgroup, the oldest first.
func (c cgroup) members() []process {
	var all []process
	for _, dir := range c.dirs() {
		procs, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		for _, word := range strings.Fields(string(procs)) {
			pid, _ := strconv.Atoi(word)
			if p, ok := read(pid); ok && !p.dead {
				p.name = nameOf(pid)
				all = append(all, p)
			}
		}
	}
	slices.SortFunc(all, byAge)
	return all
}

// kill kills all processes in the cgroup atomically: a child that is being
// forked is killed with its parent.
func (c cgroup) kill() error {
	return os.WriteFile(filepath.Join(string(c), "cgroup.kill"), []byte("1"), 0)
}

// remove removes an empty cgroup.
func (c cgroup) remove() error {
	var err error
	for _, dir := range slices.Backward(c.dirs()) {
		if err = os.Remove(dir); err != nil {
			return fmt.Errorf("removing a cgroup: %w", err)
		}
	}
	return nil
}
