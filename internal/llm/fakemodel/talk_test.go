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
	"time"
)

const pipeURL = "http://fake/v1"

// decoded is one reply as decoded by a client.
type decoded struct {
	status   int
	header   http.Header
	body     string
	err      error // from reading the body
	took     time.Duration
	text     string
	thinking string
	finish   string
	calls    []string // "name arguments", by index
	order    []int    // call indexes of the argument fragments
	usages   []string // "in/out" as reported, chunk by chunk; "null" for a JSON null
	done     bool
}

type reply struct {
	Object  string
	Choices []struct {
		Delta        message
		Message      message
		FinishReason *string `json:"finish_reason"`
	}
	Usage json.RawMessage
}

type message struct {
	Content   string
	Thinking  string `json:"reasoning_content"`
	ToolCalls []struct {
		Index    int
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

// chatRequest returns the body of a request with one user message.
func chatRequest(prompt string, stream bool) string {
	return conversation(stream, fmt.Sprintf(`{"role":"user","content":%q}`, prompt))
}

func conversation(stream bool, messages ...string) string {
	options := ""
	if stream {
		options = `,"stream":true,"stream_options":{"include_usage":true}`
	}
	return `{"model":"fake","messages":[` + strings.Join(messages, ",") + `]` + options + `}`
}

func post(ctx context.Context, client *http.Client, base, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer key")
	return client.Do(req)
}

func chatRead(t *testing.T, client *http.Client, base, body string) decoded {
	t.Helper()
	start := time.Now()
	resp, err := post(t.Context(), client, base, body)
	if err != nil {
		t.Fatalf("post: %v", err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	h := decoded{status: resp.StatusCode, header: resp.Header, body: string(raw), err: err, took: time.Since(start)}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		h.take(t, raw)
		return h
	}
	for event := range bytes.SplitSeq(raw, []byte("\n\n")) {
		data, ok := bytes.CutPrefix(event, []byte("data: "))
		switch {
		case string(data) == "[DONE]":
			h.done = true
		case ok:
			h.take(t, data)
		}
	}
	return h
}

// take adds a chunk or a whole reply. It ignores a truncated one.
func (h *decoded) take(t *testing.T, data []byte) {
	t.Helper()
	var r reply
	if json.Unmarshal(data, &r) != nil {
		return
	}
	if len(r.Usage) > 0 {
		h.usages = append(h.usages, usageOf(t, r.Usage))
	}
	for _, choice := range r.Choices {
		for _, m := range []message{choice.Delta, choice.Message} {
			h.text += m.Content
			h.thinking += m.Thinking
			for i, call := range m.ToolCalls {
				if call.Function.Name != "" {
					h.calls = append(h.calls, call.Function.Name+" ")
				}
				index := max(i, call.Index)
				h.calls[index] += call.Function.Arguments
				if call.Function.Arguments != "" {
					h.order = append(h.order, index)
				}
			}
		}
		if choice.FinishReason != nil {
			h.finish = *choice.FinishReason
		}
	}
}

func usageOf(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var u *struct {
		In    int `json:"prompt_tokens"`
		Out   int `json:"completion_tokens"`
		Total int `json:"total_tokens"`
	}
	if err := json.Unmarshal(raw, &u); err != nil {
		t.Fatalf("usage %s: %v", raw, err)
	}
	if u == nil {
		return "null"
	}
	if u.Total != u.In+u.Out {
		t.Errorf("usage %s does not add up", raw)
	}
	return fmt.Sprintf("%d/%d", u.In, u.Out)
}
