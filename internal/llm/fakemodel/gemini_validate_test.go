package fakemodel_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

const (
	geminiHi      = `{"role":"user","parts":[{"text":"hi"}]}`
	geminiHo      = `{"role":"model","parts":[{"text":"ho"}]}`
	geminiSkip    = `,"thoughtSignature":"skip_thought_signature_validator"`
	geminiCallA   = `{"functionCall":{"id":"A","name":"f","args":{}}` + geminiSkip + `}`
	geminiCallB   = `{"functionCall":{"id":"B","name":"g","args":{"x":[1]}}}`
	geminiResultA = `{"functionResponse":{"id":"A","name":"f","response":{"output":"a"}}}`
	geminiResultB = `{"functionResponse":{"id":"B","name":"g","response":{"error":"b"}}}`
	geminiToolF   = `{"name":"f","description":"d","parametersJsonSchema":{"type":"object"}}`
)

// geminiCalled returns a conversation with calls and the user content that
// follows.
func geminiCalled(calls string, results ...string) string {
	return geminiRequest(geminiHi, geminiContent("model", calls), geminiContent("user", results...))
}

func geminiWith(field string) string {
	return `{"contents":[` + geminiHi + `],` + field + `}`
}

func geminiTooled(functions string) string {
	return geminiWith(`"tools":[{"functionDeclarations":[` + functions + `]}]`)
}

