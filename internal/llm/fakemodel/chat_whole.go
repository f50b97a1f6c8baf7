package fakemodel

import (
	"encoding/json"
	"strconv"
	"strings"
)

// chatWhole collects the reply and sends it as one body.
type chatWhole struct {
	chatReply
	text     strings.Builder
	thoughts strings.Builder
	calls    []chatCall
}

type chatCompletion struct {
	ID      string            `json:"id"`
	Object  string            `json:"object"`
	Created int64             `json:"created"`
	Model   string            `json:"model"`
	Choices []chatWholeChoice `json:"choices"`
	Usage   json.RawMessage   `json:"usage,omitempty"`
}

type chatWholeChoice struct {
	Index        int              `json:"index"`
	Message      chatWholeMessage `json:"message"`
	Logprobs     *string          `json:"logprobs"`
	FinishReason string           `json:"finish_reason"`
}

type chatWholeMessage struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"`
	Reasoning string     `json:"reasoning_content,omitempty"`
	ToolCalls []chatCall `json:"tool_calls,omitempty"`
}

func (c *chatWhole) headers() { c.x.head(200, "application/json") }

func (c *chatWhole) open() error { return nil }

func (c *chatWhole) add(b beat, _ usage) error {
	switch b.kind {
	case beatThought:
		c.thoughts.WriteString(b.text)
	case beatText:
		c.text.WriteString(b.text)
	case beatOpening:
		c.calls = append(c.calls, chatCall{
			ID: c.callID(b.index), Type: "function", Function: chatFunction{Name: b.text},
		})
	case beatArgs:
		c.calls[b.index].Function.Arguments += b.text
	}
	return c.x.r.Context().Err()
}

func (c *chatWhole) finish(reason finishReason, total usage) error {
	body := c.body(reason, total)
	if c.x.left < 0 {
		c.x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	c.headers()
	return c.x.deliverPiece(body, c.text.String(), true)
}

// breakOff sends half of the reply, which no client may accept as complete.
func (c *chatWhole) breakOff() error {
	body := c.body(finishStop, usage{})
	c.headers()
	return c.x.deliverPiece(body[:len(body)/2], "", true)
}

func (c *chatWhole) body(reason finishReason, total usage) []byte {
	message := chatWholeMessage{Role: "assistant", Reasoning: c.thoughts.String(), ToolCalls: c.calls}
	// OpenAI sends null, not "", if there are tool calls and no text.
	if text := c.text.String(); text != "" || len(c.calls) == 0 {
		message.Content = &text
	}
	reply := chatCompletion{
		ID:      c.id,
		Object:  "chat.completion",
		Created: c.created,
		Model:   c.turn.model,
		Choices: []chatWholeChoice{{Message: message, FinishReason: chatFinish(reason)}},
	}
	if !c.rule.off {
		reply.Usage = usageJSON(total)
	}
	return encode(reply)
}
