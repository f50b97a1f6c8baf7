package gemini_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/gemini"
)

// conversation returns a request with every kind of message, some with the same
// role in succession.
func conversation() llm.Request {
	return llm.Request{
		Model:  "some-model",
		System: "Be <brief>.",
		Messages: []bellcord.Message{
			{Role: bellcord.RoleUser, Text: "first", Images: []bellcord.Image{{Type: "image/png", Data: []byte("png")}}},
			{Role: bellcord.RoleUser, Images: []bellcord.Image{{Type: "image/jpeg", Data: []byte("jpg")}}},
			{Role: bellcord.RoleAssistant, Text: "answer"},
			{Role: bellcord.RoleUser, Text: "second"},
			{Role: bellcord.RoleAssistant, Calls: []bellcord.CallRequest{
				{ID: "c1", Name: "look", Arguments: json.RawMessage(`{"z":1,"a":12345678901234567890}`)},
				{ID: "c2", Name: "wait"},
			}},
			{Role: bellcord.RoleTool, Call: "c1", Name: "look", Text: "seen"},
			{Role: bellcord.RoleTool, Call: "c2", Name: "wait", Text: "gone", Failed: true},
			{Role: bellcord.RoleAssistant, Text: "one more", Calls: []bellcord.CallRequest{{ID: "c1", Name: "wait", Arguments: json.RawMessage(`{}`)}}},
			{Role: bellcord.RoleTool, Call: "c1", Name: "wait", Text: "waited"},
			{Role: bellcord.RoleUser, Text: "third"},
		},
		Tools: []llm.Tool{
			{Name: "look", Description: "looks", Schema: json.RawMessage(`{"type":"object","properties":{"z":{},"a":{"enum":["<",1.0]}}}`)},
			{Name: "wait"},
		},
	}
}

const conversationOnTheWire = `{
"contents":[
{"role":"user","parts":[
{"inlineData":{"mimeType":"image/png","data":"cG5n"}},{"text":"first"},
{"inlineData":{"mimeType":"image/jpeg","data":"anBn"}}]},
{"role":"model","parts":[{"text":"answer"}]},
{"role":"user","parts":[{"text":"second"}]},
{"role":"model","parts":[
{"functionCall":{"id":"c1","name":"look","args":{"z":1,"a":12345678901234567890}},"thoughtSignature":"skip_thought_signature_validator"},
{"functionCall":{"id":"c2","name":"wait","args":{}}}]},
{"role":"user","parts":[
{"functionResponse":{"id":"c1","name":"look","response":{"output":"seen"}}},
{"functionResponse":{"id":"c2","name":"wait","response":{"error":"gone"}}}]},
{"role":"model","parts":[{"text":"one more"},
{"functionCall":{"id":"c1","name":"wait","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]},
{"role":"user","parts":[
{"functionResponse":{"id":"c1","name":"wait","response":{"output":"waited"}}},
{"text":"third"}]}],
"generationConfig":{"thinkingConfig":{"includeThoughts":true}},
"systemInstruction":{"parts":[{"text":"Be <brief>."}]},
"tools":[{"functionDeclarations":[
{"name":"look","description":"looks","parametersJsonSchema":{"type":"object","properties":{"z":{},"a":{"enum":["<",1.0]}}}},
{"name":"wait","description":"wait","parametersJsonSchema":{"type":"object","properties":{}}}]}]}`

func TestAsk_FullConversation_SendsExpectedRequest(t *testing.T) {
	t.Parallel()
	p, server := fake(t)
	for range 2 {
		if _, err := p.Generate(t.Context(), conversation(), ignore); err != nil {
			t.Fatal(err)
		}
	}
	want := strings.ReplaceAll(conversationOnTheWire, "\n", "")
	sent := server.Requests()
	if got := unescaped(sent[0].Raw); got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
	if string(sent[0].Raw) != string(sent[1].Raw) {
		t.Error("the same request gave other bytes, which a prompt cache would miss")
	}
	if sent[0].Model != "some-model" || sent[0].Prompt != "third" {
		t.Errorf("the fake understood %+v", sent[0])
	}
}

// unescaped undoes HTML escaping, the only freedom of the JSON encoder for
// these texts.
func unescaped(body []byte) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(strings.TrimSpace(string(body)))
}

func TestAsk_NoSystemPromptOrTools_OmitsBoth(t *testing.T) {
	t.Parallel()
	_, server := fake(t)
	client, done := server.Pipe()
	t.Cleanup(done)
	p := gemini.New(gemini.Config{BaseURL: "http://fake", Key: "key", HTTP: client, Thinking: new(int32(512))})
	if _, err := p.Generate(t.Context(), prompt("hello"), ignore); err != nil {
		t.Fatal(err)
	}
	want := `{"contents":[{"role":"user","parts":[{"text":"hello"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":512}}}`
	if got := unescaped(server.Requests()[0].Raw); got != want {
		t.Errorf("sent %s", got)
	}
}

func TestAsk_ThinkingBudgetZero_ExcludesThoughts(t *testing.T) {
	t.Parallel()
	for want, budget := range map[string]*int32{
		`{"includeThoughts":false,"thinkingBudget":0}`: new(int32(0)),
		`{"includeThoughts":true}`:                     nil,
	} {
		_, server := fake(t)
		client, done := server.Pipe()
		t.Cleanup(done)
		p := gemini.New(gemini.Config{BaseURL: "http://fake", Key: "key", HTTP: client, Thinking: budget})
		if _, err := p.Generate(t.Context(), prompt("hello"), ignore); err != nil {
			t.Fatal(err)
		}
		if got := unescaped(server.Requests()[0].Raw); !strings.Contains(got, want) {
			t.Errorf("sent %s, want %s", got, want)
		}
	}
}

