package react_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestPlan_ValidCall_IsRecordedInEveryMode(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"read-only", "ask", "full"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			args := `{"explanation":"two steps","plan":[{"step":"look","status":"completed"},{"step":" change ","status":"in_progress"}]}`
			m := &model{script: []answer{step(1, "update_plan", args), {text: "done"}}}
			onStage(t, m, mode, none, func(t *testing.T, s *stage) {
				s.agent.Plan = true
				if r := s.run("go"); r.End != bellcord.EndDone || r.Calls.Finished != 1 {
					t.Fatalf("ended %s with %+v", r.End, r.Calls)
				}
				var plans []string
				for _, ev := range s.log() {
					if b, is := ev.Body.(bellcord.PlanUpdated); is {
						plans = append(plans, b.Markdown())
					}
				}
				if len(plans) != 1 || plans[0] != "- [x] look\n- [~] change" {
					t.Errorf("the plans are %q", plans)
				}
			})
		})
	}
}

func TestPlan_InvalidCall_RecordsNothingAndReportsWhy(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`{"plan":[]}`:  "1 to 50 steps",
		`{"todos":[]}`: "use explanation and plan",
		`{"plan":[{"step":"a","status":"done"}]}`:                                            "use pending, in_progress, completed",
		`{"plan":[{"step":" ","status":"pending"}]}`:                                         "step is missing in entry 1",
		`{"plan":[{"step":"a","status":"in_progress"},{"step":"b","status":"in_progress"}]}`: "more than one step is in_progress",
		`{"plan":[{"step":"` + strings.Repeat("x", 501) + `","status":"pending"}]}`:          "longer than 500 bytes",
	}
	for args, want := range tests {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			m := &model{script: []answer{step(1, "update_plan", args), {text: "done"}}}
			onStage(t, m, "full", none, func(t *testing.T, s *stage) {
				s.agent.Plan = true
				s.run("go")
				if got := s.resultSent("1"); !strings.Contains(got, want) {
					t.Errorf("the result is %s", got)
				}
				for _, ev := range s.log() {
					if _, is := ev.Body.(bellcord.PlanUpdated); is {
						t.Error("a plan was recorded")
					}
				}
			})
		})
	}
}
