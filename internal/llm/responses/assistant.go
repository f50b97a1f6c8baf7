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

// assistant gives back an answer in its order: the words with the thinking
// between them where it stood, then the calls.
func assistant(m bellcord.Message) []sdk.ResponseInputItemUnionParam {
	var out []sdk.ResponseInputItemUnionParam
	from := 0
	for _, t := range m.Thinking {
		thinking, ok := reasoning(t.Signature)
		if !ok {
			continue
		}
		if words := m.Text[from:t.At]; !blank(words) { // blanks alone go with the words that follow
			out = append(out, said(words))
			from = t.At
		}
		out = append(out, thinking)
	}
	if words := m.Text[from:]; !blank(words) {
		out = append(out, said(words))
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

// said stands in for the SDK's type, which sends an id in any case. Ours would
// be made up: what was said in pieces is one text in our record.
func said(words string) sdk.ResponseInputItemUnionParam {
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

// reasoning is the item that was sealed, with what the server needs of it and no
// more. It reports false for a seal that is not of this API.
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

// callID is the id itself, or for one that is too long here, which those of
// other servers can be, one that is made of it: always the same, so that a call
// and its output still belong together.
func callID(id string) string {
	if len(id) <= mostOfID {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:20])
}

var notInNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-zA-Z0-9_-]`) })

// toolName is a name that the API takes. Models call tools that do not exist, by
// names that cannot; the conversation goes on with what they were told of it.
func toolName(name string) string {
	name = notInNames().ReplaceAllString(name, "_")
	return name[:min(len(name), mostOfName)]
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
