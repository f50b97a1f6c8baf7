package genai_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genai"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// fake returns the SDK's client for the strict fake model, which must not reject any request.
func fake(t *testing.T) *genai.Client {
	t.Helper()
	server := fakemodel.New()
	running, url, err := server.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Close(); err != nil {
			t.Error(err)
		}
		for _, why := range server.Rejections() {
			t.Errorf("the fake model refused a request: %s", why)
		}
	})
	return clientOf(t, strings.TrimSuffix(url, "/v1"))
}

func clientOf(t *testing.T, base string) *genai.Client {
	t.Helper()
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		Backend: genai.BackendGeminiAPI, APIKey: "key", HTTPOptions: genai.HTTPOptions{BaseURL: base},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// collected contains an answer as the SDK returns it.
type collected struct {
	thinking, text string
	calls          []*genai.FunctionCall
	content        genai.Content // to send back
	finish         genai.FinishReason
	usage          *genai.GenerateContentResponseUsageMetadata
	err            error
}

func (h *collected) add(chunk *genai.GenerateContentResponse) {
	if chunk.UsageMetadata != nil {
		h.usage = chunk.UsageMetadata
	}
	candidate := chunk.Candidates[0]
	h.finish = candidate.FinishReason
	if candidate.Content == nil {
		return
	}
	h.content.Role = candidate.Content.Role
	for _, part := range candidate.Content.Parts {
		if isHistory(part) {
			h.content.Parts = append(h.content.Parts, part)
		}
		switch {
		case part.FunctionCall != nil:
			h.calls = append(h.calls, part.FunctionCall)
		case part.Thought:
			h.thinking += part.Text
		default:
			h.text += part.Text
		}
	}
}

// isHistory excludes thoughts, which are summaries for people, and empty parts.
func isHistory(part *genai.Part) bool {
	return !part.Thought && (part.FunctionCall != nil || part.Text != "" || len(part.ThoughtSignature) > 0)
}

func ask(t *testing.T, client *genai.Client, contents ...*genai.Content) collected {
	t.Helper()
	var h collected
	for chunk, err := range client.Models.GenerateContentStream(t.Context(), "fake", contents, nil) {
		if err != nil {
			h.err = err
			break
		}
		h.add(chunk)
	}
	return h
}

func prompt(text string) *genai.Content { return genai.NewContentFromText(text, genai.RoleUser) }

func asJSON(t *testing.T, value any) string {
	t.Helper()
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestSDK_FakeModel_AcceptsItsOwnAnswersBack(t *testing.T) {
	client := fake(t)
	question := prompt(`[think 3 0s] [say well then] [tool look {"path":"a"}] [tool wait {"n":2}] [usage 11 7]`)
	h := ask(t, client, question)
	if h.err != nil || h.thinking != "thought1 thought2 thought3" || h.text != "well then" || h.finish != genai.FinishReasonStop {
		t.Fatalf("collected %+v", h)
	}
	if len(h.calls) != 2 || h.calls[0].Name != "look" || asJSON(t, h.calls[0].Args) != `{"path":"a"}` || h.calls[1].Name != "wait" || asJSON(t, h.calls[1].Args) != `{"n":2}` {
		t.Fatalf("called %s", asJSON(t, h.calls))
	}
	if u := h.usage; u == nil || u.PromptTokenCount != 11 || u.CandidatesTokenCount+u.ThoughtsTokenCount != 7 {
		t.Errorf("usage %s", asJSON(t, h.usage))
	}
	results := &genai.Content{Role: genai.RoleUser}
	for _, call := range h.calls {
		results.Parts = append(results.Parts, &genai.Part{FunctionResponse: &genai.FunctionResponse{
			ID: call.ID, Name: call.Name, Response: map[string]any{"output": "seen"},
		}})
	}
	if h := ask(t, client, question, &h.content, results); h.err != nil || !strings.HasPrefix(h.text, "Results: 2") {
		t.Errorf("given back, it is answered %+v", h)
	}
}

func TestSDK_FakeModel_ListsItsModels(t *testing.T) {
	var names []string
	for model, err := range fake(t).Models.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, model.Name)
	}
	if !slices.Equal(names, []string{"models/fake", "models/fake-embedding", "models/fake-mini"}) {
		t.Errorf("listed %q", names)
	}
}
