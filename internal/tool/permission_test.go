package tool_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
)

func TestPermission_Arguments_GiveSubjectThatRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		of      tool.Tool
		args    string
		subject string
		effect  permit.Effect
	}{
		{tool.Shell(nil, nil), `{"command":"git status"}`, "git status", permit.Executes},
		{tool.WriteFile(), `{"path":"./x/../.env","content":""}`, ".env", permit.Edits},
		{tool.WriteFile(), `{"path":` + quoted(filepath.Join(dir, "a", "b")) + `,"content":""}`, "a/b", permit.Edits},
		{tool.EditFile(), `{"path":"a//b","old":"x","new":"y"}`, "a/b", permit.Edits},
		{tool.Fetch(tool.FetchOptions{}), `{"url":"https://example.org/x"}`, "https://example.org/x", permit.Reaches},
		{tool.ReadFile(), `{"path":"a"}`, "a", permit.Reads},
	} {
		got := c.of.Permission(dir, json.RawMessage(c.args))
		if got.Tool != c.of.Name || got.Subject != c.subject || got.Effect != c.effect {
			t.Errorf("%s %s: %+v", c.of.Name, c.args, got)
		}
	}
}

func TestCheck_KeyMisspelledOrDuplicate_Fails(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		`{"command":"git status","Command":"rm -rf /"}`, `{"COMMAND":"ls"}`, `{"command":"git status","command":"rm -rf /"}`,
	} {
		if err := tool.Shell(nil, nil).Check(json.RawMessage(args)); err == nil {
			t.Errorf("%s was taken", args)
		}
	}
}

func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func TestPermission_ReadFileOfDirectory_FollowsRulesOfListDir(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"secret/a.txt": "a", "b.txt": "b"})
	policy, err := permit.NewPolicy(nil, []string{"list_dir(secret*)"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]permit.Verdict{"secret": permit.Deny, "`secret`": permit.Deny, "./secret/": permit.Deny, "secret/a.txt": permit.Allow, "b.txt": permit.Allow, ".": permit.Allow} {
		call := tool.ReadFile().Permission(dir, json.RawMessage(`{"path":`+quoted(path)+`}`))
		if got := policy.Decide(permit.Session{}, permit.Ask, call).Verdict; got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