func TestValidateGemini_ValidRequests_ReturnsNil(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		geminiRequest(geminiHi), geminiRequest(geminiHi, geminiHo, geminiHi),
		geminiRequest(geminiContent("user", `{"inlineData":{"mimeType":"image/png","data":"AAAA"}}`, `{"text":"a"}`, `{"text":"b"}`)),
		geminiCalled(geminiCallA, geminiResultA), geminiCalled(geminiCallA+","+geminiCallB, geminiResultA, geminiResultB),
		geminiCalled(`{"text":"so"},`+geminiCallA, geminiResultA, `{"text":"and"}`),
		geminiCalled(`{"functionCall":{"name":"f","args":{}}`+geminiSkip+`}`, `{"functionResponse":{"name":"f","response":{"output":"a"}}}`),
		geminiCalled(geminiCallB, geminiResultB, `{"text":"the turn of the unsigned call is over"}`),
		geminiWith(`"systemInstruction":{"parts":[{"text":"s"}]}`),
		geminiWith(`"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":-1},"temperature":1}`),
		geminiTooled(geminiToolF), geminiTooled(geminiToolF + `,` + strings.Replace(geminiToolF, `"f"`, `"_g.h:i-j"`, 1)),
	} {
		if err := fakemodel.ValidateGemini([]byte(body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestValidateGemini_InvalidRequests_ReturnsReason(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ body, want string }{
		{``, "request: is missing"},
		{`[]`, "request: is not a json object"},
		{"{\"contents\":\"\xff\"}", "request: is not valid utf-8"},
		{`{"contents":[` + geminiHi + `],"contents":[]}`, `request: key "contents" is a duplicate`},
		{geminiWith(`"messages":[]`), `request: field "messages" is unknown`},
		{geminiWith(`"stream":true`), `request: field "stream" is unknown`},
		{`{}`, "contents: is missing"},
		{geminiRequest(), "contents: is empty"},
		{geminiRequest(geminiHo, geminiHi), "contents[0]: the first content must have role user"},
		{geminiRequest(geminiHi, geminiHo), "contents[1]: the last content has role model"},
		{geminiRequest(geminiHi, geminiHi), "contents[1]: two contents in a row have role user"},
		{geminiRequest(geminiHi, geminiHo, geminiHo, geminiHi), "contents[2]: two contents in a row have role model"},
		{geminiRequest(geminiContent("assistant", `{"text":"a"}`)), `contents[0]: role "assistant" is unknown`},
		{geminiRequest(`{"parts":[{"text":"a"}]}`), `contents[0]: role "" is unknown`},
		{geminiRequest(`{"role":"user"}`), "contents[0]: parts: is missing"},
		{geminiRequest(geminiContent("user")), "contents[0]: parts: is empty"},
		{geminiRequest(geminiContent("user", `{}`)), `contents[0]: parts[0]: "" is not allowed here`},
		{geminiRequest(geminiContent("user", `{"text":""}`)), "contents[0]: parts[0]: is empty"},
		{geminiRequest(geminiContent("user", `{"text":" "}`)), "contents[0]: parts[0]: is empty"},
		{geminiRequest(geminiContent("user", `{"text":null}`)), "contents[0]: parts[0]: text: is not a string"},
		{geminiRequest(geminiContent("user", `{"text":"a","kind":"b"}`)), `contents[0]: parts[0]: field "kind" is unknown`},
		{geminiRequest(geminiContent("user", `{"text":"a","inlineData":{}}`)), "contents[0]: parts[0]: has both text and inlineData"},
		{geminiRequest(geminiContent("user", `{"text":"a","thought":true}`)), "contents[0]: parts[0]: user content cannot have thoughts"},
		{geminiRequest(geminiContent("user", geminiCallA)), "contents[0]: parts[0]: user content cannot have thoughts"},
		{geminiRequest(geminiContent("user", geminiCallB)), `contents[0]: parts[0]: "functionCall" is not allowed here`},
		{geminiRequest(geminiContent("user", `{"inlineData":{"mimeType":"text/plain","data":"AAAA"}}`)), "is not an image type"},
		{geminiRequest(geminiContent("user", `{"inlineData":{"mimeType":"image/png","data":"?"}}`)), "data is empty or not base64"},
		{geminiRequest(geminiContent("user", `{"inlineData":{"mimeType":"image/png","data":""}}`)), "data is empty or not base64"},
		{geminiRequest(geminiHi, geminiContent("model", `{"text":""}`), geminiHi), "contents[1]: parts[0]: text: is empty"},
		{geminiRequest(geminiHi, geminiContent("model", `{"inlineData":{}}`), geminiHi), `"inlineData" is not allowed here`},
		{geminiRequest(geminiHi, geminiContent("model", `{"text":"hm","thought":true}`), geminiHi), "thought: must be true and have a signature"},
		{geminiRequest(geminiHi, geminiContent("model", `{"text":"a"`+geminiSkip+`}`), geminiHi), "thought signature is not valid"},
		{geminiRequest(geminiHi, geminiContent("model", `{"text":"a","thoughtSignature":""}`), geminiHi), "thought signature is not valid"},
		{geminiCalled(geminiCallA+`,{"text":"a"}`, geminiResultA), "contents[1]: parts[1]: text: follows a function call"},
		{geminiCalled(geminiCallB, geminiResultB), "contents[1]: the first function call of a step is missing its thought signature"},
		{geminiCalled(strings.Replace(geminiCallA, "skip_", "c2tp", 1), geminiResultA), "thought signature is not valid"},
		{geminiCalled(geminiCallA+","+geminiCallA, geminiResultA, geminiResultA), `id "A" is a duplicate`},
		{geminiCalled(strings.Replace(geminiCallA, `"A"`, `""`, 1), geminiResultA), "functionCall: id: is empty"},
		{geminiCalled(strings.Replace(geminiCallA, `"f"`, `"3f"`, 1), geminiResultA), `name "3f" does not match`},
		{geminiCalled(strings.Replace(geminiCallA, `{}`, `"{}"`, 1), geminiResultA), "args are not an object"},
		{geminiCalled(strings.Replace(geminiCallA, `{}`, `null`, 1), geminiResultA), "args are not an object"},
		{geminiCalled(strings.Replace(geminiCallA, `"args"`, `"arguments"`, 1), geminiResultA), `field "arguments" is unknown`},
		{geminiCalled(geminiCallA, `{"text":"hi"}`), "there are 0 function responses, but 1 function calls"},
		{geminiCalled(geminiCallA+","+geminiCallB, geminiResultA), "there are 1 function responses, but 2 function calls"},
		{geminiCalled(geminiCallA+","+geminiCallB, geminiResultB, geminiResultA), `functionResponse: is "B" of "g", but the call is "A" of "f"`},
		{geminiCalled(geminiCallA, `{"text":"hi"}`, geminiResultA), "functionResponse: comes after other parts"},
		{geminiCalled(geminiCallA, geminiResultA, geminiResultB), "functionResponse: does not match a function call"},
		{geminiRequest(geminiContent("user", geminiResultA)), "functionResponse: does not match a function call"},
		{geminiCalled(geminiCallA, strings.Replace(geminiResultA, `"id":"A",`, ``, 1)), `functionResponse: is "" of "f"`},
		{geminiCalled(geminiCallA, strings.Replace(geminiResultA, `{"output":"a"}`, `"a"`, 1)), "response: is not a json object"},
		{geminiCalled(geminiCallA, strings.Replace(geminiResultA, `{"output":"a"}`, `{}`, 1)), "response: must be either output or error"},
		{geminiCalled(geminiCallA, strings.Replace(geminiResultA, `"a"}`, `""}`, 1)), "response: output: is empty"},
		{geminiWith(`"systemInstruction":"s"`), "systemInstruction: is not a json object"},
		{geminiWith(`"systemInstruction":{"parts":[{"text":""}]}`), "systemInstruction: parts[0]: is empty"},
		{geminiWith(`"generationConfig":{"thinking":1}`), `generationConfig: field "thinking" is unknown`},
		{geminiWith(`"generationConfig":{"thinkingConfig":{"includeThoughts":1}}`), "includeThoughts: is not true or false"},
		{geminiWith(`"generationConfig":{"thinkingConfig":{"thinkingBudget":"1"}}`), "thinkingBudget: is not a number"},
		{geminiWith(`"generationConfig":{"thinkingConfig":{"thinkingBudget":1,"thinkingLevel":"LOW"}}`), "are mutually exclusive"},
		{geminiWith(`"tools":[]`), "tools: is empty"},
		{geminiWith(`"tools":[{"functionDeclarations":[]}]`), "tools[0]: functionDeclarations: is empty"},
		{geminiWith(`"tools":[{"googleSearch":{}}]`), `tools[0]: field "googleSearch" is unknown`},
		{geminiTooled(geminiToolF + "," + geminiToolF), `functionDeclarations[1]: name "f" is a duplicate`},
		{geminiTooled(strings.Replace(geminiToolF, `"f"`, `"f g"`, 1)), `name "f g" does not match`},
		{geminiTooled(strings.Replace(geminiToolF, `"f"`, `"`+strings.Repeat("f", 65)+`"`, 1)), "does not match"},
		{geminiTooled(strings.Replace(geminiToolF, `"d"`, `""`, 1)), "description: is empty"},
		{geminiTooled(strings.Replace(geminiToolF, `{"type":"object"}`, `{"type":"string"}`, 1)), "parametersJsonSchema: type is not object"},
		{geminiTooled(`{"name":"f","description":"d"}`), "parametersJsonSchema: is missing"},
	} {
		err := fakemodel.ValidateGemini([]byte(tc.body))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.body, err, tc.want)
		}
	}
}

