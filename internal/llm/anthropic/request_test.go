package anthropic_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/anthropic"
)

// conversation returns a request with every kind of message, some of them from
// other providers.
func conversation() llm.Request {
	return llm.Request{
		Model:  "some/model",
		System: "Be <brief>.",
		Messages: []bellcord.Message{
			{Role: bellcord.RoleUser, Text: "first"},
			{Role: bellcord.RoleUser, Text: "look", Images: []bellcord.Image{{Type: "image/png", Data: []byte("png")}, {Type: "image/tiff", Data: []byte("x")}}},
			{Role: bellcord.RoleAssistant, Text: "answer"},
			{Role: bellcord.RoleUser, Images: []bellcord.Image{{Type: "image/png", Data: []byte("png")}}},
			{Role: bellcord.RoleAssistant, Calls: []bellcord.CallRequest{
				{ID: "c1", Name: "look", Arguments: json.RawMessage(`{"z": 1, "a": 2}`)},
				{ID: "c2", Name: "wait"},
			}},
			{Role: bellcord.RoleTool, Call: "c1", Text: "seen"},
			{Role: bellcord.RoleTool, Call: "c2", Text: " ", Failed: true},
			{Role: bellcord.RoleUser, Text: "go on"},
			{Role: bellcord.RoleAssistant, Text: "one more", Calls: []bellcord.CallRequest{
				{ID: "c1", Name: "wait for it", Arguments: json.RawMessage(`{}`)},
				{ID: "fc.1|x", Name: "wait", Arguments: json.RawMessage(`{}`)},
			}},
			{Role: bellcord.RoleTool, Call: "fc.1|x", Text: "waited"},
			{Role: bellcord.RoleTool, Call: "c1", Text: "no such tool", Failed: true},
		},
		Tools: []llm.Tool{
			{Name: "look", Description: "looks", Schema: json.RawMessage(`{"type":"object","properties":{"z":{},"a":{"enum":["<",1.0]}}}`)},
			{Name: "wait"},
		},
	}
}

const conversationOnTheWire = `{
"max_tokens":32000,
"messages":[
{"content":[{"text":"first","type":"text"},
{"source":{"data":"cG5n","media_type":"image/png","type":"base64"},"type":"image"},
{"text":"(omitted: an image of the unsupported type \"image/tiff\")","type":"text"},
{"text":"look","type":"text"}],"role":"user"},
{"content":[{"text":"answer","type":"text"}],"role":"assistant"},
{"content":[{"source":{"data":"cG5n","media_type":"image/png","type":"base64"},"type":"image"}],"role":"user"},
{"content":[{"id":"c1","input":{"z":1,"a":2},"name":"look","type":"tool_use"},
{"id":"c2","input":{},"name":"wait","type":"tool_use"}],"role":"assistant"},
{"content":[{"tool_use_id":"c1","content":[{"text":"seen","type":"text"}],"type":"tool_result"},
{"tool_use_id":"c2","is_error":true,"content":[{"text":"(no output)","type":"text"}],"type":"tool_result"},
{"text":"go on","cache_control":{"type":"ephemeral"},"type":"text"}],"role":"user"},
{"content":[{"text":"one more","type":"text"},
{"id":"c1_2","input":{},"name":"wait_for_it","type":"tool_use"},
{"id":"call_23ad8adf86931624db1895cd","input":{},"name":"wait","type":"tool_use"}],"role":"assistant"},
{"content":[{"tool_use_id":"call_23ad8adf86931624db1895cd","content":[{"text":"waited","type":"text"}],"type":"tool_result"},
{"tool_use_id":"c1_2","is_error":true,"cache_control":{"type":"ephemeral"},"content":[{"text":"no such tool","type":"text"}],"type":"tool_result"}],"role":"user"}],
"model":"some/model",
"system":[{"text":"Be <brief>.","cache_control":{"type":"ephemeral"},"type":"text"}],
"tools":[
{"input_schema":{"type":"object","properties":{"z":{},"a":{"enum":["<",1.0]}}},"name":"look","description":"looks"},
{"input_schema":{"type":"object","properties":{}},"name":"wait","cache_control":{"type":"ephemeral"}}],
"stream":true}`

