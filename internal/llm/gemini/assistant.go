package gemini

import (
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
)

// assistant returns the parts of an answer, with the signatures at their
// original positions. It includes thinking only if the thinking part itself is
// signed; the rest are summaries for people.
func assistant(m bellcord.Message, model string) []part {
	var out []part
	written := 0 // bytes of the text that are already in parts
	addTextUpTo := func(end int) {
		if end > written {
			out = append(out, textPart(m.Text[written:end]))
			written = end
		}
	}
	for _, t := range m.Thinking {
		var s seal
		at := min(max(t.At, written), len(m.Text))
		if json.Unmarshal(t.Signature, &s) != nil || len(s.Signature) == 0 || s.Bytes < 0 || s.Bytes > len(m.Text)-at {
			continue // not from this provider, or a stop cut off the signed text
		}
		addTextUpTo(at)
		signed := textPart(m.Text[at : at+s.Bytes])
		if s.Thought {
			signed = part{Text: &t.Text, Thought: true}
		}
		signed.Signature = s.Signature
		out = append(out, signed)
		written = at + s.Bytes
	}
	addTextUpTo(len(m.Text))
	return append(out, calls(m.Calls, model)...)
}

// calls returns the parts of the calls, which follow the text. The first call
// of an answer must be signed, at least in the current turn. An unsigned first
// call gets the placeholder in every turn, so that the beginning of a
// conversation keeps the same bytes.
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

// wantsSignatures reports whether the model requires signatures. All models
// since Gemini 3 do. Older ones do not, and their documentation does not
// mention the placeholder.
func wantsSignatures(model string) bool {
	name := strings.TrimPrefix(model, "models/")
	for _, older := range []string{"gemini-1", "gemini-2", "gemma"} {
		if strings.HasPrefix(name, older) {
			return false
		}
	}
	return true
}
