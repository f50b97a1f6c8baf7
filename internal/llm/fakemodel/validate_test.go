package fakemodel_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

const (
	sys              = `{"role":"system","content":"s"}`
	user             = `{"role":"user","content":"u"}`
	assistantMessage = `{"role":"assistant","content":"a"}`
	two              = `{"role":"assistant","content":null,"tool_calls":[` + callA + `,` + callB + `]}`
	one              = `{"role":"assistant","tool_calls":[` + callA + `]}`

	callA   = `{"id":"A","type":"function","function":{"name":"f","arguments":"{}"}}`
	callB   = `{"id":"B","type":"function","function":{"name":"f","arguments":"{\"x\":[1]}"}}`
	resultA = `{"role":"tool","tool_call_id":"A","content":"ra"}`
	resultB = `{"role":"tool","tool_call_id":"B","content":[{"type":"text","text":"rb"}]}`
)

func with(messages ...string) string { return conversation(true, messages...) }

// called returns a conversation with one tool call and its result.
func called(call string) string {
	return with(user, `{"role":"assistant","tool_calls":[`+call+`]}`, resultA)
}

func tooled(tools string) string {
	return `{"model":"m","messages":[` + user + `],"tools":` + tools + `}`
}

const (
	toolF = `{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}`
	toolG = `{"type":"function","function":{"name":"g","description":"d","parameters":{"type":"object"}}}`
)

