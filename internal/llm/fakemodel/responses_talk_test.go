package fakemodel_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// responsesDecoded is one reply of the Responses API as decoded by a client.
type responsesDecoded struct {
	status   int
	body     string
	err      error    // from reading the body
	kinds    []string // of the events
	text     string
	thinking string
	items    []string // each completed item, unchanged
	end      string   // type of the last event, or the status of a whole reply
	reason   string   // why it is incomplete
	usage    string   // "in/read/write/out/thinking"
}

type responsesEvent struct {
	Type     string
	Sequence int `json:"sequence_number"`
	Delta    string
	Item     json.RawMessage
	Response responsesReply
}

type responsesReply struct {
	Status  string
	Output  []json.RawMessage
	Details *struct{ Reason string } `json:"incomplete_details"`
	Usage   *struct {
		In        int `json:"input_tokens"`
		InDetails struct {
			Cached int `json:"cached_tokens"`
			Wrote  int `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
		Out        int `json:"output_tokens"`
		OutDetails struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	}
}

// responsesRequest returns the body of a request with these items.
func responsesRequest(stream bool, items ...string) string {
	return fmt.Sprintf(`{"model":"fake","store":false,"include":["reasoning.encrypted_content"],"stream":%v,"input":[%s]}`,
		stream, strings.Join(items, ","))
}

func responsesText(words string) string {
	return fmt.Sprintf(`{"type":"message","role":"user","content":[{"type":"input_text","text":%q}]}`, words)
}

func responsesRead(t *testing.T, client *http.Client, body string) responsesDecoded {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, pipeURL+"/responses", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer key")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatalf("post: %v", err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	h := responsesDecoded{status: resp.StatusCode, body: string(raw), err: err}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		var unstreamed responsesReply
		if json.Unmarshal(raw, &unstreamed) == nil && unstreamed.Status != "" {
			h.conclude(unstreamed)
		}
		return h
	}
	for event := range bytes.SplitSeq(raw, []byte("\n\n")) {
		h.take(t, string(event))
	}
	return h
}

// take adds an event. It ignores a truncated one.
func (h *responsesDecoded) take(t *testing.T, event string) {
	t.Helper()
	head, data, found := strings.Cut(event, "\ndata: ")
	var ev responsesEvent
	if !found || json.Unmarshal([]byte(data), &ev) != nil {
		return
	}
	if head != "event: "+ev.Type || ev.Sequence != len(h.kinds) {
		t.Errorf("event %d: %s", len(h.kinds), event)
	}
	h.kinds = append(h.kinds, strings.TrimPrefix(ev.Type, "response."))
	switch ev.Type {
	case "response.output_text.delta":
		h.text += ev.Delta
	case "response.reasoning_summary_text.delta":
		h.thinking += ev.Delta
	case "response.output_item.done":
		h.items = append(h.items, string(ev.Item))
	case "response.completed", "response.incomplete":
		h.conclude(ev.Response)
	}
}

func (h *responsesDecoded) conclude(r responsesReply) {
	h.end = r.Status
	h.items = nil
	for _, item := range r.Output {
		h.items = append(h.items, string(item))
	}
	if r.Details != nil {
		h.reason = r.Details.Reason
	}
	if u := r.Usage; u != nil {
		h.usage = fmt.Sprintf("%d/%d/%d/%d/%d", u.In, u.InDetails.Cached, u.InDetails.Wrote, u.Out, u.OutDetails.Reasoning)
	}
}
