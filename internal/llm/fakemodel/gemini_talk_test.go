package fakemodel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

const geminiURL = "http://fake/v1beta/models"

// geminiDecoded is one reply as decoded by a client.
type geminiDecoded struct {
	status   int
	body     string
	took     time.Duration
	err      error // from reading the body
	text     string
	thinking string
	calls    []string // "name arguments"
	signed   []string // the parts with a signature, unchanged
	finish   string
	usages   []string // "in/cached/candidates/thoughts" of each chunk
}

type geminiReply struct {
	Candidates []struct {
		Content struct{ Parts []json.RawMessage }
		Finish  string `json:"finishReason"`
	}
	UsageMetadata *struct {
		In         int `json:"promptTokenCount"`
		Cached     int `json:"cachedContentTokenCount"`
		Candidates int `json:"candidatesTokenCount"`
		Thoughts   int `json:"thoughtsTokenCount"`
		Total      int `json:"totalTokenCount"`
	}
}

type geminiPart struct {
	Text      string
	Thought   bool
	Signature string `json:"thoughtSignature"`
	Call      *struct {
		ID, Name string
		Args     json.RawMessage
	} `json:"functionCall"`
}

func geminiRequest(contents ...string) string {
	return `{"contents":[` + strings.Join(contents, ",") + `]}`
}

func geminiContent(role string, parts ...string) string {
	return `{"role":"` + role + `","parts":[` + strings.Join(parts, ",") + `]}`
}

func geminiPrompt(text string) string {
	return geminiRequest(geminiContent("user", fmt.Sprintf(`{"text":%q}`, text)))
}

func geminiPost(ctx context.Context, client *http.Client, method, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, geminiURL+"/fake:"+method, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Goog-Api-Key", "key")
	return client.Do(req)
}

func geminiRead(t *testing.T, client *http.Client, method, body string) geminiDecoded {
	t.Helper()
	start := time.Now()
	resp, err := geminiPost(t.Context(), client, method, body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	h := geminiDecoded{status: resp.StatusCode, body: string(raw), err: err, took: time.Since(start)}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		h.take(t, raw)
		return h
	}
	for event := range bytes.SplitSeq(raw, []byte("\r\n\r\n")) {
		if data, ok := bytes.CutPrefix(event, []byte("data: ")); ok {
			h.take(t, data)
		}
	}
	return h
}

// take adds a chunk or a whole reply. It ignores a truncated one.
func (h *geminiDecoded) take(t *testing.T, data []byte) {
	t.Helper()
	var r geminiReply
	if json.Unmarshal(data, &r) != nil || len(r.Candidates) == 0 {
		return
	}
	if u := r.UsageMetadata; u != nil {
		if u.Total != u.In+u.Candidates+u.Thoughts {
			t.Errorf("usage %+v does not add up", *u)
		}
		h.usages = append(h.usages, fmt.Sprintf("%d/%d/%d/%d", u.In, u.Cached, u.Candidates, u.Thoughts))
	}
	h.finish = r.Candidates[0].Finish
	for _, raw := range r.Candidates[0].Content.Parts {
		var part geminiPart
		if err := json.Unmarshal(raw, &part); err != nil {
			t.Fatal(err)
		}
		if part.Signature != "" {
			h.signed = append(h.signed, string(raw))
		}
		switch {
		case part.Call != nil:
			h.calls = append(h.calls, part.Call.Name+" "+string(part.Call.Args))
		case part.Thought:
			h.thinking += part.Text
		default:
			h.text += part.Text
		}
	}
}

func inGemini(t *testing.T, test func(*testing.T, *fakemodel.Server, *http.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		model := fakemodel.New()
		client, stop := model.Pipe()
		defer stop()
		test(t, model, client)
	})
}
