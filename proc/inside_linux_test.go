package proc

import "testing"

func TestCgroupDir_AllMountLayouts_ReturnsDirectory(t *testing.T) {
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
		if got := cgroupDir(test.mounts, test.path); got != test.want {
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
