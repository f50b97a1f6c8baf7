package bellcord

import (
	"encoding/json"
	"strings"
)

// Role says whose words a message holds.
type Role string

// The roles of a conversation.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one entry of a conversation as a model is told it.
type Message struct {
	Role Role
	Seq  int64 // of the event it begins with; 0 for a summary
	Text string

	Images []Image // of a user, before the text

	// Of an assistant. The calls come after the text; each is answered by a tool
	// message that follows directly.
	Model    string // the provider/model that said it
	Thinking []Thinking
	Calls    []CallRequest

	// Of a tool message.
	Call   string // the call it answers
	Name   string // of the tool
	Failed bool
}

// Image is a picture that a person showed.
type Image struct {
	Type string `json:"type"` // such as image/png
	Data []byte `json:"data"`
}

// Thinking is a block of a model's thoughts, before the character of the
// message's text with the index At. Without a seal it was not finished.
type Thinking struct {
	At   int
	Text string
	Seal json.RawMessage
}

// CallRequest is a tool call as the model made it.
type CallRequest struct {
	ID   string
	Name string
	Args json.RawMessage // a complete JSON object
	Seal json.RawMessage // of the model that made it, where it makes one
}

// ForModel returns the history as a given model may be told it: seals of
// other models are left out, with the thinking they close.
func ForModel(history []Message, model string) []Message {
	out := make([]Message, len(history))
	for i, m := range history {
		if m.Role == Assistant && m.Model != model {
			m.Thinking = nil
			calls := make([]CallRequest, len(m.Calls))
			for j, c := range m.Calls {
				c.Seal = nil
				calls[j] = c
			}
			m.Calls = calls[:len(calls):len(calls)]
			if len(calls) == 0 {
				m.Calls = nil
			}
		}
		out[i] = m
	}
	return out
}

// Repair makes a conversation one that every model accepts (law 21). It only
// adds what is missing and drops what cannot be sent (law 22): a call without a
// result gets one that says so, an answer to nobody a prompt without words; a
// result without a call goes, as do thoughts that were not finished or that
// nothing follows, calls without complete arguments or a proper name, and
// messages without content. It knows no clock, and what is repaired stays as it
// is.
func Repair(history []Message) []Message {
	var out []Message
	for i := 0; i < len(history); {
		m := history[i]
		i++
		results := i
		for i < len(history) && history[i].Role == Tool {
			i++
		}
		switch {
		case m.Role == User && (!blank(m.Text) || len(m.Images) > 0):
			out = append(out, m)
		case m.Role == Assistant:
			out = appendAnswer(out, sendable(m), history[results:i])
		}
	}
	return out
}

// appendAnswer adds an assistant's message and a result for each of its calls.
func appendAnswer(out []Message, m Message, results []Message) []Message {
	if m.Text == "" && len(m.Calls) == 0 {
		return out
	}
	if len(out) == 0 || out[len(out)-1].Role == Assistant { // a model answers somebody
		out = append(out, Message{Role: User, Seq: m.Seq, Text: "(no words)"})
	}
	out = append(out, m)
	for _, c := range m.Calls {
		out = append(out, resultFor(c, m.Seq, results))
	}
	return out
}

// sendable is an assistant's message without what no model takes back.
func sendable(m Message) Message {
	var calls []CallRequest
	taken := map[string]bool{}
	for _, c := range m.Calls {
		if c.ID != "" && properName(c.Name) && !taken[c.ID] && isObject(c.Args) {
			taken[c.ID] = true
			calls = append(calls, c)
		}
	}
	m.Calls = calls
	if blank(m.Text) {
		m.Text = ""
	}
	var thinking []Thinking
	for _, t := range m.Thinking {
		t.At = min(t.At, len(m.Text))
		if len(t.Seal) > 0 && (!blank(m.Text[t.At:]) || len(calls) > 0) {
			thinking = append(thinking, t)
		}
	}
	m.Thinking = thinking
	return m
}

func resultFor(c CallRequest, seq int64, results []Message) Message {
	for _, r := range results {
		if r.Call == c.ID {
			if blank(r.Text) {
				r.Text = "(no output)"
			}
			r.Name = c.Name
			return r
		}
	}
	return Message{
		Role: Tool, Seq: seq, Call: c.ID, Name: c.Name, Failed: true,
		Text: ResultText(NotStarted, ""),
	}
}

// properName reports whether every model takes it for a tool's.
func properName(name string) bool {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !letter && (i == 0 || (r < '0' || r > '9') && r != '-') {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

func isObject(args json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(args, &object) == nil && object != nil
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
