package gemini

import (
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
)

// assistant gives a model its own words back, with its signatures where they
// were. Of its thinking it gets only what is signed itself: the rest are
// summaries, written for people.
func assistant(m bellcord.Message, model string) []part {
	var out []part
	said := 0 // how much of the text is in parts
	sayUpTo := func(end int) {
		if end > said {
			out = append(out, textPart(m.Text[said:end]))
			said = end
		}
	}
	for _, t := range m.Thinking {
		var s seal
		at := min(max(t.At, said), len(m.Text))
		if json.Unmarshal(t.Signature, &s) != nil || len(s.Signature) == 0 || s.Bytes < 0 || s.Bytes > len(m.Text)-at {
			continue // not one of ours, or a stop took the text that it stood on
		}
		sayUpTo(at)
		signed := textPart(m.Text[at : at+s.Bytes])
		if s.Thought {
			signed = part{Text: &t.Text, Thought: true}
		}
		signed.Signature = s.Signature
		out = append(out, signed)
		said = at + s.Bytes
	}
	sayUpTo(len(m.Text))
	return append(out, calls(m.Calls, model)...)
}

// calls come after the text. The first must be signed, at least those of the
// turn under way; the word for an unsigned one is written in all turns alike, so
// that the beginning of a conversation stays the same bytes.
func calls(requests []bellcord.CallRequest, model string) []part {
	var out []part
	for i, c := range requests {
		p := part{Call: &functionCall{c.ID, c.Name, c.Arguments}}
		if len(c.Arguments) == 0 {
			p.Call.Args = json.RawMessage(noArgs)
		}
		var s seal
		switch {
		case json.Unmarshal(c.Signature, &s) == nil && len(s.Signature) > 0:
			p.Signature = s.Signature
		case i == 0 && wantsSignatures(model):
			p.Signature = unsigned
		}
		out = append(out, p)
	}
	return out
}

// wantsSignatures is true of all models since Gemini 3. Older ones do not ask
// for signatures and are not documented to know the word for none.
func wantsSignatures(model string) bool {
	name := strings.TrimPrefix(model, "models/")
	for _, older := range []string{"gemini-1", "gemini-2", "gemma"} {
		if strings.HasPrefix(name, older) {
			return false
		}
	}
	return true
}
