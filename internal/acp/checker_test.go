package acp

import (
	"reflect"
	"strings"
	"testing"
)

// These tests verify that the comparison with the schema detects differences.
func TestChecker_TypeDiffersFromSchema_IsReported(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, definition, want string
		value                  any
	}{
		{"an unknown member", "ReadTextFileResponse", `no member "text"`, struct {
			Content string `json:"content"`
			Text    string `json:"text"`
		}{}},
		{"a required member that is missing", "ReadTextFileResponse", "content is required", struct{}{}},
		{"a required member that may be left out", "ReadTextFileResponse", "content is required", struct {
			Content string `json:"content,omitempty"`
		}{}},
		{"a member of another type", "ReadTextFileResponse", "content is a integer", struct {
			Content int `json:"content"`
		}{}},
		{"a list that is none", "CreateTerminalResponse", "terminalId is a array", struct {
			TerminalID []string `json:"terminalId"`
		}{}},
		{"a member of an alternative that is missing", "McpServer", "headers is required in an alternative", struct {
			Name    string   `json:"name"`
			Command string   `json:"command"`
			Args    []string `json:"args"`
			Env     []any    `json:"env"`
			URL     string   `json:"url"`
		}{}},
		{"a constant too many", "PromptResponse", "the constants of StopReason", struct {
			StopReason StopReason `json:"stopReason"`
		}{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newChecker(t)
			c.enums["StopReason"] = append(c.enums["StopReason"], "error")
			c.check("it", reflect.TypeOf(test.value), c.named(test.definition))
			if got := strings.Join(c.differences, "\n"); !strings.Contains(got, test.want) {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}

func TestChecker_UpdateNotInSchema_IsReported(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	c.checkUpdates("it", map[string]reflect.Type{"plan": reflect.TypeFor[Plan](), "plan_removed": reflect.TypeFor[Plan]()}, c.named("SessionUpdate"))
	if got := strings.Join(c.differences, "\n"); got != "it: the schema has no plan_removed" {
		t.Errorf("found %q", got)
	}
}