func TestAsk_FullConversation_SendsExpectedRequest(t *testing.T) {
	t.Parallel()
	p, server := fake(t, anthropic.Config{})
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

var cacheMark = regexp.MustCompile(`"cache_control":\{"type":"ephemeral"\},`)

// A prompt cache matches the beginning of a request. As a conversation grows,
// its beginning must not change, except for the cache marks, of which there are
// at most four.
func TestAsk_GrowingConversation_KeepsCacheablePrefix(t *testing.T) {
	t.Parallel()
	p, server := fake(t, anthropic.Config{})
	all := conversation()
	var before string
	for n := range all.Messages {
		req := all
		req.Messages = history.Repair(all.Messages[:n+1])
		if all.Messages[n].Role == bellcord.RoleAssistant || (n+1 < len(all.Messages) && all.Messages[n+1].Role == bellcord.RoleTool) {
			continue // no request is sent at this point
		}
		if _, err := p.Generate(t.Context(), req, ignore); err != nil {
			t.Fatal(err)
		}
		requests := server.Requests()
		raw := string(requests[len(requests)-1].Raw)
		if marks := strings.Count(raw, `"cache_control"`); marks < 3 || marks > 4 {
			t.Errorf("%d marks in %s", marks, raw)
		}
		messages, _, _ := strings.Cut(cacheMark.ReplaceAllString(raw, ""), `],"role":"user"}],"model"`)
		if !strings.HasPrefix(messages, before) {
			t.Errorf("with message %d\n%s\ndoes not begin with\n%s", n, messages, before)
		}
		before = messages
	}
}

func TestAsk_NoSystemPromptOrTools_OmitsBoth(t *testing.T) {
	t.Parallel()
	p, server := fake(t, anthropic.Config{MaxTokens: 9})
	if _, err := p.Generate(t.Context(), prompt("hello"), ignore); err != nil {
		t.Fatal(err)
	}
	want := `{"max_tokens":9,"messages":[{"content":[{"text":"hello","cache_control":{"type":"ephemeral"},"type":"text"}],"role":"user"}],"model":"fake","stream":true}`
	if got := unescaped(server.Requests()[0].Raw); got != want {
		t.Errorf("sent %s", got)
	}
}

func TestAsk_Effort_IsSent(t *testing.T) {
	t.Parallel()
	p, server := fake(t, anthropic.Config{})
	req := prompt("hello")
	req.Effort = "low"
	if _, err := p.Generate(t.Context(), req, ignore); err != nil {
		t.Fatal(err)
	}
	if got := string(server.Requests()[0].Raw); !strings.Contains(got, `"output_config":{"effort":"low"}`) {
		t.Errorf("sent %s", got)
	}
}

func TestAsk_InvalidCallIDs_AreReplacedByUniqueOnes(t *testing.T) {
	t.Parallel()
	p, server := fake(t, anthropic.Config{})
	req := prompt("[say ok]")
	for i, id := range []string{"a.b", "a|b", "a b", "é", strings.Repeat("x", 500), "call_0", "call_0", "call_0_2", "a.b"} {
		name := "f"
		if i == 0 {
			name = strings.Repeat("é.", 200)
		}
		req.Messages = append(req.Messages,
			bellcord.Message{Role: bellcord.RoleAssistant, Calls: []bellcord.CallRequest{{ID: id, Name: name, Arguments: json.RawMessage(`{}`)}}},
			bellcord.Message{Role: bellcord.RoleTool, Call: id, Text: fmt.Sprintf("result %d", i)})
	}
	if _, err := p.Generate(t.Context(), req, ignore); err != nil { // the fake model requires unique ids and matching results
		t.Fatal(err)
	}
	if got := string(server.Requests()[0].Raw); !strings.Contains(got, `"id":"call_0_2_2"`) {
		t.Errorf("sent %s", got)
	}
}

func TestAsk_InvalidToolSchema_FailsBeforeSending(t *testing.T) {
	t.Parallel()
	p, server := fake(t, anthropic.Config{})
	req := prompt("hello")
	req.Tools = []llm.Tool{{Name: "look", Schema: json.RawMessage(`{"type":`)}}
	_, err := p.Generate(t.Context(), req, ignore)
	notPassing(t, err, "JSON")
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}
