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
)

// ownCgroup is the directory of the cgroup that this process is in, in the
// version 2 hierarchy; on hosts that have both versions it is mounted elsewhere.
var ownCgroup = sync.OnceValue(func() string {
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	own, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.SplitSeq(string(own), "\n") {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return cgroupDir(string(mounts), path)
		}
	}
	return ""
})

// cgroupDir finds a cgroup's directory. A mount may show a part of the tree
// only; then its root is cut off the path.
func cgroupDir(mountinfo, path string) string {
	for line := range strings.SplitSeq(mountinfo, "\n") {
		before, after, _ := strings.Cut(line, " - ")
		f := strings.Fields(before)
		if !strings.HasPrefix(after, "cgroup2 ") || len(f) < 5 {
			continue
		}
		rest, ok := strings.CutPrefix(path, strings.TrimSuffix(f[3], "/"))
		if ok && !strings.Contains(rest, "..") {
			return filepath.Join(f[4], rest)
		}
	}
	return ""
}

// cgroup is the directory of one command's cgroup; "" means that it has none.
type cgroup string

func cgroupName(id string) string { return "bellcord-" + strconv.Itoa(os.Getpid()) + "-" + id }

// cgroupIDs returns the ids of the commands in whose cgroups a process is.
func cgroupIDs(pid int) []string {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	var ids []string
	for line := range strings.SplitSeq(string(text), "\n") {
		path, _ := strings.CutPrefix(line, "0::")
		for dir := range strings.SplitSeq(path, "/") {
			rest, ours := strings.CutPrefix(dir, "bellcord-")
			keeper, id, _ := strings.Cut(rest, "-")
			if _, err := strconv.Atoi(keeper); ours && err == nil && id != "" {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// makeCgroup makes a cgroup below our own, where we may.
func makeCgroup(id string) cgroup {
	own := ownCgroup()
	if own == "" {
		return ""
	}
	dir := filepath.Join(own, cgroupName(id))
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // as the kernel makes its own
		return ""
	}
	return cgroup(dir)
}

// recallCgroup takes a dead keeper's cgroup from the ledger, if it is one.
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

// populated reports whether a living process is in it or below; when it cannot
// be read, there may be one, unless it is gone altogether.
func (c cgroup) populated() bool {
	events, err := os.ReadFile(filepath.Join(string(c), "cgroup.events"))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || !slices.Contains(strings.Split(string(events), "\n"), "populated 0")
}

// dirs is the cgroup and what its processes made below it, the deepest last.
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

// members is who is in it, the oldest first.
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

// kill kills everybody in it at once, also those who are being born: a fork
// that is under way is killed with its parent.
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
