package lifecycle_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
)

func TestEssential_ProcessesAreUnknown_StayUnknownOnTheNode(t *testing.T) {
	r := bellcord.Receipt{End: bellcord.EndLost, Processes: bellcord.Processes{Unknown: bellcord.ProcessesNotChecked, Node: "a"}}
	e := lifecycle.Essential(r, errors.New("too large"))
	if e.Processes.Unknown != bellcord.ProcessesNotChecked || e.Processes.Node != "a" {
		t.Errorf("%+v", e.Processes)
	}
	r.Processes.Node = strings.Repeat("a", bellcord.MaxName+1)
	e = lifecycle.Essential(r, errors.New("too large"))
	if e.Processes.Node != bellcord.ValidName(r.Processes.Node) {
		t.Errorf("the long name of a node is %q", e.Processes.Node)
	}
	if e = lifecycle.Essential(bellcord.Receipt{}, errors.New("too large")); e.Processes.Unknown != "" || e.Processes.Node != "" {
		t.Errorf("known processes: %+v", e.Processes)
	}
}

func TestEssential_ManyEndedProcesses_KeepsTheFirstWithValidNames(t *testing.T) {
	r := bellcord.Receipt{End: bellcord.EndDone, Incomplete: bellcord.IncompleteMaxOutput}
	long := strings.Repeat("x", bellcord.MaxName+1)
	for pid := range 1000 {
		r.Processes.Ended = append(r.Processes.Ended, bellcord.Process{PID: pid + 1, Name: long, How: "killed"})
	}
	e := lifecycle.Essential(r, errors.New("too large"))
	if n := len(e.Processes.Ended); n != 100 {
		t.Fatalf("%d ended processes, want 100", n)
	}
	if p := e.Processes.Ended[99]; p.PID != 100 || p.Name != bellcord.ValidName(long) || p.How != "killed" {
		t.Errorf("%+v", p)
	}
	if e.Incomplete != bellcord.IncompleteMaxOutput {
		t.Errorf("incomplete is %q", e.Incomplete)
	}
}