func TestValidate_ValidRequests_ReturnsNil(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		with(user), with(sys, user), with(sys, `{"role":"developer","content":"d"}`, user),
		with(user, user), with(user, assistantMessage, user), with(sys, assistantMessage, user),
		with(user, one, resultA), with(user, two, resultA, resultB), with(user, two, resultB, resultA, assistantMessage, user),
		with(user, one, resultA, one, resultA), with(user, one, resultA, user),
		with(user, `{"role":"assistant","content":"","tool_calls":[`+callA+`]}`, resultA),
		with(user, `{"role":"assistant","content":[{"type":"text","text":"t"}],"tool_calls":[`+callA+`]}`, resultA),
		with(user, `{"role":"assistant","content":"a","tool_calls":null}`, user),
		with(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}},{"type":"text","text":"t"}]}`),
		tooled(`[` + toolF + `,` + toolG + `]`), ` {"model":"m","stream":false,"messages":[` + user + `]} `,
		called(strings.Replace(callA, `"{}"`, `"{\"a\":1,\"a\":2} "`, 1)),
	} {
		if err := fakemodel.Validate([]byte(body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestValidate_InvalidRequests_ReturnsReason(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ body, want string }{
		{``, "request: is missing"},
		{`{`, "request: is not valid json"},
		{`[]`, "request: is not a json object"},
		{with(user) + `x`, "request: is not valid json"},
		{"{\"model\":\"\xff\"}", "request: is not valid utf-8"},
		{`{"model":"m","model":"m","messages":[` + user + `]}`, `request: key "model" is a duplicate`},
		{`{"messages":[` + user + `]}`, "model: is missing"},
		{`{"Model":"m","messages":[` + user + `]}`, "model: is missing"},
		{`{"model":" ","messages":[` + user + `]}`, "model: is empty"},
		{`{"model":3,"messages":[` + user + `]}`, "model: is not a string"},
		{`{"model":"m"}`, "messages: is missing"},
		{`{"model":"m","messages":null}`, "messages: is not an array"},
		{`{"model":"m","messages":[]}`, "messages: is empty"},
		{`{"model":"m","stream":1,"messages":[` + user + `]}`, "stream: is not true or false"},
		{`{"model":"m","stream_options":{},"messages":[` + user + `]}`, "stream_options: only allowed with stream true"},
		{with(`3`), "messages[0]: is not a json object"},
		{with(`{"role":"user","role":"user","content":"x"}`), `messages[0]: key "role" is a duplicate`},
		{with(`{"role":"bot","content":"x"}`), `messages[0]: role "bot" is unknown`},
		{with(`{"content":"x"}`), `messages[0]: role "" is unknown`},
		{with(user, sys, user), "messages[1]: a system message is only allowed at the start"},
		{with(`{"role":"user"}`), "messages[0]: content: is missing"},
		{with(`{"role":"user","content":null}`), "messages[0]: content: is missing"},
		{with(`{"role":"user","content":" \n"}`), "messages[0]: content: is empty"},
		{with(`{"role":"user","content":[]}`), "messages[0]: content: is empty"},
		{with(`{"role":"user","content":7}`), "messages[0]: content: is not a string"},
		{with(`{"role":"user","content":[{"type":"text","text":" "}]}`), "messages[0]: content[0]: is empty"},
		{with(`{"role":"user","content":[{"type":"image_url","image_url":{}}]}`), "messages[0]: content[0]: is missing"},
		{with(`{"role":"user","content":[{"type":"image_url"}]}`), "messages[0]: content[0]: image_url: is missing"},
		{with(`{"role":"user","content":["x"]}`), "messages[0]: content[0]: is not a json object"},
		{with(`{"role":"user","content":[{"type":"audio"}]}`), `messages[0]: content[0]: part of type "audio" is not allowed here`},
		{with(`{"role":"system","content":[{"type":"image_url","image_url":{"url":"x"}}]}`, user), `messages[0]: content[0]: part of type "image_url"`},
		{with(`{"role":"system","content":""}`, user), "messages[0]: content: is empty"},
		{with(user, `{"role":"assistant","content":""}`, user), "messages[1]: content: is empty"},
		{with(user, `{"role":"assistant","content":3,"tool_calls":[`+callA+`]}`, resultA), "messages[1]: content: is not a string"},
		{with(user, assistantMessage), "messages[1]: the last message has role assistant"},
		{with(sys), "messages[0]: the last message has role system"},
		{with(user, assistantMessage, assistantMessage, user), "messages[2]: an assistant message follows another one directly"},
		{with(user, one), `messages[1]: the messages end, but tool call "A" has no result`},
		{with(user, two, resultA), `messages[2]: the messages end, but tool call "B" has no result`},
		{with(user, two, resultA, user), `messages[3]: role is "user", but tool call "B" has no result yet`},
		{with(user, one, assistantMessage, resultA), `messages[2]: role is "assistant", but tool call "A" has no result yet`},
		{with(user, one, resultB), `messages[2]: tool_call_id "B" does not match a call`},
		{with(user, one, resultA, resultA), `messages[3]: tool_call_id "A" does not match a call`},
		{with(user, one, resultA, user, resultA), `messages[4]: tool_call_id "A" does not match a call`},
		{with(resultA), `messages[0]: tool_call_id "A" does not match a call`},
		{with(user, one, `{"role":"tool","tool_call_id":"A","content":""}`), "messages[2]: content: is empty"},
		{with(user, `{"role":"assistant","tool_calls":[]}`, user), "messages[1]: tool_calls: is empty"},
		{with(user, `{"role":"assistant","tool_calls":{}}`, user), "messages[1]: tool_calls: is not an array"},
		{called(callA + `,` + callA), `messages[1]: tool_calls[1]: id "A" is a duplicate`},
		{called(`3`), "messages[1]: tool_calls[0]: is not a json object"},
		{called(strings.Replace(callA, `"A"`, `""`, 1)), "messages[1]: tool_calls[0]: id: is empty"},
		{called(strings.Replace(callA, `"function",`, `"tool",`, 1)), "messages[1]: tool_calls[0]: type is not function"},
		{called(`{"id":"A","type":"function"}`), "messages[1]: tool_calls[0]: function: is missing"},
		{called(strings.Replace(callA, `"f"`, `"f g"`, 1)), `messages[1]: tool_calls[0]: function name "f g"`},
		{called(strings.Replace(callA, `"f"`, `"`+strings.Repeat("f", 65)+`"`, 1)), "messages[1]: tool_calls[0]: function name"},
		{called(strings.Replace(callA, `"{}"`, `{}`, 1)), "messages[1]: tool_calls[0]: arguments: is not a string"},
		{called(strings.Replace(callA, `"{}"`, `""`, 1)), "messages[1]: tool_calls[0]: arguments: is empty"},
		{called(strings.Replace(callA, `"{}"`, `"{"`, 1)), "messages[1]: tool_calls[0]: arguments are not one json object"},
		{called(strings.Replace(callA, `"{}"`, `"[]"`, 1)), "messages[1]: tool_calls[0]: arguments are not one json object"},
		{called(strings.Replace(callA, `"{}"`, `"null"`, 1)), "messages[1]: tool_calls[0]: arguments are not one json object"},
		{called(strings.Replace(callA, `"{}"`, `"{}{}"`, 1)), "messages[1]: tool_calls[0]: arguments are not one json object"},
		{tooled(`[]`), "tools: is empty"},
		{tooled(`null`), "tools: is not an array"},
		{tooled(`[` + toolF + `,` + toolF + `]`), `tools[1]: name "f" is a duplicate`},
		{tooled(`[{"type":"function","function":{"name":"f"}}]`), "tools[0]: parameters: is missing"},
		{tooled(strings.Replace(`[`+toolF+`]`, `"object"`, `"array"`, 1)), "tools[0]: parameters: type is not object"},
		{tooled(`[{"function":{}}]`), "tools[0]: type is not function"},
	} {
		err := fakemodel.Validate([]byte(tc.body))
		if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s\n got: %v\nwant: %s", tc.body, err, tc.want)
		}
	}
}

// A request that was truncated anywhere must never pass, and no damage may make
// the validator panic.
func TestValidate_TruncatedRequests_ReturnsError(t *testing.T) {
	t.Parallel()
	body := []byte(with(sys, user, two, resultA, resultB))
	for i := range body {
		if err := fakemodel.Validate(body[:i]); err == nil {
			t.Errorf("passed although cut at byte %d", i)
		}
		for _, damage := range []byte("\x00\"{}[],:n\xff") {
			damaged := append([]byte{}, body...)
			damaged[i] = damage
			_ = fakemodel.Validate(damaged)
		}
	}
}

func FuzzValidateNeverPanics(f *testing.F) {
	f.Add([]byte(with(sys, user, two, resultA, resultB)))
	f.Add([]byte(tooled(`[` + toolF + `,` + toolG + `]`)))
	f.Fuzz(func(_ *testing.T, body []byte) { _ = fakemodel.Validate(body) })
}
