package fakemodel

import (
	"encoding/json"
	"net/http"
	"time"
	"unicode/utf8"
)

// responsesFormat implements OpenAI's Responses API without state on the
// server.
type responsesFormat struct{}

func (responsesFormat) authorized(r *http.Request) error { return checkBearer(r.Header) }

func (responsesFormat) validate(body []byte) error { return ValidateResponses(body) }

// problem has the same form in all of OpenAI's APIs.
func (responsesFormat) problem(status int, words string) []byte {
	return chatFormat{}.problem(status, words)
}

func (responsesFormat) speaker(x *exchange, t turn, rule usageRule) speaker {
	common := responsesReply{x: x, turn: t, rule: rule, created: time.Now().Unix()}
	if t.stream {
		return &responsesStream{responsesReply: common}
	}
	return &responsesWhole{responsesReply: common}
}

type responsesRequest struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions"`
	Input        json.RawMessage `json:"input"`
	Stream       bool            `json:"stream"`
}

type responsesInput struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// read ignores errors, as chatFormat.read does. The calls of one answer are
// separate items in this API, but count as one step.
func (responsesFormat) read(_ *http.Request, body []byte) turn {
	var req responsesRequest
	_ = json.Unmarshal(body, &req)
	t := turn{model: req.Model, stream: req.Stream, usage: true, chars: utf8.RuneCountInString(req.Instructions)}
	calling := false
	for _, item := range req.items() {
		t.messages++
		words := item.contentText()
		t.chars += utf8.RuneCountInString(words)
		switch item.Type {
		case "function_call":
			if !calling {
				t.step++
				t.results = nil
			}
		case "function_call_output":
			t.results = append(t.results, words)
		case "message", "":
			t.results = nil
			if item.Role == "user" {
				t.prompt, t.step = words, 0
			}
		}
		calling = item.Type == "function_call"
	}
	return t
}

// items decodes an input of either form: a plain string is a user message.
func (r responsesRequest) items() []responsesInput {
	var plain string
	if json.Unmarshal(r.Input, &plain) == nil {
		return []responsesInput{{Role: "user", Content: r.Input}}
	}
	var items []responsesInput
	_ = json.Unmarshal(r.Input, &items)
	return items
}

func (i responsesInput) contentText() string {
	switch i.Type {
	case "function_call":
		return i.Arguments
	case "function_call_output":
		return chatMessage{Content: i.Output}.contentText()
	default:
		return chatMessage{Content: i.Content}.contentText()
	}
}
