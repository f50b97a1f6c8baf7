package mcp_test

import (
	"encoding/json"
	"testing"

	"github.com/bellcord/bellcord/internal/permit"
)

func TestPermission_GrantForGood_AllowsOnlyThatCall(t *testing.T) {
	t.Parallel()
	_, set := openScripted(t, func(req request) []string {
		if req.Method != "tools/list" {
			return nil
		}
		return []string{result(req, `{"tools":[{"name":"remove","inputSchema":{"type":"object"}}]}`)}
	})
	remove := tools(t, set)["mcp_fake_remove"]
	one, other := remove.Permission("", json.RawMessage(`{"path": "draft"}`)), remove.Permission("", json.RawMessage(`{"path":"*"}`))
	policy, err := permit.NewPolicy(nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := policy.Grant(permit.Session{ID: "s"}, one, true); err != nil {
		t.Fatal(err)
	}
	if d := policy.Decide(permit.Session{ID: "s"}, permit.Ask, one); d.Verdict != permit.Allow {
		t.Errorf("what was allowed is asked again: %+v", d)
	}
	if d := policy.Decide(permit.Session{ID: "s"}, permit.Ask, other); d.Verdict != permit.Put {
		t.Errorf("another call is allowed with it: %+v", d)
	}
	whole, err := permit.NewPolicy([]string{"mcp_fake_*"}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := whole.Decide(permit.Session{ID: "s"}, permit.Ask, other); d.Verdict != permit.Allow {
		t.Errorf("a rule for all of a server's tools does not hold: %+v", d)
	}
}
