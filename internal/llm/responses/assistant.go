package responses

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/openai/openai-go/v3/packages/param"
	sdk "github.com/openai/openai-go/v3/responses"

	"github.com/bellcord/bellcord"
)

// assistant returns the items of an answer in their order: the text with the
// reasoning items at their original positions, then the calls.
func assistant(m bellcord.Message) []sdk.ResponseInputItemUnionParam {
	var out []sdk.ResponseInputItemUnionParam
	from := 0
	for _, t := range m.Thinking {
		thinking, ok := reasoning(t.Signature)
		if !ok {
			continue
		}
		if words := m.Text[from:t.At]; !blank(words) { // white space alone is sent with the text that follows
			out = append(out, assistantItem(words))
			from = t.At
		}
		out = append(out, thinking)
	}
	if words := m.Text[from:]; !blank(words) {
		out = append(out, assistantItem(words))
	}
	for _, c := range m.Calls {
		args := string(c.Arguments)
		if args == "" {
			args = noArgs
		}
		out = append(out, sdk.ResponseInputItemParamOfFunctionCall(args, callID(c.ID), toolName(c.Name)))
	}
	return out
}

// assistantItem replaces the SDK's type, which always sends an id. Bellcord has no id to
// send: its log keeps the text of several messages as one.
func assistantItem(words string) sdk.ResponseInputItemUnionParam {
	type part struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	p := param.Override[sdk.ResponseOutputMessageParam](struct {
		Type    string `json:"type"`
		Role    string `json:"role"`
		Content []part `json:"content"`
	}{"message", "assistant", []part{{"output_text", words}}})
	return sdk.ResponseInputItemUnionParam{OfOutputMessage: &p}
}

// reasoning returns the reasoning item for a signature, with only the fields
// that the server requires. It reports false if the signature is not from this
// API.
func reasoning(sealed json.RawMessage) (sdk.ResponseInputItemUnionParam, bool) {
	var s seal
	if json.Unmarshal(sealed, &s) != nil || s.ID == "" || s.Encrypted == "" || len(s.Summary) == 0 {
		return sdk.ResponseInputItemUnionParam{}, false
	}
	p := param.Override[sdk.ResponseReasoningItemParam](struct {
		Type string `json:"type"`
		seal
	}{"reasoning", s})
	return sdk.ResponseInputItemUnionParam{OfReasoning: &p}, true
}

const (
	mostOfID   = 64
	mostOfName = 64
)

// callID returns id if it is short enough for this API. Ids of other servers
// can be too long; for those it returns a hash. The result depends only on id,
// so a call and its output still match.
func callID(id string) string {
	if len(id) <= mostOfID {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:20])
}

var notInNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-zA-Z0-9_-]`) })

// toolName returns the name with only the allowed characters, and at most 64 of
// them. A model may have called a tool that does not exist, by an invalid name,
// and the conversation must still be accepted.
func toolName(name string) string {
	name = notInNames().ReplaceAllString(name, "_")
	return name[:min(len(name), mostOfName)]
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