func TestAsk_InvalidToolSchema_FailsBeforeSending(t *testing.T) {
	t.Parallel()
	p, server := fake(t)
	req := prompt("hello")
	req.Tools = []llm.Tool{{Name: "look", Schema: json.RawMessage(`{"type":`)}}
	_, err := p.Generate(t.Context(), req, ignore)
	notPassing(t, err, "JSON")
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestAsk_ModelBeforeGemini3_OmitsSignaturePlaceholder(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]bool{
		"gemini-2.5-pro": false, "models/gemini-2.5-flash": false, "gemini-1.5-pro": false, "gemma-3": false,
		"gemini-3-pro": true, "models/gemini-3.1-pro-preview": true, "gemini-flash-latest": true,
	} {
		var sent string
		p := serving(t, recordingInto(&sent))
		req := conversation()
		req.Model = model
		if _, err := p.Generate(t.Context(), req, ignore); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(sent, "skip_thought_signature_validator"); got != want {
			t.Errorf("%s is sent the word: %v", model, got)
		}
	}
}

func TestAsk_SignaturesInHistory_KeepTheirPositions(t *testing.T) {
	t.Parallel()
	seal := func(fields string) json.RawMessage { return json.RawMessage(`{"signature":"AAAA"` + fields + `}`) }
	for name, c := range map[string]struct {
		thinking []bellcord.Thinking
		want     string
	}{
		"on a part of the text":         {[]bellcord.Thinking{{At: 1, Text: "hm", Signature: seal(`,"bytes":3`)}}, `{"text":"a"},{"text":"bé","thoughtSignature":"AAAA"},{"text":"c"}`},
		"on nothing, in the text":       {[]bellcord.Thinking{{At: 4, Signature: seal("")}}, `{"text":"abé"},{"text":"","thoughtSignature":"AAAA"},{"text":"c"}`},
		"on nothing, after the text":    {[]bellcord.Thinking{{At: 5, Signature: seal("")}}, `{"text":"abéc"},{"text":"","thoughtSignature":"AAAA"}`},
		"on a thought":                  {[]bellcord.Thinking{{At: 0, Text: "hm", Signature: seal(`,"thought":true`)}}, `{"text":"hm","thought":true,"thoughtSignature":"AAAA"},{"text":"abéc"}`},
		"on two parts":                  {[]bellcord.Thinking{{At: 0, Signature: seal(`,"bytes":1`)}, {At: 1, Signature: seal(`,"bytes":4`)}}, `{"text":"a","thoughtSignature":"AAAA"},{"text":"béc","thoughtSignature":"AAAA"}`},
		"on text that a stop took":      {[]bellcord.Thinking{{At: 1, Signature: seal(`,"bytes":5`)}}, `{"text":"abéc"}`},
		"beyond the text":               {[]bellcord.Thinking{{At: 9, Signature: seal("")}}, `{"text":"abéc"},{"text":"","thoughtSignature":"AAAA"}`},
		"that are not ours":             {[]bellcord.Thinking{{At: 1, Signature: json.RawMessage(`"x"`)}, {At: 1, Signature: json.RawMessage(`{}`)}, {At: 1}}, `{"text":"abéc"}`},
		"of less than nothing, made up": {[]bellcord.Thinking{{At: 1, Signature: seal(`,"bytes":-1`)}}, `{"text":"abéc"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent string
			p := serving(t, recordingInto(&sent))
			req := prompt("hello")
			req.Messages = append(req.Messages, bellcord.Message{Role: bellcord.RoleAssistant, Text: "abéc", Thinking: c.thinking}, req.Messages[0])
			if _, err := p.Generate(t.Context(), req, ignore); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(sent, `{"role":"model","parts":[`+c.want+`]}`) {
				t.Errorf("sent %s", sent)
			}
		})
	}
}

// TestAsk_AnswersSentBack_AreAccepted plays whole turns. The strict fake model
// checks each signature against the signed content.
func TestAsk_AnswersSentBack_AreAccepted(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		`[think 3 0s] [say well then] [tool look {"z":1,"a":12345678901234567890}] [tool wait {}]`,
		`[tool wait {}] [tool wait {"n":1.0}] [then [think 2 0s] [tool look {"a":"<é>"}] [then [think 1 0s] [say done now]]]`,
		`[think 2 0s] [tool look {}]`, `[think 2 0s] [say only words]`, `[think 2 0s] [say]`,
	} {
		for _, repaired := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, repaired %v", script, repaired), func(t *testing.T) {
				t.Parallel()
				p, server := fake(t)
				req := prompt(script)
				for range 4 {
					var h collected
					reply, err := p.Generate(t.Context(), req, h.emit)
					if err != nil {
						t.Fatal(err)
					}
					req.Messages = append(req.Messages, h.message(reply))
					for _, c := range reply.Calls {
						req.Messages = append(req.Messages, bellcord.Message{Role: bellcord.RoleTool, Call: c.ID, Name: c.Name, Text: "result"})
					}
					if len(reply.Calls) == 0 {
						req.Messages = append(req.Messages, bellcord.Message{Role: bellcord.RoleUser, Text: "and now?"})
					}
					if repaired {
						req.Messages = history.Repair(req.Messages)
					}
				}
				if n := len(server.Requests()); n != 4 {
					t.Errorf("%d requests", n)
				}
			})
		}
	}
}
