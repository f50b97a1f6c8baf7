package bellcord_test

import (
	"testing"

	"github.com/bellcord/bellcord"
)

func TestRecoveredProcesses_SameRecoveryTwice_CountsOnce(t *testing.T) {
	t.Parallel()
	sum := bellcord.NewRecoveredProcesses(bellcord.Processes{Unknown: bellcord.ProcessesNotChecked, Node: "a"})
	one := bellcord.ProcessesRecovered{Turn: "t", Recovery: "1", Processes: bellcord.Processes{
		Ended: []bellcord.Process{{PID: 5}}, Survivors: []bellcord.Process{{PID: 6}}, Proof: "cgroup_empty",
	}}
	sum.Add(one)
	sum.Add(one)
	if p := sum.Processes(); len(p.Ended) != 1 || len(p.Survivors) != 1 || p.Unknown != "" || p.Node != "" || p.Proof != "cgroup_empty" {
		t.Errorf("%+v", p)
	}
	sum.Add(bellcord.ProcessesRecovered{Turn: "t", Recovery: "2", Processes: bellcord.Processes{Ended: []bellcord.Process{{PID: 6}}, Proof: "process_scan"}})
	if p := sum.Processes(); len(p.Ended) != 2 || len(p.Survivors) != 0 || p.Proof != "process_scan" {
		t.Errorf("a survivor that ended later: %+v", p)
	}
}

func TestProcesses_NotChecked_TextNamesTheNode(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		processes bellcord.Processes
		want      string
	}{
		{bellcord.Processes{}, ""},
		{bellcord.Processes{Unknown: bellcord.ProcessesNotChecked}, "not known yet: not checked since Bellcord ended"},
		{bellcord.Processes{Unknown: bellcord.ProcessesNotChecked, Node: "a"}, "not known: node a is gone, and its machine was not checked since"},
		{bellcord.Processes{Unknown: bellcord.ProcessesContainerGone}, "not known: the container in which they ran is gone"},
	} {
		if got := of.processes.UnknownText(); got != of.want {
			t.Errorf("%q, want %q", got, of.want)
		}
	}
}
