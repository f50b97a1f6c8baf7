package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

func TestGenerate_ImagesInResult_AreSentWithIt(t *testing.T) {
	t.Parallel()
	p, server := fake(t)
	req := llm.Request{Model: "fake", Messages: []bellcord.Message{
		{Role: bellcord.RoleUser, Text: "look"},
		{Role: bellcord.RoleAssistant, Calls: []bellcord.CallRequest{
			{ID: "c1", Name: "look", Arguments: json.RawMessage(`{}`)}, {ID: "c2", Name: "look", Arguments: json.RawMessage(`{}`)},
		}},
		{Role: bellcord.RoleTool, Call: "c1", Name: "look", Text: "seen", Images: []bellcord.Image{{Type: "image/png", Data: []byte("p1")}}},
		{Role: bellcord.RoleTool, Call: "c2", Name: "look", Text: "none"},
	}}
	if _, err := p.Generate(t.Context(), req, ignore); err != nil {
		t.Fatal(err)
	}
	want := `{"content":"seen","tool_call_id":"c1","role":"tool"},{"content":"none","tool_call_id":"c2","role":"tool"},` +
		`{"content":[{"image_url":{"url":"data:image/png;base64,cDE="},"type":"image_url"},{"text":"[Bellcord: the images of the results above]","type":"text"}],"role":"user"}`
	if got := unescaped(server.Requests()[0].Raw); !strings.Contains(got, want) {
		t.Errorf("sent %s", got)
	}
}
