package responses_test

import (
	"reflect"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

func TestAsk_ToolCalls_CountOnceTheirItemsAreDone(t *testing.T) {
	t.Parallel()
	a, b := toolCall("a", "look", `{"x": 1}`, "completed"), toolCall("b", "wait", ``, "completed")
	for name, c := range map[string]struct {
		events []string
		want   []llm.Call
		finish string
	}{
		"two": {[]string{done(0, a), done(1, b), completed}, []llm.Call{{ID: "a", Name: "look", Args: `{"x": 1}`}, {ID: "b", Name: "wait", Args: `{}`}}, "tool_calls"},
		"one that is not done": {[]string{
			`{"type":"response.output_item.added","output_index":1,"item":` + b + `}`, piece("function_call_arguments", 1, "{}"),
			`{"type":"response.function_call_arguments.done","output_index":1,"arguments":"{}"}`, done(0, a), incomplete("max_output_tokens"),
		}, []llm.Call{{ID: "a", Name: "look", Args: `{"x": 1}`}}, "max_output"},
		"one cut short": {[]string{done(0, toolCall("a", "remove_all", ``, "incomplete")), incomplete("max_output_tokens")}, []llm.Call{{ID: "a", Name: "remove_all"}}, "max_output"},
		"one cut short, as OpenAI says it": {
			[]string{done(0, toolCall("a", "look", `{"x`, "in_progress")), incomplete("max_output_tokens")},
			[]llm.Call{{ID: "a", Name: "look", Args: `{"x`}},
			"max_output",
		},
		"without a status": {[]string{done(0, `{"type":"function_call","call_id":"a","name":"look"}`), completed}, []llm.Call{{ID: "a", Name: "look", Args: `{}`}}, "tool_calls"},
		"with one id":      {[]string{done(0, a), done(1, a), completed}, []llm.Call{{ID: "a", Name: "look", Args: `{"x": 1}`}, {ID: "a_1", Name: "look", Args: `{"x": 1}`}}, "tool_calls"},
		"without ids": {
			[]string{done(0, toolCall("", "look", `{}`, "completed")), done(1, toolCall("", "look", `{}`, "completed")), completed},
			[]llm.Call{{ID: "call_0", Name: "look", Args: `{}`}, {ID: "call_1", Name: "look", Args: `{}`}},
			"tool_calls",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply, err := serving(t, saying(c.events...)).Generate(t.Context(), prompt("hello"), ignore)
			if err != nil || reply.Finish != bellcord.Finish(c.finish) || !reflect.DeepEqual(reply.Calls, c.want) {
				t.Errorf("reply %+v, %v", reply, err)
			}
		})
	}
	_, err := serving(t, saying(done(0, toolCall("a", "", "{}", "completed")), completed)).Generate(t.Context(), prompt("hello"), ignore)
	failed(t, err, "", 0, "without a name")
}

func TestAsk_Reasoning_IsSignedOnlyWhenFinishedAndEncrypted(t *testing.T) {
	t.Parallel()
	const summary = `"summary":[{"type":"summary_text","text":"a <b>"}]`
	for name, c := range map[string]struct{ item, seal string }{
		"sealed":                {`{"type":"reasoning","id":"rs_1",` + summary + `,"encrypted_content":"xyz","status":"completed"}`, `{"id":"rs_1","summary":[{"type":"summary_text","text":"a \u003cb\u003e"}],"encrypted_content":"xyz"}`},
		"without a status":      {`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"xyz"}`, `{"id":"rs_1","summary":[],"encrypted_content":"xyz"}`},
		"without a summary":     {`{"type":"reasoning","id":"rs_1","encrypted_content":"xyz"}`, `{"id":"rs_1","summary":[],"encrypted_content":"xyz"}`},
		"cut short":             {`{"type":"reasoning","id":"rs_1",` + summary + `,"encrypted_content":"xyz","status":"incomplete"}`, ``},
		"not encrypted":         {`{"type":"reasoning","id":"rs_1",` + summary + `}`, ``},
		"encrypted, but null":   {`{"type":"reasoning","id":"rs_1",` + summary + `,"encrypted_content":null}`, ``},
		"nothing but encrypted": {`{"type":"reasoning","id":"rs_1","summary":null,"encrypted_content":"xyz"}`, `{"id":"rs_1","summary":[],"encrypted_content":"xyz"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := `{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}}`
			var h collected
			if _, err := serving(t, saying(begun, done(0, c.item), words("hello"), completed)).Generate(t.Context(), prompt("hello"), h.emit); err != nil {
				t.Fatal(err)
			}
			if c.seal == "" && len(h.thinking) != 0 {
				t.Errorf("heard %+v", h)
			}
			if c.seal != "" && (len(h.thinking) != 1 || string(h.thinking[0].Signature) != c.seal) {
				t.Errorf("heard %+v", h)
			}
		})
	}
}
