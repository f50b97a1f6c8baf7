package fakemodel

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"
)

// messagesFormat implements Anthropic's Messages API.
type messagesFormat struct{}

func (messagesFormat) authorized(r *http.Request) error { return checkMessagesHeaders(r.Header) }

func (messagesFormat) validate(body []byte) error { return ValidateMessages(body) }

// messagesVersion is the header that the API requires in every request.
const messagesVersion = "Anthropic-Version"

func checkMessagesHeaders(header http.Header) error {
	if strings.TrimSpace(header.Get("X-Api-Key")) == "" {
		return errors.New("x-api-key header is required")
	}
	if header.Get(messagesVersion) != "2023-06-01" {
		return errors.New("anthropic-version header is required, and 2023-06-01 is the only version")
	}
	return nil
}

// signature returns the fake model's signature of a thinking block. It has a
// fixed width, and any change of the text invalidates it.
func signature(thinking string) string {
	sum := sha256.Sum256([]byte("thought of the fake model: " + thinking))
	return hex.EncodeToString(sum[:])
}

type messagesRequest struct {
	Model    string          `json:"model"`
	System   json.RawMessage `json:"system"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Stream bool `json:"stream"`
}

type messagesContent struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	Input    json.RawMessage `json:"input"`
	Content  json.RawMessage `json:"content"` // of a tool result
}

// messagesBlocks decodes content in either of its forms: a string is a text
// block.
func messagesBlocks(raw json.RawMessage) []messagesContent {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []messagesContent{{Type: "text", Text: text}}
	}
	var blocks []messagesContent
	_ = json.Unmarshal(raw, &blocks)
	return blocks
}

// read extracts as much as possible, even from a request that will be rejected.
func (messagesFormat) read(_ *http.Request, body []byte) turn {
	var req messagesRequest
	_ = json.Unmarshal(body, &req)
	t := turn{model: req.Model, messages: len(req.Messages), stream: req.Stream, usage: true}
	for _, block := range messagesBlocks(req.System) {
		t.chars += utf8.RuneCountInString(block.Text)
	}
	for _, m := range req.Messages {
		blocks := messagesBlocks(m.Content)
		if m.Role == "assistant" {
			t.readAnswer(blocks)
			continue
		}
		for _, block := range blocks {
			t.readUserBlock(block)
		}
	}
	return t
}

func (t *turn) readAnswer(blocks []messagesContent) {
	t.results = nil
	called := false
	for _, block := range blocks {
		called = called || block.Type == "tool_use"
		t.chars += utf8.RuneCountInString(block.Text + block.Thinking + string(block.Input))
	}
	if called {
		t.step++
	}
}

// readUserBlock treats each text as a separate prompt. One message contains
// several texts if the turns of the earlier ones were stopped before an answer;
// their scripts must not be played again.
func (t *turn) readUserBlock(block messagesContent) {
	switch block.Type {
	case "text":
		t.chars += utf8.RuneCountInString(block.Text)
		t.prompt, t.step, t.results = block.Text, 0, nil
	case "tool_result":
		var texts []string
		for _, part := range messagesBlocks(block.Content) {
			texts = append(texts, part.Text)
		}
		result := strings.Join(texts, "\n")
		t.chars += utf8.RuneCountInString(result)
		t.results = append(t.results, result)
	}
}

func (messagesFormat) problem(status int, words string) []byte {
	kind, known := map[int]string{
		http.StatusUnauthorized: "authentication_error", http.StatusPaymentRequired: "billing_error",
		http.StatusForbidden: "permission_error", http.StatusNotFound: "not_found_error",
		http.StatusRequestEntityTooLarge: "request_too_large", http.StatusTooManyRequests: "rate_limit_error",
		http.StatusGatewayTimeout: "timeout_error", http.StatusServiceUnavailable: "overloaded_error", 529: "overloaded_error",
	}[status]
	switch {
	case known:
	case status >= http.StatusInternalServerError:
		kind = "api_error"
	default:
		kind = "invalid_request_error"
	}
	type detail struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	return encode(struct {
		Type      string `json:"type"`
		Error     detail `json:"error"`
		RequestID string `json:"request_id"`
	}{"error", detail{kind, words}, "req_fake"})
}

func (messagesFormat) speaker(x *exchange, t turn, rule usageRule) speaker {
	reply := messagesReply{x: x, turn: t, rule: rule}
	if t.stream {
		return &messagesStream{messagesReply: reply}
	}
	return &messagesWhole{messagesReply: reply}
}

func messagesFinish(reason finishReason) string {
	switch reason {
	case finishTools:
		return "tool_use"
	case finishLength:
		return "max_tokens"
	case finishRefused:
		return "refusal"
	case finishStop:
	}
	return "end_turn"
}

// messagesModels lists the models in this API's form.
func (s *Server) messagesModels(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if err := checkMessagesHeaders(r.Header); err != nil {
		w.WriteHeader(http.StatusUnauthorized)
		s.writeReply(w, messagesFormat{}.problem(http.StatusUnauthorized, err.Error()))
		return
	}
	type model struct {
		Type        string `json:"type"`
		ID          string `json:"id"`
		DisplayName string `json:"display_name"`
		CreatedAt   string `json:"created_at"`
	}
	list := struct {
		Data    []model `json:"data"`
		HasMore bool    `json:"has_more"`
		FirstID string  `json:"first_id"`
		LastID  string  `json:"last_id"`
	}{FirstID: "fake", LastID: "fake-mini"}
	for _, id := range []string{"fake", "fake-mini"} {
		list.Data = append(list.Data, model{"model", id, id, "2026-01-01T00:00:00Z"})
	}
	s.writeReply(w, encode(list))
}
