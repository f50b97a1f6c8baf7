package bellcord_test

import (
	"errors"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestCheckReply_ScopeIsRequired_WhoeverLacksItCanOnlyReject(t *testing.T) {
	t.Parallel()
	q := bellcord.Question{Requires: bellcord.ScopeAdmin, Choices: []bellcord.Choice{
		{ID: "allow", Kind: "allow_once"}, {ID: "always", Kind: "allow_always"}, {ID: "reject", Kind: "reject_once"}, {ID: "never", Kind: "reject_always"},
	}}
	prompt := []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopePrompt, bellcord.ScopeStop, bellcord.ScopeUndo}
	admin := []bellcord.Scope{bellcord.ScopeAdmin}
	for choice, rejects := range map[string]bool{"allow": false, "always": false, "unknown": false, "": false, "reject\x00": false, "reject": true, "never": true} {
		for _, scopes := range [][]bellcord.Scope{nil, prompt} {
			_, err := q.CheckReply(bellcord.Reply{Choice: choice, Scopes: scopes})
			if errors.Is(err, bellcord.ErrAnswerScope) == rejects {
				t.Errorf("%q with %v: %v", choice, scopes, err)
			}
		}
		if _, err := q.CheckReply(bellcord.Reply{Choice: choice, Scopes: admin}); err != nil {
			t.Errorf("%q with admin: %v", choice, err)
		}
	}
	if got := q.ChoicesFor(prompt); len(got) != 2 || got[0].ID != "reject" || got[1].ID != "never" {
		t.Errorf("without the scope: %+v", got)
	}
	if got := q.ChoicesFor(admin); len(got) != 4 {
		t.Errorf("with the scope: %+v", got)
	}
	q.Requires = ""
	if _, err := q.CheckReply(bellcord.Reply{Choice: "allow"}); err != nil || len(q.ChoicesFor(nil)) != 4 {
		t.Errorf("a question that requires none: %v", err)
	}
}
