package fakemodel

import (
	"encoding/json"
	"strconv"
	"strings"
)

// messagesWhole collects the reply and sends it as one body.
type messagesWhole struct {
	messagesReply
	thoughts, text strings.Builder
	calls          []messagesBlock
	args           []string
}

func (m *messagesWhole) headers() { m.x.head(200, "application/json") }

func (m *messagesWhole) open() error { return nil }

func (m *messagesWhole) add(b beat, _ usage) error {
	switch b.kind {
	case beatThought:
		m.thoughts.WriteString(b.text)
	case beatText:
		m.text.WriteString(b.text)
	case beatOpening:
		m.calls = append(m.calls, messagesBlock{Type: "tool_use", ID: m.callID(b.index), Name: b.text})
		m.args = append(m.args, "")
	case beatArgs:
		m.args[b.index] += b.text
	}
	return m.x.r.Context().Err()
}

func (m *messagesWhole) finish(reason finishReason, total usage) error {
	body := m.body(reason, total)
	if m.x.left < 0 {
		m.x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	m.headers()
	return m.x.deliverPiece(body, m.text.String(), true)
}

// breakOff sends half of the reply, which no client may accept as complete.
func (m *messagesWhole) breakOff() error {
	body := m.body(finishStop, usage{})
	m.headers()
	return m.x.deliverPiece(body[:len(body)/2], "", true)
}

func (m *messagesWhole) body(reason finishReason, total usage) []byte {
	reply, word := m.message(), messagesFinish(reason)
	reply.StopReason = &word
	if thoughts := m.thoughts.String(); thoughts != "" {
		seal := signature(thoughts)
		reply.Content = append(reply.Content, messagesBlock{Type: "thinking", Thinking: &thoughts, Signature: &seal})
	}
	if text := m.text.String(); text != "" {
		reply.Content = append(reply.Content, messagesBlock{Type: "text", Text: &text})
	}
	for i, call := range m.calls {
		call.Input = struct{}{} // invalid JSON cannot be included here; the API omits it as well
		if json.Valid([]byte(m.args[i])) {
			call.Input = json.RawMessage(m.args[i])
		}
		reply.Content = append(reply.Content, call)
	}
	if !m.rule.off {
		reply.Usage = messagesUsageOf(total)
	}
	return encode(reply)
}
