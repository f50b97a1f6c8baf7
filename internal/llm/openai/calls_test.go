package openai_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/llm"
)

// fragments returns a chunk with fragments of tool calls.
func fragments(pieces ...string) string {
	return delta(`"tool_calls":[` + strings.Join(pieces, ",") + `]`)
}

// fragment returns one fragment. It omits an empty id and a negative index.
func fragment(index int, id, name, args string) string {
	var fields []string
	if index >= 0 {
		fields = append(fields, fmt.Sprintf(`"index":%d`, index))
	}
	if id != "" {
		fields = append(fields, fmt.Sprintf(`"id":%q`, id))
	}
	return fmt.Sprintf(`{%s}`, strings.Join(append(fields, fmt.Sprintf(`"function":{"name":%q,"arguments":%q}`, name, args)), ","))
}

func TestAsk_ToolCallFragmentVariants_AreAssembled(t *testing.T) {
	t.Parallel()
	const none = -1
	two := []llm.Call{{ID: "a", Name: "look", Args: `{"x":1}`}, {ID: "b", Name: "wait", Args: `{"y":2}`}}
	for name, c := range map[string]struct {
		events []string
		want   []llm.Call
	}{
		"fragments interleaved by index": {[]string{
			fragments(fragment(0, "a", "look", "")), fragments(fragment(1, "b", "wait", "")),
			fragments(fragment(0, "", "", `{"x"`), fragment(1, "", "", `{"y":`)),
			fragments(fragment(1, "", "", `2}`)), fragments(fragment(0, "", "", `:1}`)),
		}, two},
		"id and name repeated": {[]string{
			fragments(fragment(0, "a", "look", `{"x"`)), fragments(fragment(0, "a", "look", `:1}`)), fragments(fragment(0, "a", "look", ``)),
			fragments(fragment(1, "b", "wait", `{"y":`)), fragments(fragment(1, "b", "wait", `2}`)),
		}, two},
		"no index, fragments": {[]string{
			fragments(fragment(none, "a", "look", "")), fragments(fragment(none, "", "", `{"x"`)), fragments(fragment(none, "", "", `:1}`)),
			fragments(fragment(none, "b", "wait", "")), fragments(fragment(none, "", "", `{"y":2}`)),
		}, two},
		"no index, id and name repeated": {[]string{
			fragments(fragment(none, "a", "look", `{"x"`)), fragments(fragment(none, "b", "wait", `{"y"`)),
			fragments(fragment(none, "a", "look", `:1}`)), fragments(fragment(none, "b", "wait", `:2}`)),
		}, two},
		"no index, whole calls in one chunk": {[]string{fragments(fragment(none, "a", "look", `{"x":1}`), fragment(none, "b", "wait", `{"y":2}`))}, two},
		"all with index 0, whole calls":      {[]string{fragments(fragment(0, "a", "look", `{"x":1}`)), fragments(fragment(0, "b", "wait", `{"y":2}`))}, two},
		"all with index 0, the first without arguments": {[]string{
			fragments(fragment(0, "a", "look", "")), fragments(fragment(0, "b", "look", "")),
		}, []llm.Call{{ID: "a", Name: "look", Args: `{}`}, {ID: "b", Name: "look", Args: `{}`}}},
		"no index and no id": {[]string{
			fragments(fragment(none, "", "look", `{"x":1}`)), fragments(fragment(none, "", "look", `{"x":2}`)), fragments(fragment(none, "", "wait", ``)),
		}, []llm.Call{{ID: "call_0", Name: "look", Args: `{"x":1}`}, {ID: "call_1", Name: "look", Args: `{"x":2}`}, {ID: "call_2", Name: "wait", Args: `{}`}}},
		"no index and no id, name repeated": {[]string{
			fragments(fragment(none, "", "look", `{"x"`)), fragments(fragment(none, "", "look", `:1}`)),
		}, []llm.Call{{ID: "call_0", Name: "look", Args: `{"x":1}`}}},
		"all with the same id": {[]string{
			fragments(fragment(0, "a", "look", `{"x":1}`)), fragments(fragment(1, "a", "look", `{"x":2}`)), fragments(fragment(2, "a", "look", `{}`)),
		}, []llm.Call{{ID: "a", Name: "look", Args: `{"x":1}`}, {ID: "a_1", Name: "look", Args: `{"x":2}`}, {ID: "a_2", Name: "look", Args: `{}`}}},
		"an id that looks like ours": {[]string{
			fragments(fragment(0, "call_1", "look", `{}`)), fragments(fragment(1, "", "look", `{}`)),
		}, []llm.Call{{ID: "call_1", Name: "look", Args: `{}`}, {ID: "call_1_1", Name: "look", Args: `{}`}}},
		"a name in pieces":             {[]string{fragments(fragment(0, "a", "lo", "")), fragments(fragment(0, "", "ok", "")), fragments(fragment(0, "", "", "{}"))}, []llm.Call{{ID: "a", Name: "look", Args: `{}`}}},
		"an id that comes late":        {[]string{fragments(fragment(0, "", "look", "")), fragments(fragment(0, "a", "", "{}"))}, []llm.Call{{ID: "a", Name: "look", Args: `{}`}}},
		"no arguments":                 {[]string{fragments(fragment(0, "a", "look", " "))}, []llm.Call{{ID: "a", Name: "look", Args: `{}`}}},
		"arguments that are not JSON":  {[]string{fragments(fragment(0, "a", "look", `{"x":`))}, []llm.Call{{ID: "a", Name: "look", Args: `{"x":`}}},
		"indexes that start elsewhere": {[]string{fragments(fragment(7, "a", "look", `{"x":1}`)), fragments(fragment(9, "b", "wait", `{"y":2}`))}, two},
	} {
		for _, reason := range []string{"tool_calls", "function_call", "stop"} {
			t.Run(name+", finish "+reason, func(t *testing.T) {
				t.Parallel()
				p := serving(t, saying(append(slices.Clone(c.events), finish(reason), "[DONE]")...))
				reply, err := p.Generate(t.Context(), prompt("hello"), ignore)
				if err != nil || reply.Finish != "tool_calls" || !reflect.DeepEqual(reply.Calls, c.want) {
					t.Errorf("reply %+v, %v; want %+v", reply, err, c.want)
				}
			})
		}
	}
}

