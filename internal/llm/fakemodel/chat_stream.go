package fakemodel

import (
	"encoding/json"
	"fmt"
)

// chatReply contains the common parts of a streamed and a whole reply.
type chatReply struct {
	x       *exchange
	turn    turn
	rule    usageRule
	id      string
	created int64 // the same for all chunks of a reply
}

// chatID returns an id of a fixed width: scripts that cut a reply at a byte
// require the same offsets in every request.
func chatID(n int) string { return fmt.Sprintf("chatcmpl-%08d", n) }

func (c chatReply) callID(index int) string {
	return fmt.Sprintf("call_%08d_%d", c.x.entry.N, index)
}

type chatChunk struct {
	ID      string          `json:"id"`
	Object  string          `json:"object"`
	Created int64           `json:"created"`
	Model   string          `json:"model"`
	Choices []chatChoice    `json:"choices"`
	Usage   json.RawMessage `json:"usage,omitempty"`
}

type chatChoice struct {
	Index        int       `json:"index"`
	Delta        chatDelta `json:"delta"`
	Logprobs     *string   `json:"logprobs"`
	FinishReason *string   `json:"finish_reason"`
}

type chatDelta struct {
	Role      string     `json:"role,omitempty"`
	Content   *string    `json:"content,omitempty"`
	Reasoning string     `json:"reasoning_content,omitempty"`
	ToolCalls []chatCall `json:"tool_calls,omitempty"`
}

type chatCall struct {
	Index    *int         `json:"index,omitempty"`
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type chatUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	Details    *struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details,omitempty"`
}

func usageJSON(u usage) json.RawMessage {
	reported := chatUsage{Prompt: u.in, Completion: u.out, Total: u.in + u.out}
	if u.cacheRead > 0 {
		reported.Details = &struct {
			Cached int `json:"cached_tokens"`
		}{u.cacheRead}
	}
	return encode(reported)
}

// chatStream sends the reply as server-sent events.
type chatStream struct{ chatReply }

func (c *chatStream) headers() {
	c.x.w.Header().Set("Cache-Control", "no-cache")
	c.x.head(200, "text/event-stream; charset=utf-8")
}

func (c *chatStream) open() error {
	c.headers()
	empty := ""
	start := c.rule.soFar(c.turn.chars, 0)
	return c.sendDelta(chatDelta{Role: "assistant", Content: &empty}, nil, start, "")
}

func (c *chatStream) add(b beat, soFar usage) error {
	index := b.index
	switch b.kind {
	case beatThought:
		return c.sendDelta(chatDelta{Reasoning: b.text}, nil, soFar, "")
	case beatOpening:
		call := chatCall{Index: &index, ID: c.callID(index), Type: "function", Function: chatFunction{Name: b.text}}
		return c.sendDelta(chatDelta{ToolCalls: []chatCall{call}}, nil, soFar, "")
	case beatArgs:
		call := chatCall{Index: &index, Function: chatFunction{Arguments: b.text}}
		return c.sendDelta(chatDelta{ToolCalls: []chatCall{call}}, nil, soFar, "")
	case beatText:
	}
	return c.sendDelta(chatDelta{Content: &b.text}, nil, soFar, b.text)
}

func (c *chatStream) finish(reason finishReason, total usage) error {
	word := chatFinish(reason)
	if err := c.sendDelta(chatDelta{}, &word, total, ""); err != nil {
		return err
	}
	if c.turn.usage && !c.rule.off {
		chunk := c.chunk()
		chunk.Usage = usageJSON(total)
		if err := c.event(encode(chunk), "", false); err != nil {
			return err
		}
	}
	return c.event([]byte("[DONE]"), "", true)
}

func (c *chatStream) breakOff() error { return nil }

func (c *chatStream) sendDelta(delta chatDelta, finish *string, soFar usage, text string) error {
	chunk := c.chunk()
	chunk.Choices = append(chunk.Choices, chatChoice{Delta: delta, FinishReason: finish})
	switch {
	case c.rule.off:
	case c.rule.running:
		chunk.Usage = usageJSON(soFar)
	case c.turn.usage:
		chunk.Usage = json.RawMessage("null") // as OpenAI sends in all chunks but the last
	}
	return c.event(encode(chunk), text, false)
}

func (c *chatStream) chunk() chatChunk {
	return chatChunk{
		ID:      c.id,
		Object:  "chat.completion.chunk",
		Created: c.created,
		Model:   c.turn.model,
		Choices: []chatChoice{},
	}
}

func (c *chatStream) event(data []byte, text string, last bool) error {
	return c.x.deliverPiece(fmt.Appendf(nil, "data: %s\n\n", data), text, last)
}
