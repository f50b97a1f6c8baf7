package fakemodel

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// geminiReply converts beats to parts, for a streamed and for a whole reply.
type geminiReply struct {
	x    *exchange
	turn turn
	rule usageRule

	thinkingChars int  // characters of thinking so far
	onlyThinking  bool // thinking was sent, and no text since
	calls         []toolCall
	callsSent     int // number of calls sent
}

type geminiPart struct {
	Text      *string             `json:"text,omitempty"`
	Thought   bool                `json:"thought,omitempty"`
	Call      *geminiFunctionCall `json:"functionCall,omitempty"`
	Signature string              `json:"thoughtSignature,omitempty"`
}

type geminiFunctionCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type geminiChunk struct {
	Candidates []geminiCandidate `json:"candidates"`
	Usage      *geminiUsage      `json:"usageMetadata,omitempty"`
	Model      string            `json:"modelVersion"`
	ID         string            `json:"responseId"`
}

type geminiCandidate struct {
	Content struct {
		Parts []geminiPart `json:"parts"`
		Role  string       `json:"role"`
	} `json:"content"`
	Finish  string `json:"finishReason,omitempty"`
	Message string `json:"finishMessage,omitempty"`
	Index   int    `json:"index"`
}

type geminiUsage struct {
	Prompt     int `json:"promptTokenCount"`
	Cached     int `json:"cachedContentTokenCount,omitempty"`
	Candidates int `json:"candidatesTokenCount,omitempty"`
	Thoughts   int `json:"thoughtsTokenCount,omitempty"`
	Total      int `json:"totalTokenCount"`
}

// parts returns the parts for a beat. The first text after thinking and the
// first call are signed. A call is sent whole and in order, even if its
// arguments arrive in fragments.
func (g *geminiReply) parts(b beat) []geminiPart {
	switch b.kind {
	case beatThought:
		g.thinkingChars += utf8.RuneCountInString(b.text)
		g.onlyThinking = true
		return []geminiPart{{Text: &b.text, Thought: true}}
	case beatOpening:
		g.calls = append(g.calls, toolCall{name: b.text})
		return nil
	case beatArgs:
		g.calls[b.index].args += b.text
		return g.completeCalls()
	case beatText:
	}
	part := geminiPart{Text: &b.text}
	if g.onlyThinking {
		part.Signature = geminiSignature("text", b.text)
	}
	g.onlyThinking = false
	return []geminiPart{part}
}

func (g *geminiReply) completeCalls() []geminiPart {
	var out []geminiPart
	for ; g.callsSent < len(g.calls); g.callsSent++ {
		call := g.calls[g.callsSent]
		args := json.RawMessage(call.args)
		if !json.Valid(args) {
			break
		}
		part := geminiPart{Call: &geminiFunctionCall{g.callID(g.callsSent), call.name, args}}
		if g.callsSent == 0 {
			part.Signature = geminiCallSignature(call.name, args)
		}
		out = append(out, part)
	}
	return out
}

// callID returns an id of a fixed width, like chatID.
func (g *geminiReply) callID(index int) string {
	return fmt.Sprintf("gem_%08d_%d", g.x.entry.N, index)
}

// last returns the end of the reply. The API cannot express a call with invalid
// JSON arguments: it omits the call and reports a malformed function call.
func (g *geminiReply) last(reason finishReason, total usage) geminiChunk {
	empty := ""
	part := geminiPart{Text: &empty}
	if g.thinkingChars > 0 && len(g.calls) == 0 {
		part.Signature = geminiSignature("text", "")
	}
	chunk := g.chunk(total, part)
	candidate := &chunk.Candidates[0]
	switch {
	case reason == finishLength:
		candidate.Finish = "MAX_TOKENS"
	case reason == finishRefused:
		candidate.Finish = "SAFETY"
	case g.callsSent < len(g.calls):
		candidate.Finish = "MALFORMED_FUNCTION_CALL"
		candidate.Message = "Malformed function call: " + g.calls[g.callsSent].name + g.calls[g.callsSent].args
	default:
		candidate.Finish = "STOP"
	}
	return chunk
}

func (g *geminiReply) chunk(soFar usage, parts ...geminiPart) geminiChunk {
	var candidate geminiCandidate
	candidate.Content.Role = geminiModel
	candidate.Content.Parts = parts
	chunk := geminiChunk{
		Candidates: []geminiCandidate{candidate},
		Model:      g.turn.model,
		ID:         fmt.Sprintf("response-%08d", g.x.entry.N),
	}
	if !g.rule.off {
		thoughts := min(tokens(g.thinkingChars), soFar.out)
		chunk.Usage = &geminiUsage{
			Prompt: soFar.in, Cached: soFar.cacheRead,
			Candidates: soFar.out - thoughts, Thoughts: thoughts, Total: soFar.in + soFar.out,
		}
	}
	return chunk
}

// geminiSignature returns a signature of a fixed width. It depends on the kind
// and content of a part, so changed, truncated and invented parts are detected.
func geminiSignature(kind, content string) string {
	sum := sha256.Sum256([]byte("fake model\x00" + kind + "\x00" + content))
	return base64.StdEncoding.EncodeToString(sum[:24])
}

// geminiCallSignature returns the signature of a call. It does not depend on
// the formatting of the arguments.
func geminiCallSignature(name string, args json.RawMessage) string {
	dec := json.NewDecoder(strings.NewReader(string(args)))
	dec.UseNumber()
	var value any
	_ = dec.Decode(&value) // validated before
	return geminiSignature("call", name+"\x00"+string(encode(value)))
}