func TestAsk_ToolCallsOfFakeModel_ArriveComplete(t *testing.T) {
	t.Parallel()
	p, _ := fake(t)
	reply, err := p.Generate(t.Context(), prompt(`[tool look {"path":"a b","n":1}] [tool wait {}] [badargs look]`), ignore)
	if err != nil || reply.Finish != "tool_calls" || len(reply.Calls) != 3 {
		t.Fatalf("reply %+v, %v", reply, err)
	}
	if c := reply.Calls[0]; c.ID == "" || c.Name != "look" || c.Args != `{"path":"a b","n":1}` {
		t.Errorf("call %+v", c)
	}
	if c := reply.Calls[1]; c.Name != "wait" || c.Args != `{}` {
		t.Errorf("call %+v", c)
	}
}

func TestAsk_CallTruncatedByTokenLimit_KeepsArgumentsEmpty(t *testing.T) {
	t.Parallel()
	p := serving(t, saying(fragments(fragment(0, "a", "remove_all", "")), finish("length"), "[DONE]"))
	reply, err := p.Generate(t.Context(), prompt("hello"), ignore)
	if want := []llm.Call{{ID: "a", Name: "remove_all"}}; err != nil || reply.Finish != "max_output" || !reflect.DeepEqual(reply.Calls, want) {
		t.Errorf("reply %+v, %v", reply, err)
	}
}

func TestAsk_CallWithoutName_ReturnsError(t *testing.T) {
	t.Parallel()
	p := serving(t, saying(fragments(fragment(0, "a", "", "{}")), finish("tool_calls"), "[DONE]"))
	_, err := p.Generate(t.Context(), prompt("hello"), ignore)
	notPassing(t, err, "without a name")
}
