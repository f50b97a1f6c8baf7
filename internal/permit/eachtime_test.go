package permit_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/permit"
)

func TestDecide_CallNeedsApprovalEachTime_IsAskedInEveryModeAndNeverGranted(t *testing.T) {
	t.Parallel()
	p, err := permit.NewPolicy([]string{"shell(make *)"}, []string{"shell(rm *)"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	session := permit.Session{ID: "s"}
	c := permit.Call{Tool: "shell", Effect: permit.Executes, Subject: "make all", Exact: "make all", EachTime: "it is outside"}
	for mode, want := range map[permit.Mode]permit.Verdict{permit.ReadOnly: permit.Deny, permit.Ask: permit.Put, permit.AutoEdit: permit.Put, permit.Full: permit.Put} {
		if d := p.Decide(session, mode, c); d.Verdict != want {
			t.Errorf("%s: %+v, want %s", mode, d, want)
		}
	}
	if err := p.Grant(session, c, false); err == nil {
		t.Error("the call was granted for the session")
	}
	if d := p.Decide(session, permit.Full, permit.Call{Tool: "shell", Effect: permit.Executes, Subject: "rm x", EachTime: "it is outside"}); d.Verdict != permit.Deny {
		t.Errorf("a denied call: %+v", d)
	}
	c.EachTime = ""
	if d := p.Decide(session, permit.Ask, c); d.Verdict != permit.Allow {
		t.Errorf("the same call without the reason: %+v", d)
	}
}
