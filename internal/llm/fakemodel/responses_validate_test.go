package fakemodel_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

const (
	inUser      = `{"type":"message","role":"user","content":[{"type":"input_text","text":"u"}]}`
	inAssistant = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}`
	inCallA     = `{"type":"function_call","call_id":"A","name":"f","arguments":"{}"}`
	inCallB     = `{"type":"function_call","call_id":"B","name":"f","arguments":"{\"x\":[1]}"}`
	inResultA   = `{"type":"function_call_output","call_id":"A","output":"ra"}`
	inResultB   = `{"type":"function_call_output","call_id":"B","output":"rb"}`
	inImage     = `{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AAAA"}`
	// Reasoning items in the fake model's format, with and without a summary.
	inThought = `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gAAAAABFSG493zQ5oHkkX1eCs87T_uafQFKPN1nTzah6TQYyVI"}`
	inSilent  = `{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"gAAAAABVuxa57Wt0noIcI-NZh9AsY5IomNQXG6FAvqP1nHlRVs"}`

	inToolF = `{"type":"function","name":"f","parameters":{"type":"object","properties":{}},"strict":false}`
	inToolG = `{"type":"function","name":"g","description":"d","parameters":{"type":"object"},"strict":false}`
)

func inItems(items ...string) string { return responsesRequest(true, items...) }

// inCalled returns a conversation with one call, changed in one place, and its
// output.
func inCalled(old, changed string) string {
	return inItems(inUser, strings.Replace(inCallA, old, changed, 1), inResultA)
}

func inWords(content string) string {
	return inItems(fmt.Sprintf(`{"type":"message","role":"user","content":%s}`, content))
}

// inFields adds fields to a valid request.
func inFields(fields string) string {
	return strings.Replace(inItems(inUser), `{"model":"fake",`, `{"model":"fake",`+fields+`,`, 1)
}