func TestValidateGemini_Signatures_AreValidOnlyForTheirContent(t *testing.T) {
	t.Parallel()
	inGemini(t, func(t *testing.T, _ *fakemodel.Server, client *http.Client) {
		h := geminiRead(t, client, streamed, geminiPrompt(`[think 2 0s] [say word] [tool f {"b":1.0,"a":"x"}]`))
		if len(h.signed) != 2 {
			t.Fatalf("signed %q", h.signed)
		}
		text, fn := h.signed[0], h.signed[1]
		given := func(parts ...string) error {
			result := strings.Replace(geminiResultA, `"A"`, `"gem_00000001_0"`, 1)
			return fakemodel.ValidateGemini([]byte(geminiRequest(geminiHi, geminiContent("model", parts...), geminiContent("user", result))))
		}
		for name, parts := range map[string][]string{
			"as they came": {text, fn}, "with the keys in another order": {strings.Replace(fn, `"b":1.0,"a":"x"`, `"a": "x", "b":1.0`, 1)},
		} {
			if err := given(parts...); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, parts := range map[string][]string{
			"another word":        {strings.Replace(text, "word", "work", 1), fn},
			"less of the word":    {strings.Replace(text, "word", "wor", 1), fn},
			"no word":             {strings.Replace(text, "word", "", 1), fn},
			"said as a thought":   {strings.Replace(text, "{", `{"thought":true,`, 1), fn},
			"other arguments":     {text, strings.Replace(fn, "1.0", "1", 1)},
			"another tool":        {text, strings.Replace(fn, `"f"`, `"g"`, 1)},
			"a signature cut off": {text, strings.Replace(fn, `"thoughtSignature":"`, `"thoughtSignature":"A`, 1)},
		} {
			if err := given(parts...); err == nil || !strings.Contains(err.Error(), "thought signature is not valid") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
