package responses_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/llm/responses"
)

// Signatures in the fake model's format.
const (
	sealOne = `{"id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gAAAAABFSG493zQ5oHkkX1eCs87T_uafQFKPN1nTzah6TQYyVI"}`
	sealTwo = `{"id":"rs_2","summary":[],"encrypted_content":"gAAAAABVuxa57Wt0noIcI-NZh9AsY5IomNQXG6FAvqP1nHlRVs"}`
)

// conversation returns a request with every kind of message.
func conversation() llm.Request {
	long := strings.Repeat("long", 30)
	return llm.Request{
		Model:  "some/model",
		System: "Be <brief>.",
		Messages: []bellcord.Message{
			{Role: bellcord.RoleUser, Text: "first"},
			{Role: bellcord.RoleUser, Text: "and this", Images: []bellcord.Image{{Type: "image/png", Data: []byte{0, 1, 255}}}},
			{Role: bellcord.RoleAssistant, Text: "answer more", Thinking: []bellcord.Thinking{
				{At: 0, Text: "hm", Signature: json.RawMessage(sealOne)}, {At: 6, Signature: json.RawMessage(sealTwo)}, {At: 6, Signature: json.RawMessage(`{"signature":"of another"}`)},
			}},
			{Role: bellcord.RoleUser, Images: []bellcord.Image{{Type: "image/jpeg", Data: []byte("j")}}},
			{Role: bellcord.RoleAssistant, Calls: []bellcord.CallRequest{
				{ID: "c1", Name: "look", Arguments: json.RawMessage(`{"z": 1, "a": 2}`)},
				{ID: long, Name: "no.such tool"},
			}},
			{Role: bellcord.RoleTool, Call: "c1", Text: "seen"},
			{Role: bellcord.RoleTool, Call: long, Text: "waited", Failed: true},
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
"instructions":"Be <brief>.",
"store":false,
"include":["reasoning.encrypted_content"],
"input":[
{"content":[{"text":"first","type":"input_text"}],"role":"user","type":"message"},
{"content":[{"detail":"auto","image_url":"data:image/png;base64,AAH/","type":"input_image"},{"text":"and this","type":"input_text"}],"role":"user","type":"message"},
{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gAAAAABFSG493zQ5oHkkX1eCs87T_uafQFKPN1nTzah6TQYyVI"},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"answer"}]},
{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"gAAAAABVuxa57Wt0noIcI-NZh9AsY5IomNQXG6FAvqP1nHlRVs"},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":" more"}]},
{"content":[{"detail":"auto","image_url":"data:image/jpeg;base64,ag==","type":"input_image"}],"role":"user","type":"message"},
{"arguments":"{\"z\": 1, \"a\": 2}","call_id":"c1","name":"look","type":"function_call"},
{"arguments":"{}","call_id":"LONG-ID","name":"no_such_tool","type":"function_call"},
{"output":"seen","call_id":"c1","type":"function_call_output"},
{"output":"waited","call_id":"LONG-ID","type":"function_call_output"},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"one more"}]},
{"arguments":"{}","call_id":"c1","name":"wait","type":"function_call"},
{"output":"waited","call_id":"c1","type":"function_call_output"}],
"model":"some/model",
"tools":[
{"type":"function","name":"look","description":"looks","parameters":{"type":"object","properties":{"z":{},"a":{"enum":["<",1.0]}}},"strict":false},
{"type":"function","name":"wait","parameters":{"type":"object","properties":{}},"strict":false}],
"stream":true}`

func TestAsk_FullConversation_SendsExpectedRequest(t *testing.T) {
	t.Parallel()
	p, server := fake(t)
	for range 2 {
		if _, err := p.Generate(t.Context(), conversation(), ignore); err != nil {
			t.Fatal(err)
		}
	}
	want := strings.NewReplacer("\n", "", "LONG-ID", longID).Replace(conversationOnTheWire)
	sent := server.Requests()
	if got := unescaped(sent[0].Raw); got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
	if string(sent[0].Raw) != string(sent[1].Raw) {
		t.Error("the same request gave other bytes, which a prompt cache would miss")
	}
}

// longID is the id that replaces the one that is too long.
const longID = "call_cc8458d7cacc359f1bd687f6bdc73976c20b33e3"

// unescaped undoes HTML escaping, the only freedom of the JSON encoder for
// these texts.
func unescaped(body []byte) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(strings.TrimSpace(string(body)))
}

func TestAsk_NoSystemPromptToolsOrEffort_OmitsThem(t *testing.T) {
	t.Parallel()
	p, server := fake(t)
	if _, err := p.Generate(t.Context(), prompt("hello"), ignore); err != nil {
		t.Fatal(err)
	}
	want := `{"store":false,"include":["reasoning.encrypted_content"],` +
		`"input":[{"content":[{"text":"hello","type":"input_text"}],"role":"user","type":"message"}],"model":"fake","stream":true}`
	if got := unescaped(server.Requests()[0].Raw); got != want {
		t.Errorf("sent %s", got)
	}
}

func TestAsk_EffortOfTheRequest_ReplacesTheConfiguredOne(t *testing.T) {
	t.Parallel()
	server := fakemodel.New()
	client, stop := server.Pipe()
	defer stop()
	p := responses.New(responses.Config{BaseURL: "http://fake/v1", Key: "key", HTTP: client, Effort: "high"})
	req := prompt("hello")
	req.Effort = "low"
	if _, err := p.Generate(t.Context(), req, ignore); err != nil {
		t.Fatal(err)
	}
	if got := string(server.Requests()[0].Raw); !strings.Contains(got, `"reasoning":{"effort":"low","summary":"auto"}`) {
		t.Errorf("sent %s", got)
	}
}

func TestAsk_Effort_IsSentWithSummaryRequest(t *testing.T) {
	t.Parallel()
	server := fakemodel.New()
	client, stop := server.Pipe()
	defer stop()
	p := responses.New(responses.Config{BaseURL: "http://fake/v1", Key: "key", HTTP: client, Effort: "high"})
	if _, err := p.Generate(t.Context(), prompt("hello"), ignore); err != nil {
		t.Fatal(err)
	}
	if got := string(server.Requests()[0].Raw); !strings.Contains(got, `"reasoning":{"effort":"high","summary":"auto"}`) {
		t.Errorf("sent %s", got)
	}
}

func TestAsk_WhiteSpaceBetweenReasoning_IsSentWithFollowingText(t *testing.T) {
	t.Parallel()
	p, server := fake(t)
	req := prompt("a")
	req.Messages = append(req.Messages, bellcord.Message{Role: bellcord.RoleAssistant, Text: " \nwords", Thinking: []bellcord.Thinking{
		{At: 0, Text: "hm", Signature: json.RawMessage(sealOne)}, {At: 2, Signature: json.RawMessage(sealTwo)},
	}}, bellcord.Message{Role: bellcord.RoleUser, Text: "b"})
	if _, err := p.Generate(t.Context(), req, ignore); err != nil {
		t.Fatal(err)
	}
	got := string(server.Requests()[0].Raw)
	one, two, words := strings.Index(got, `"rs_1"`), strings.Index(got, `"rs_2"`), strings.Index(got, `"text":" \nwords"`)
	if one < 0 || two < one || words < two {
		t.Errorf("sent %s", got)
	}
}

func TestAsk_InvalidToolSchema_FailsBeforeSending(t *testing.T) {
	t.Parallel()
	p, server := fake(t)
	req := prompt("hello")
	req.Tools = []llm.Tool{{Name: "look", Schema: json.RawMessage(`{"type":`)}}
	_, err := p.Generate(t.Context(), req, ignore)
	failed(t, err, "", 0, "JSON")
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}
