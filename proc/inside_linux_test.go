package proc

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGroupDir_AllMountLayouts_ReturnsDirectory(t *testing.T) {
	t.Parallel()
	const (
		unified   = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
		hybrid    = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		container = "30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
		above     = "30 23 0:26 /../.. /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
		old       = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
	)
	tests := []struct{ name, mounts, path, want string }{
		{"version 2 only", unified, "/user.slice/a.scope", "/sys/fs/cgroup/user.slice/a.scope"},
		{"both versions", hybrid, "/", "/sys/fs/cgroup/unified"},
		{"a container that sees a part", container, "/docker/abc/x", "/sys/fs/cgroup/x"},
		{"a mount from outside", above, "/x", ""},
		{"version 1 only", old, "/", ""},
	}
	for _, test := range tests {
		if got := groupDir(test.mounts, "cgroup2", "", test.path); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// The kernel reuses the pids of processes that are gone.
func TestTreeScan_ReusedPID_IsNotAMember(t *testing.T) {
	t.Parallel()
	const far = 1 << 40 // no process has such a pid, so it has no stamp and no marker
	line := func(pid, parent, group, session int, start uint64) process {
		return process{ident: ident{far + pid, start}, parent: far + parent, group: far + group, session: far + session}
	}
	leader := line(10, 1, 10, 1, 100)
	tree := newTree("sign", leader.ident, 100)
	tree.groups[far+10] = true
	pids := func(table ...process) (all []int) {
		for _, p := range tree.scan(table) {
			all = append(all, p.pid-far)
		}
		return all
	}
	tests := []struct {
		name  string
		table []process
		want  []int
	}{
		{"children, groups and sessions belong", []process{leader, line(11, 10, 10, 1, 101), line(12, 11, 12, 12, 102), line(13, 12, 12, 12, 103)}, []int{10, 11, 12, 13}},
		{"an orphan that was seen belongs, and one of a session that was made", []process{line(13, 1, 12, 12, 103), line(14, 1, 14, 12, 104)}, []int{13, 14}},
		{"one that is older does not, whatever its number", []process{line(13, 1, 13, 13, 50)}, nil},
		{"a new one with an old number does not, nor does its group", []process{line(10, 1, 10, 1, 200), line(15, 10, 10, 1, 201), line(12, 1, 12, 12, 202)}, nil},
	}
	for _, test := range tests {
		got := pids(test.table...)
		if len(got) != len(test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s: %v, want %v", test.name, got, test.want)
			}
		}
	}
}

func TestReserve_SizesAndFreeSpace_FollowTheRule(t *testing.T) {
	t.Parallel()
	const gib = 1 << 30
	tests := []struct {
		name             string
		size, free, want uint64
	}{
		{"a small disk keeps 1 GiB", 10 * gib, 8 * gib, gib},
		{"a large disk keeps 5 %", 100 * gib, 50 * gib, 5 * gib},
		{"a disk that is almost full keeps half of the rest", 100 * gib, 2 * gib, gib},
		{"a full disk keeps nothing", 100 * gib, 0, 0},
		{"a disk below 1 GiB keeps half of its free space", gib / 2, gib / 4, gib / 8},
	}
	for _, test := range tests {
		if got := reserve(test.size, test.free); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// A plain directory shows what is written to a cgroup of version 2.
func TestLimiter_Version2_WritesEveryLimit(t *testing.T) {
	t.Parallel()
	dir := cgroup(t.TempDir())
	limits := Limits{Memory: 1 << 20, Processes: 7, CPU: 1.5}
	l := &limiter{limits: limits, means: byCgroup2, groups: map[string]cgroup{"memory": dir, "pids": dir, "cpu": dir}}
	files := map[string]string{"memory.max": "1048576", "memory.swap.max": "0", "pids.max": "7", "cpu.max": "150000 100000"}
	for name := range files {
		if err := os.WriteFile(filepath.Join(string(dir), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.write(settings2); err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(string(dir), name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	for file, text := range map[string]string{"memory.events": "low 0\noom 3\noom_kill 2\n", "pids.events": "max 0\n"} {
		if err := os.WriteFile(filepath.Join(string(dir), file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if means, reached := (&container{limiter: l}).limited(); means != byCgroup2 || reached != "memory" {
		t.Errorf("%q by %q", reached, means)
	}
}

func TestLimiter_MemoryPercentInVersion2_LeavesSwap(t *testing.T) {
	t.Parallel()
	dir := cgroup(t.TempDir())
	l := &limiter{limits: Limits{MemoryPercent: 75}.Resolve(), means: byCgroup2, groups: map[string]cgroup{"memory": dir}}
	if err := l.write(settings2); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(string(dir), "memory.max")); err != nil || len(text) < 8 {
		t.Errorf("memory.max: %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(string(dir), "memory.swap.max")); err == nil {
		t.Error("swap is limited")
	}
}

func TestGroupDir_Version1_FindsControllersMountedTogether(t *testing.T) {
	t.Parallel()
	const mounts = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
		"33 31 0:30 /docker/a /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	for controller, want := range map[string]string{"cpu": "/sys/fs/cgroup/cpu,cpuacct/docker/a/b", "memory": "/sys/fs/cgroup/memory/b", "pids": ""} {
		if got := groupDir(mounts, "cgroup", controller, "/docker/a/b"); got != want {
			t.Errorf("%s: %q, want %q", controller, got, want)
		}
	}
}
