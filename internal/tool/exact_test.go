package tool_test

import (
	"encoding/json"
	"testing"

	"github.com/bellcord/bellcord/internal/tool"
)

func TestPermission_Exact_ContainsEverythingThatAffectsCall(t *testing.T) {
	t.Parallel()
	exact := func(of tool.Tool, args string) string { return of.Permission("/work", json.RawMessage(args)).Exact }
	shell, write := tool.Shell(nil, nil), tool.WriteFile()
	for _, c := range []struct {
		of         tool.Tool
		one, other string
		same       bool
	}{
		{shell, `{"command":"ls"}`, `{"command":"ls "}`, false},
		{shell, `{"command":"ls"}`, `{"command":"ls","background":true}`, false},
		{shell, `{"command":"ls"}`, `{ "timeout": 5, "command": "ls", "background": false }`, true},
		{shell, `{"command":"ls '*'"}`, `{"command":"ls *"}`, false},
		{write, `{"path":"a","content":"x"}`, `{"path":"a","content":"y"}`, false},
		{write, `{"path":"a","content":"x"}`, `{"path": "a", "content": "x"}`, true},
	} {
		if got := exact(c.of, c.one) == exact(c.of, c.other); got != c.same || exact(c.of, c.one) == "" {
			t.Errorf("%s and %s: the same %t, want %t", c.one, c.other, got, c.same)
		}
	}
}
