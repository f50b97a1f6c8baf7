package bellcord_test

import (
	"testing"

	"github.com/bellcord/bellcord"
)

func TestProcesses_AddedWithAnotherProof_HaveTheWeakerOne(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ one, other, want string }{
		{"", "cgroup_empty", "cgroup_empty"},
		{"cgroup_empty", "", "cgroup_empty"},
		{"cgroup_empty", "editor_reported", "editor_reported"},
		{"editor_reported", "cgroup_empty", "editor_reported"},
		{"process_scan", "cgroup_empty", "process_scan"},
		{"process_scan", "editor_reported", "editor_reported"},
		{"job_object", "process_scan", "process_scan"},
		{"pid_namespace", "cgroup_empty", "cgroup_empty"},
		{"pid_namespace", "pid_namespace", "pid_namespace"},
	} {
		p := bellcord.Processes{Ended: []bellcord.Process{{PID: 1}}, Proof: test.one}
		p.Add(bellcord.Processes{Ended: []bellcord.Process{{PID: 2}}, Proof: test.other})
		if p.Proof != test.want || len(p.Ended) != 2 {
			t.Errorf("%q and %q: %+v, want %q", test.one, test.other, p, test.want)
		}
	}
}