func TestValidateResponses_ValidRequests_ReturnsNil(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		inItems(inUser), inItems(inUser, inUser), inItems(inUser, inAssistant, inUser),
		inItems(inUser, inCallA, inResultA), inItems(inUser, inCallA, inCallB, inResultB, inResultA),
		inItems(inUser, inAssistant, inCallA, inResultA, inCallA, inResultA, inAssistant, inUser),
		inItems(inUser, inThought, inAssistant, inUser), inItems(inUser, inThought, inCallA, inResultA), inItems(inUser, inSilent, inThought, inCallA, inResultA),
		inItems(inUser, inThought, inAssistant, inSilent, inAssistant, inCallA, inResultA),
		inWords(`"plain"`), inWords(`[` + inImage + `]`), inWords(`[` + inImage + `,{"type":"input_text","text":"t"}]`),
		inItems(`{"role":"user","content":"plain"}`),
		inItems(inUser, `{"type":"message","role":"assistant","id":"msg_1","status":"completed","content":[{"type":"refusal","refusal":"no"}]}`, inUser),
		inFields(`"instructions":"i","reasoning":{"effort":"high","summary":"auto"}`), inFields(`"tools":[` + inToolF + `,` + inToolG + `]`),
		inCalled(`"A"`, `"A","id":"fc_1","status":"completed"`), `{"model":"m","include":["reasoning.encrypted_content"],"input":"hi"}`,
	} {
		if err := fakemodel.ValidateResponses([]byte(body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestValidateResponses_InvalidRequests_ReturnsReason(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ body, want string }{
		{``, "request: is missing"},
		{`[]`, "request: is not a json object"},
		{inItems(inUser) + `x`, "request: is not valid json"},
		{"{\"model\":\"\xff\"}", "request: is not valid utf-8"},
		{inFields(`"messages":[]`), `request: field "messages" is unknown`},
		{inFields(`"previous_response_id":"resp_1"`), `request: field "previous_response_id" is unknown`},
		{strings.Replace(inItems(inUser), `"fake"`, `""`, 1), "model: is empty"},
		{inFields(`"instructions":" "`), "instructions: is empty"},
		{strings.Replace(inItems(inUser), `"stream":true`, `"stream":1`, 1), "stream: is not true or false"},
		{strings.Replace(inItems(inUser), `"store":false`, `"store":null`, 1), "store: is not true or false"},
		{inFields(`"max_output_tokens":3`), "max_output_tokens: is not a number of at least 16"},
		{strings.Replace(inItems(inUser), `["reasoning.encrypted_content"]`, `[]`, 1), "include: is empty"},
		{strings.Replace(inItems(inUser), `["reasoning.encrypted_content"]`, `["thoughts"]`, 1), `include: "thoughts" is unknown`},
		{`{"model":"m","input":"hi"}`, "include: is missing"},
		{inFields(`"reasoning":{"effort":"much"}`), `reasoning: effort is "much", not one of none,`},
		{inFields(`"reasoning":{"summary":1}`), `reasoning: summary is 1`},
		{inFields(`"reasoning":{"think":1}`), `reasoning: field "think" is unknown`},

		{inFields(`"tools":[]`), "tools: is empty"},
		{inFields(`"tools":[` + strings.Repeat(inToolF+`,`, 128) + inToolF + `]`), "tools: has 129, more than 128"},
		{inFields(`"tools":[` + inToolF + `,` + inToolF + `]`), `tools[1]: name "f" is a duplicate`},
		{inFields(`"tools":[` + toolF + `]`), `tools[0]: field "function" is unknown`},
		{inFields(`"tools":[` + strings.Replace(inToolF, `"function"`, `"custom"`, 1) + `]`), "tools[0]: type is not function"},
		{inFields(`"tools":[` + strings.Replace(inToolF, `"f"`, `"f g"`, 1) + `]`), `tools[0]: name "f g" does not match`},
		{inFields(`"tools":[` + strings.Replace(inToolF, `,"strict":false`, ``, 1) + `]`), "tools[0]: strict: is not false"},
		{inFields(`"tools":[` + strings.Replace(inToolF, `"object"`, `"array"`, 1) + `]`), "tools[0]: parameters: type is not object"},
		{inFields(`"tools":[` + strings.Replace(inToolF, `{}`, `[]`, 1) + `]`), "tools[0]: parameters: properties: is not a json object"},
		{inFields(`"tools":[` + strings.Replace(inToolG, `"d"`, `""`, 1) + `]`), "tools[0]: description: is empty"},

		{inItems(), "input: is empty"},
		{`{"model":"m","include":["reasoning.encrypted_content"]}`, "input: is missing"},
		{`{"model":"m","include":["reasoning.encrypted_content"],"input":" "}`, "input: is empty"},
		{inItems(`3`), "input[0]: is not a json object"},
		{inItems(inAssistant, inUser), "input[0]: the first item must be a user message"},
		{inItems(inCallA, inResultA), "input[0]: the first item must be a user message"},
		{inItems(inUser, `{"type":"item_reference","id":"rs_1"}`, inUser), `input[1]: type "item_reference" with role "" is unknown`},
		{inItems(inUser, `{"role":"developer","content":"d"}`, inUser), `input[1]: type "" with role "developer" is unknown`},
		{inItems(inUser, inAssistant), "input[1]: the last item is assistant"},
		{inItems(inUser, inAssistant, inAssistant, inUser), "input[2]: an assistant message follows another one directly"},
		{inWords(`""`), "input[0]: content: is empty"},
		{inWords(`[]`), "input[0]: content: is empty"},
		{inWords(`[3]`), "input[0]: content[0]: is not a json object"},
		{inWords(`[{"type":"input_text","text":" "}]`), "input[0]: content[0]: text: is empty"},
		{inWords(`[{"type":"input_text","text":"t","x":1}]`), `input[0]: content[0]: field "x" is unknown`},
		{inWords(`[{"type":"output_text","text":"t"}]`), `input[0]: content[0]: part of type "output_text" is not allowed for a user`},
		{inWords(`[` + strings.Replace(inImage, "AAAA", "?", 1) + `]`), "input[0]: content[0]: image_url: has no valid base64 data"},
		{inWords(`[` + strings.Replace(inImage, "image/png", "text/html", 1) + `]`), "input[0]: content[0]: image_url: is not a data url"},
		{inWords(`[` + strings.Replace(inImage, "auto", "best", 1) + `]`), `input[0]: content[0]: detail: "best" is unknown`},
		{inWords(`[{"type":"input_image"}]`), "input[0]: content[0]: image_url: is missing"},
		{inItems(strings.Replace(inUser, `"role"`, `"name":"n","role"`, 1)), `input[0]: field "name" is unknown`},
		{inItems(inUser, strings.Replace(inAssistant, "output_text", "input_text", 1), inUser), `input[1]: content[0]: part of type "input_text" is not allowed for an assistant`},
		{inItems(inUser, strings.Replace(inAssistant, `"a"`, `""`, 1), inUser), "input[1]: content[0]: text: is empty"},
		{inItems(inUser, strings.Replace(inAssistant, `"role"`, `"id":"item_1","role"`, 1), inUser), `input[1]: id "item_1" is not a valid assistant id`},

		{inItems(inUser, inCallA), `input[1]: the input ends, but call "A" has no output`},
		{inItems(inUser, inCallA, inCallB, inResultA), `input[3]: the input ends, but call "B" has no output`},
		{inItems(inUser, inCallA, inUser), `input[2]: is user, but call "A" has no output yet`},
		{inItems(inUser, inCallA, inAssistant, inResultA), `input[2]: is assistant, but call "A" has no output yet`},
		{inItems(inUser, inCallA, inThought, inCallB, inResultA, inResultB), `input[2]: is reasoning, but call "A" has no output yet`},
		{inItems(inUser, inCallA, inCallB, inResultA, inCallA, inResultB, inResultA), `input[4]: a call between outputs, but call "B" has no output yet`},
		{inItems(inUser, inCallA, inCallA, inResultA), `input[2]: call_id "A" is a duplicate`},
		{inItems(inUser, inCallA, inResultB), `input[2]: call_id "B" does not match a call`},
		{inItems(inUser, inCallA, inResultA, inResultA), `input[3]: call_id "A" does not match a call`},
		{inItems(inUser, inCallA, strings.Replace(inResultA, `"ra"`, `""`, 1)), "input[2]: output: is empty"},
		{inItems(inUser, inCallA, strings.Replace(inResultA, `"A"`, `""`, 1)), "input[2]: call_id: is empty"},
		{inCalled(`"A"`, `3`), "input[1]: call_id: is not a string"},
		{inCalled(`"A"`, `"`+strings.Repeat("A", 65)+`"`), "input[1]: call_id: has 65 characters, more than 64"},
		{inCalled(`"f"`, `"f.g"`), `input[1]: name "f.g" does not match`},
		{inCalled(`"{}"`, `{}`), "input[1]: arguments: is not a string"},
		{inCalled(`"{}"`, `"{"`), "input[1]: arguments are not one json object"},
		{inCalled(`"{}"`, `"null"`), "input[1]: arguments are not one json object"},
		{inCalled(`"A"`, `"A","seal":1`), `input[1]: field "seal" is unknown`},
		{inCalled(`"A"`, `"A","id":"call_1"`), `input[1]: id "call_1" is not a valid function_call id`},

		{inItems(inUser, inThought), "input[1]: the last item is reasoning"},
		{inItems(inUser, inThought, inUser), "input[2]: is user, but the preceding reasoning must be followed"},
		{inItems(inUser, inThought, inAssistant, inThought, inAssistant, inUser), `input[3]: id "rs_1" is a duplicate`},
		{inItems(inUser, strings.Replace(inThought, `"hm"`, `"ha"`, 1), inAssistant, inUser), `input[1]: the encrypted content for item "rs_1" could not be verified`},
		{inItems(inUser, strings.Replace(inThought, `"hm"`, `""`, 1), inAssistant, inUser), "input[1]: summary[0]: text: is empty"},
		{inItems(inUser, strings.Replace(inThought, `"summary_text"`, `"text"`, 1), inAssistant, inUser), "input[1]: summary[0]: type is not summary_text"},
		{inItems(inUser, strings.Replace(inThought, `"id"`, `"content":[],"id"`, 1), inAssistant, inUser), `input[1]: field "content" is unknown`},
		{inItems(inUser, `{"type":"reasoning","id":"rs_1"}`, inAssistant, inUser), "input[1]: summary: is not an array"},
		{strings.Replace(inItems(inUser, inThought, inAssistant, inUser), `"store":false,`, ``, 1), "input[1]: reasoning is given back, but store is not false"},
		{strings.Replace(inItems(inUser, inThought, inAssistant, inUser), `"store":false`, `"store":true`, 1), "input[1]: reasoning is given back, but store is not false"},
	} {
		err := fakemodel.ValidateResponses([]byte(tc.body))
		if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s\n got: %v\nwant: %s", tc.body, err, tc.want)
		}
	}
}

func TestValidateResponses_TruncatedRequests_ReturnsError(t *testing.T) {
	t.Parallel()
	body := []byte(inItems(inUser, inThought, inAssistant, inCallA, inCallB, inResultA, inResultB))
	if !json.Valid(body) {
		t.Fatal("the request is damaged from the start")
	}
	for i := range body {
		if err := fakemodel.ValidateResponses(body[:i]); err == nil {
			t.Errorf("passed although cut at byte %d", i)
		}
		for _, damage := range []byte("\x00\"{}[],:n\xff") {
			damaged := append([]byte{}, body...)
			damaged[i] = damage
			_ = fakemodel.ValidateResponses(damaged)
		}
	}
}

func FuzzValidateResponsesNeverPanics(f *testing.F) {
	f.Add([]byte(inItems(inUser, inThought, inAssistant, inCallA, inCallB, inResultA, inResultB)))
	f.Add([]byte(inFields(`"tools":[` + inToolF + `,` + inToolG + `]`)))
	f.Fuzz(func(_ *testing.T, body []byte) { _ = fakemodel.ValidateResponses(body) })
}
