package probe_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/probe"
)

func TestReport_TableAndJSON_ContainAllResults(t *testing.T) {
	t.Parallel()
	r := probe.Report{Name: "some agent", Version: "1.2", Protocol: probe.ACP, Results: []probe.Result{
		{Check: "idle-cancel", Law: "3", Grade: probe.Pass, Saw: "next prompt: end_turn", Took: time.Second},
		{Check: "exit-on-eof", Law: "15", Grade: probe.Fail, Saw: "idle: still running after 5.0 s"},
		{Check: "cancel-request", Law: "4", Grade: probe.Skip, Saw: "ignored for 3.0 s"},
	}}
	want := `some agent 1.2
check           law  grade  observed
idle-cancel     3    pass   next prompt: end_turn
exit-on-eof     15   fail   idle: still running after 5.0 s
cancel-request  4    skip   ignored for 3.0 s
1 pass, 1 fail, 1 skip
`
	if got := r.Table(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if r.Failed() != 1 {
		t.Errorf("%d failed", r.Failed())
	}
	line, err := json.Marshal(r.Results[0])
	if want := `{"check":"idle-cancel","law":"3","grade":"pass","saw":"next prompt: end_turn","took_ns":1000000000}`; err != nil || string(line) != want {
		t.Errorf("%s %v", line, err)
	}
}

func TestRun_AgentCannotBeGraded_ReturnsError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		target     probe.Target
		opts       probe.Options
	}{
		{"a program that is not there", "no-such-program", probe.Target{Command: []string{"no-such-program"}}, probe.Options{}},
		{"one that leaves at once, with its last words", "no key", probe.Target{Command: []string{"sh", "-c", "echo no key >&2"}}, probe.Options{}},
		{"one that never answers", "no answer", probe.Target{Command: []string{"sh", "-c", "cat >/dev/null"}}, probe.Options{Starting: 100 * time.Millisecond}},
		{"a protocol that is not spoken", "telnet", probe.Target{Protocol: "telnet"}, probe.Options{}},
		{"a check that does not exist", "no-such-check", probe.Target{}, probe.Options{Only: []string{"no-such-check"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report, err := probe.Run(context.Background(), tt.target, tt.opts)
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(report.Results) > 0 {
				t.Errorf("%v, %v", report, err)
			}
		})
	}
}
