package fakemodel

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// chatFormat implements OpenAI's Chat Completions API.
type chatFormat struct{}

func (chatFormat) authorized(r *http.Request) error { return checkBearer(r.Header) }

func (chatFormat) validate(body []byte) error { return Validate(body) }

type chatRequest struct {
	Model         string        `json:"model"`
	Messages      []chatMessage `json:"messages"`
	Stream        bool          `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type chatMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []struct {
		Function struct {
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// contentText returns the content as one string, from either of its two forms.
func (m chatMessage) contentText() string {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(m.Content, &parts) != nil {
		return ""
	}
	var texts []string
	for _, part := range parts {
		if part.Text != "" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// read ignores errors on purpose: json keeps what it could decode, and the
// record of a rejected request should be as complete as possible.
func (chatFormat) read(_ *http.Request, body []byte) turn {
	var req chatRequest
	_ = json.Unmarshal(body, &req)
	t := turn{
		model:    req.Model,
		messages: len(req.Messages),
		stream:   req.Stream,
		usage:    req.StreamOptions.IncludeUsage,
	}
	for _, m := range req.Messages {
		text := m.contentText()
		t.chars += utf8.RuneCountInString(text)
		switch m.Role {
		case "user":
			if !isReminder(text) {
				t.prompt, t.step, t.results = text, 0, nil
			}
		case "assistant":
			t.results = nil
			if len(m.ToolCalls) > 0 {
				t.step++
			}
			for _, call := range m.ToolCalls {
				t.chars += utf8.RuneCountInString(call.Function.Arguments)
			}
		case "tool":
			t.results = append(t.results, text)
		}
	}
	return t
}

// isReminder reports whether an agent added the text in the user's name.
func isReminder(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "[Bellcord: ") || strings.HasPrefix(text, "<system-reminder>") && strings.HasSuffix(text, "</system-reminder>")
}

func (chatFormat) problem(status int, words string) []byte {
	type detail struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	d := detail{Message: words, Type: "invalid_request_error"}
	code := ""
	switch {
	case status == http.StatusUnauthorized:
		code = "invalid_api_key"
	case status == http.StatusTooManyRequests:
		d.Type, code = "requests", "rate_limit_exceeded"
	case status >= http.StatusInternalServerError:
		d.Type = "server_error"
	}
	if code != "" {
		d.Code = &code
	}
	return encode(map[string]detail{"error": d})
}

func (chatFormat) speaker(x *exchange, t turn, rule usageRule) speaker {
	common := chatReply{x: x, turn: t, rule: rule, id: chatID(x.entry.N), created: time.Now().Unix()}
	if t.stream {
		return &chatStream{chatReply: common}
	}
	return &chatWhole{chatReply: common}
}

func chatFinish(reason finishReason) string {
	switch reason {
	case finishTools:
		return "tool_calls"
	case finishLength:
		return "length"
	case finishRefused:
		return "content_filter"
	case finishStop:
	}
	return "stop"
}

// encode is json.Marshal without HTML escaping, which the real APIs do not use
// either. All values come from this package, so encoding cannot fail.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
