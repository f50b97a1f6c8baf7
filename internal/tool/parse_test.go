package tool_test

import (
	"encoding/json"
	"testing"

	"github.com/bellcord/bellcord/internal/tool"
)

func TestCheck_MalformedArguments_Fails(t *testing.T) {
	t.Parallel()
	read, shell := tool.ReadFile(), aShell(t)
	tests := []struct {
		name string
		of   tool.Tool
		args string
		fine bool
	}{
		{"a path", read, `{"path":"x"}`, true},
		{"all there is", read, ` {"path":"x","offset":1,"limit":2} `, true},
		{"a command", shell, `{"command":"ls"}`, true},
		{"nothing", read, ``, false},
		{"no path", read, `{}`, false},
		{"no command", shell, `{}`, false},
		{"a command that is blank", shell, `{"command":" \n"}`, false},
		{"a field that is unknown", read, `{"path":"x","lines":3}`, false},
		{"a field of another tool", shell, `{"command":"ls","path":"x"}`, false},
		{"a number where a text belongs", shell, `{"command":7}`, false},
		{"a text where a number belongs", read, `{"path":"x","offset":"3"}`, false},
		{"half a line", read, `{"path":"x","offset":1.5}`, false},
		{"half an object", shell, `{"command":"rm -rf /tmp/x`, false},
		{"an object and a half", shell, `{"command":"ls"}{"comm`, false},
		{"two objects", shell, `{"command":"ls"}{"command":"rm"}`, false},
		{"something behind the object", shell, `{"command":"ls"} ls`, false},
		{"a list", shell, `[{"command":"ls"}]`, false},
		{"null", shell, `null`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if err := test.of.Check(json.RawMessage(test.args)); (err == nil) != test.fine {
				t.Errorf("%s: %v", test.args, err)
			}
		})
	}
}

// The schema that a model receives must match the arguments that the tool
// accepts.
func TestBuiltin_EveryTool_HasStrictSchemaAndQuestionUnlessSafe(t *testing.T) {
	t.Parallel()
	for _, of := range tool.Builtin(nil, nil) {
		var schema struct {
			Type       string
			Properties map[string]any
			Additional *bool `json:"additionalProperties"`
		}
		if err := json.Unmarshal(of.Schema, &schema); err != nil || schema.Type != "object" || len(schema.Properties) == 0 || schema.Additional == nil || *schema.Additional {
			t.Errorf("%s: schema %s, %v", of.Name, of.Schema, err)
		}
		if of.Description == "" || of.Safe == (of.Question != nil) {
			t.Errorf("%s: what changes things asks first, and only that", of.Name)
		}
	}
	if q := aShell(t).Question(json.RawMessage(`{"command":"make all"}`)); q != "Run `make all`?" {
		t.Errorf("asked %q", q)
	}
}
