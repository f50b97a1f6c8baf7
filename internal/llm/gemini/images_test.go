package gemini_test

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
		{Role: bellcord.RoleTool, Call: "c1", Name: "look", Text: "seen", Images: []bellcord.Image{{Type: "image/png", Data: []byte("p1")}, {Type: llm.PDF, Data: []byte("%PDF")}}},
		{Role: bellcord.RoleTool, Call: "c2", Name: "look", Text: "none"},
	}}
	if _, err := p.Generate(t.Context(), req, ignore); err != nil {
		t.Fatal(err)
	}
	want := `{"functionResponse":{"id":"c1","name":"look","response":{"output":"seen"}}},{"functionResponse":{"id":"c2","name":"look","response":{"output":"none"}}},` +
		`{"inlineData":{"mimeType":"image/png","data":"cDE="}},{"inlineData":{"mimeType":"application/pdf","data":"JVBERg=="}}`
	if got := string(server.Requests()[0].Raw); !strings.Contains(got, want) {
		t.Errorf("sent %s", got)
	}
}
