package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

// conversation returns a request with every kind of message.
func conversation() llm.Request {
	return llm.Request{
		Model:  "some/model",
		System: "Be <brief>.",
		Messages: []bellcord.Message{
			{Role: bellcord.RoleUser, Text: "first"},
			{Role: bellcord.RoleAssistant, Text: "answer"},
			{Role: bellcord.RoleUser, Text: "second"},
			{Role: bellcord.RoleAssistant, Calls: []bellcord.CallRequest{
				{ID: "c1", Name: "look", Arguments: json.RawMessage(`{"z": 1, "a": 2}`)},
				{ID: "c2", Name: "wait"},
			}},
			{Role: bellcord.RoleTool, Call: "c1", Text: "seen"},
			{Role: bellcord.RoleTool, Call: "c2", Text: "waited"},
			{Role: bellcord.RoleAssistant, Text: "one more", Calls: []bellcord.CallRequest{{ID: "c1", Name: "wait", Arguments: json.RawMessage(`{}`)}}},
			{Role: bellcord.RoleTool, Call: "c1", Text: "waited"},
		},
		Tools: []llm.Tool{
			{Name: "look", Description: "looks", Schema: json.RawMessage(`{"type":"object","properties":{"z":{},"a":{"enum":["<",1.0]}}}`)},
			{Name: "wait"},
		},
	}
}

const conversationOnTheWire = `{
"messages":[
{"content":"Be <brief>.","role":"system"},
{"content":"first","role":"user"},
{"content":"answer","role":"assistant"},
{"content":"second","role":"user"},
{"tool_calls":[
{"id":"c1","function":{"arguments":"{\"z\": 1, \"a\": 2}","name":"look"},"type":"function"},
{"id":"c2","function":{"arguments":"{}","name":"wait"},"type":"function"}],"role":"assistant"},
{"content":"seen","tool_call_id":"c1","role":"tool"},
{"content":"waited","tool_call_id":"c2","role":"tool"},
{"content":"one more","tool_calls":[
{"id":"c1","function":{"arguments":"{}","name":"wait"},"type":"function"}],"role":"assistant"},
{"content":"waited","tool_call_id":"c1","role":"tool"}],
"model":"some/model",
"stream_options":{"include_usage":true},
"tools":[
{"function":{"name":"look","description":"looks","parameters":{"type":"object","properties":{"z":{},"a":{"enum":["<",1.0]}}}},"type":"function"},
{"function":{"name":"wait","parameters":{"type":"object","properties":{}}},"type":"function"}],
"stream":true}`

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
}

// unescaped undoes HTML escaping, the only freedom of the JSON encoder for
// these texts.
func unescaped(body []byte) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(strings.TrimSpace(string(body)))
}

func TestAsk_NoSystemPromptOrTools_OmitsBoth(t *testing.T) {
	t.Parallel()
	p, server := fake(t)
	if _, err := p.Generate(t.Context(), prompt("hello"), ignore); err != nil {
		t.Fatal(err)
	}
	want := `{"messages":[{"content":"hello","role":"user"}],"model":"fake","stream_options":{"include_usage":true},"stream":true}`
	if got := unescaped(server.Requests()[0].Raw); got != want {
		t.Errorf("sent %s", got)
	}
}

func TestAsk_Images_AreSentBeforeText(t *testing.T) {
	t.Parallel()
	p, server := fake(t)
	req := prompt("what is this?")
	req.Messages[0].Images = []bellcord.Image{{Type: "image/png", Data: []byte{0, 1, 255}}, {Type: "image/jpeg", Data: []byte("j")}}
	alone := llm.Request{Model: "fake", Messages: []bellcord.Message{{Role: bellcord.RoleUser, Images: req.Messages[0].Images[1:]}}}
	for _, r := range []llm.Request{req, alone} {
		if _, err := p.Generate(t.Context(), r, ignore); err != nil {
			t.Fatal(err)
		}
	}
	const (
		png  = `{"image_url":{"url":"data:image/png;base64,AAH/"},"type":"image_url"}`
		jpeg = `{"image_url":{"url":"data:image/jpeg;base64,ag=="},"type":"image_url"}`
	)
	for i, want := range []string{png + `,` + jpeg + `,{"text":"what is this?","type":"text"}`, jpeg} {
		if got := unescaped(server.Requests()[i].Raw); !strings.HasPrefix(got, `{"messages":[{"content":[`+want+`],"role":"user"}]`) {
			t.Errorf("sent %s", got)
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
