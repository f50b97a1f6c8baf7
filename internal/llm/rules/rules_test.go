package rules_test

import (
	"encoding/json"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm/rules"
)

func TestRules_InvalidHistories_AreRejectedAsByTheAPI(t *testing.T) {
	t.Parallel()
	user := bellcord.Message{Role: bellcord.RoleUser, Text: "hello"}
	answer := bellcord.Message{Role: bellcord.RoleAssistant, Text: "hi"}
	call := func(id, name, args string) bellcord.CallRequest {
		return bellcord.CallRequest{ID: id, Name: name, Arguments: json.RawMessage(args)}
	}
	calls := func(c ...bellcord.CallRequest) bellcord.Message {
		return bellcord.Message{Role: bellcord.RoleAssistant, Calls: c}
	}
	result := func(id string) bellcord.Message {
		return bellcord.Message{Role: bellcord.RoleTool, Call: id, Name: "look", Text: "a.go"}
	}
	thinks := func(seal, text string, at int) bellcord.Message {
		return bellcord.Message{Role: bellcord.RoleAssistant, Text: text, Thinking: []bellcord.Thinking{{At: at, Text: "hm", Signature: json.RawMessage(seal)}}}
	}
	everybody := []string{"chat", "responses", "anthropic", "gemini"}
	tests := []struct {
		name    string
		history []bellcord.Message
		refuse  []string
	}{
		{"a plain conversation", []bellcord.Message{user, answer, user}, nil},
		{"calls with their results", []bellcord.Message{user, calls(call("a", "look", `{}`), call("b", "look", `{}`)), result("a"), result("b")}, nil},
		{"a sealed thought", []bellcord.Message{user, thinks(`{}`, "so", 0), user}, nil},
		{"an image alone", []bellcord.Message{{Role: bellcord.RoleUser, Images: []bellcord.Image{{}}}}, nil},
		{"no message", nil, everybody},
		{"the model begins", []bellcord.Message{answer, user}, everybody},
		{"the model ends", []bellcord.Message{user, answer}, everybody},
		{"two answers in a row", []bellcord.Message{user, answer, answer, user}, everybody},
		{"an empty prompt", []bellcord.Message{{Role: bellcord.RoleUser, Text: " \n"}}, everybody},
		{"an empty answer", []bellcord.Message{user, {Role: bellcord.RoleAssistant}, user}, everybody},
		{"an empty result", []bellcord.Message{user, calls(call("a", "look", `{}`)), {Role: bellcord.RoleTool, Call: "a", Name: "look"}}, everybody},
		{"a call without a result", []bellcord.Message{user, calls(call("a", "look", `{}`)), user}, everybody},
		{"results in another order", []bellcord.Message{user, calls(call("a", "look", `{}`), call("b", "look", `{}`)), result("b"), result("a")}, everybody},
		{"a result without a call", []bellcord.Message{user, result("a")}, everybody},
		{"one result too many", []bellcord.Message{user, calls(call("a", "look", `{}`)), result("a"), result("a")}, everybody},
		{"an id twice", []bellcord.Message{user, calls(call("a", "look", `{}`), call("a", "look", `{}`)), result("a"), result("a")}, everybody},
		{"half arguments", []bellcord.Message{user, calls(call("a", "look", `{"x":`)), result("a")}, everybody},
		{"arguments that are null", []bellcord.Message{user, calls(call("a", "look", `null`)), result("a")}, everybody},
		{"a role that nobody has", []bellcord.Message{user, {Role: "ghost", Text: "boo"}, user}, everybody},
		{"a thought without a seal", []bellcord.Message{user, thinks(``, "so", 0), user}, []string{"responses", "anthropic", "gemini"}},
		{"a thought at the end", []bellcord.Message{user, thinks(`{}`, "so", 2), user}, []string{"responses", "anthropic"}},
		{"a name that begins with a digit", []bellcord.Message{user, calls(call("a", "2look", `{}`)), {Role: bellcord.RoleTool, Call: "a", Name: "2look", Text: "x"}}, []string{"gemini"}},
		{"a name with a blank", []bellcord.Message{user, calls(call("a", "look up", `{}`)), {Role: bellcord.RoleTool, Call: "a", Name: "look up", Text: "x"}}, everybody},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			refuses := map[string]bool{}
			for _, name := range test.refuse {
				refuses[name] = true
			}
			for name, rule := range rules.All {
				if err := rule(test.history); (err != nil) != refuses[name] {
					t.Errorf("%s says %v", name, err)
				}
			}
		})
	}
}
