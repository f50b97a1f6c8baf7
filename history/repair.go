package history

import (
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
)

// ForModel returns the history for a request to the given model. It omits the
// thinking and the signatures of other models.
func ForModel(history []bellcord.Message, model string) []bellcord.Message {
	out := make([]bellcord.Message, len(history))
	for i, m := range history {
		if m.Role == bellcord.RoleAssistant && m.Model != model {
			m.Thinking = nil
			calls := make([]bellcord.CallRequest, len(m.Calls))
			for j, c := range m.Calls {
				c.Signature = nil
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

// Repair returns a conversation that every model accepts (law 21). It only adds
// missing parts and drops parts that cannot be sent (law 22):
//
//   - A call without a result gets one that reports it as not started.
//   - An assistant message at the start, or after another one, gets a prompt.
//   - Calls without a unique ID, a valid name or complete arguments are dropped.
//   - Results without a call are dropped.
//   - Thinking that is unfinished, or that no text or call follows, is dropped.
//   - Messages without content are dropped.
//
// Repair depends only on its argument, and repairing a result again does not
// change it.
func Repair(history []bellcord.Message) []bellcord.Message {
	var out []bellcord.Message
	for i := 0; i < len(history); {
		m := history[i]
		i++
		results := i
		for i < len(history) && history[i].Role == bellcord.RoleTool {
			i++
		}
		switch {
		case m.Role == bellcord.RoleUser && (!blank(m.Text) || len(m.Images) > 0):
			out = append(out, m)
		case m.Role == bellcord.RoleAssistant:
			out = appendAnswer(out, sendable(m), history[results:i])
		}
	}
	return out
}

// appendAnswer adds an assistant's message and a result for each of its calls.
func appendAnswer(out []bellcord.Message, m bellcord.Message, results []bellcord.Message) []bellcord.Message {
	if m.Text == "" && len(m.Calls) == 0 {
		return out
	}
	if len(out) == 0 || out[len(out)-1].Role == bellcord.RoleAssistant { // models require a prompt before each answer
		out = append(out, bellcord.Message{Role: bellcord.RoleUser, Seq: m.Seq, Text: "(empty message)"})
	}
	out = append(out, m)
	for _, c := range m.Calls {
		out = append(out, resultFor(c, m.Seq, results))
	}
	return out
}

// sendable returns an assistant's message without the parts that models reject.
func sendable(m bellcord.Message) bellcord.Message {
	var calls []bellcord.CallRequest
	taken := map[string]bool{}
	for _, c := range m.Calls {
		if c.ID != "" && properName(c.Name) && !taken[c.ID] && isObject(c.Arguments) {
			taken[c.ID] = true
			calls = append(calls, c)
		}
	}
	m.Calls = calls
	if blank(m.Text) {
		m.Text = ""
	}
	var thinking []bellcord.Thinking
	for _, t := range m.Thinking {
		t.At = min(t.At, len(m.Text))
		if len(t.Signature) > 0 && (!blank(m.Text[t.At:]) || len(calls) > 0) {
			thinking = append(thinking, t)
		}
	}
	m.Thinking = thinking
	return m
}

func resultFor(c bellcord.CallRequest, seq int64, results []bellcord.Message) bellcord.Message {
	for _, r := range results {
		if r.Call == c.ID {
			if blank(r.Text) {
				r.Text = "(no output)"
			}
			r.Name = c.Name
			return r
		}
	}
	return bellcord.Message{
		Role: bellcord.RoleTool, Seq: seq, Call: c.ID, Name: c.Name, Failed: true,
		Text: ResultText(bellcord.CallNotStarted, ""),
	}
}

// properName reports whether every model accepts name as the name of a tool.
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
