package probe_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/probe"
)

// In each case, the conversation is between two prompts, in one of the four
// formats.
func TestTold_EveryFormat_GradesTheHistory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, part, calls, grade, want string }{
		{"chat, paired", `{"role":"assistant","content":"word1 w"}`, `{"role":"assistant","tool_calls":[{"id":"a","type":"function"}]},{"role":"tool","tool_call_id":"a"}`, probe.Pass, "kept"},
		{"chat, dangling", `{"role":"assistant","content":"word1 w"}`, `{"role":"assistant","tool_calls":[{"id":"a","type":"function"}]}`, probe.Fail, "without a result: 1"},
		{"messages, paired", `{"type":"text","text":"[Request interrupted]"}`, `{"type":"tool_use","id":"a"},{"type":"tool_result","tool_use_id":"a"}`, probe.Pass, "mentions the cut"},
		{"messages, twice", `{"type":"text","text":"word1"}`, `{"type":"tool_use","id":"a"},{"type":"tool_use","id":"a"},{"type":"tool_result","tool_use_id":"a"}`, probe.Fail, "duplicate calls or results: 1"},
		{"messages, two results", `{"type":"text","text":"word1"}`, `{"type":"tool_use","id":"a"},{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"a"}`, probe.Fail, "duplicate calls or results: 1"},
		{"responses, paired", `{"type":"message","content":"word1"}`, `{"type":"function_call","id":"fc","call_id":"a"},{"type":"function_call_output","call_id":"a"}`, probe.Pass, "kept"},
		{"responses, a stray result", `{"type":"message","content":"word1"}`, `{"type":"function_call_output","call_id":"a"}`, probe.Fail, "without a call: 1"},
		{"gemini, paired without ids", `{"parts":[{"text":"word1"}]}`, `{"parts":[{"functionCall":{"name":"shell"}}]},{"parts":[{"functionResponse":{"name":"shell"}}]}`, probe.Pass, "kept"},
		{"gemini, dangling", `{"parts":[{"text":"word1"}]}`, `{"parts":[{"functionCall":{"name":"shell"}}]}`, probe.Fail, "without a result: 1"},
		{"the call forgotten", `{"role":"assistant","content":"word1"}`, `{}`, probe.Fail, "does not mention the stopped tool"},
		{"the call told in words", `{"role":"assistant","content":"word1"}`, `{"role":"user","content":"the shell was interrupted"}`, probe.Pass, "kept"},
		{"all forgotten", `{"role":"user","content":"hm"}`, `{}`, probe.Fail, "the history does not mention"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			raw := `{"tools":[{"id":"x","type":"function"}],"messages":[{"content":"probe-1 [slow 9 9ms]"},` + tt.part + `,{"content":"probe-2 [tool]"},` + tt.calls + `,{"content":"probe-3"}]}`
			grade, observed := probe.GradeHistory([]byte(raw), "word1 word2")
			if grade != tt.grade || !strings.Contains(observed, tt.want) {
				t.Errorf("%s: %s", grade, observed)
			}
		})
	}
}
