package fakemodel

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// The kinds of output items, which are also kinds of input items.
const (
	responsesReasoning = "reasoning"
	responsesMessage   = "message"
	responsesCall      = "function_call"
	responsesOutput    = "function_call_output"
)

// The states of an item and of a response.
const (
	responsesUnderWay   = "in_progress"
	responsesCompleted  = "completed"
	responsesIncomplete = "incomplete"
)

// responsesItem is a part of the reply: a message, a call or reasoning.
type responsesItem struct {
	kind   string
	index  int // among all items
	id     string
	callID string
	name   string
	text   strings.Builder // text, thinking or arguments
	status string
}

// responsesSeal returns the encrypted content of a reasoning item. Like the
// real one, it is valid only for this item and this text.
func responsesSeal(id, thoughts string) string {
	sum := sha256.Sum256([]byte(id + "\n" + thoughts))
	return "gAAAAAB" + base64.RawURLEncoding.EncodeToString(sum[:])
}

// responsesUnsealed is sent while the encrypted content is not complete. It has
// the same form, so that a client that uses it is detected.
var responsesUnsealed = responsesSeal("", "")

type responsesPart struct {
	Type        string    `json:"type"`
	Text        string    `json:"text"`
	Annotations *[]string `json:"annotations,omitempty"`
}

func responsesSummary(text string) responsesPart {
	return responsesPart{Type: "summary_text", Text: text}
}

func responsesText(text string) responsesPart {
	return responsesPart{Type: "output_text", Text: text, Annotations: &[]string{}}
}

// shown returns the item in the wire format, with its content so far.
func (i *responsesItem) shown() any {
	switch i.kind {
	case responsesReasoning:
		return i.shownReasoning()
	case responsesCall:
		return struct {
			ID        string `json:"id"`
			Type      string `json:"type"`
			Status    string `json:"status"`
			Arguments string `json:"arguments"`
			CallID    string `json:"call_id"`
			Name      string `json:"name"`
		}{i.id, i.kind, i.status, i.text.String(), i.callID, i.name}
	}
	parts := []responsesPart{}
	if i.text.Len() > 0 {
		parts = append(parts, responsesText(i.text.String()))
	}
	return struct {
		ID      string          `json:"id"`
		Type    string          `json:"type"`
		Status  string          `json:"status"`
		Content []responsesPart `json:"content"`
		Role    string          `json:"role"`
	}{i.id, i.kind, i.status, parts, "assistant"}
}

func (i *responsesItem) shownReasoning() any {
	seal, parts := responsesUnsealed, []responsesPart{}
	if i.status != responsesUnderWay {
		seal = responsesSeal(i.id, i.text.String())
	}
	if i.text.Len() > 0 {
		parts = append(parts, responsesSummary(i.text.String()))
	}
	return struct {
		ID        string          `json:"id"`
		Type      string          `json:"type"`
		Encrypted string          `json:"encrypted_content"`
		Summary   []responsesPart `json:"summary"`
	}{i.id, i.kind, seal, parts}
}

// responsesReply contains the common parts of a streamed and a whole reply.
type responsesReply struct {
	x       *exchange
	turn    turn
	rule    usageRule
	created int64 // the same for all events of a reply
	items   []*responsesItem
	calls   []*responsesItem // the items that are calls, by the script's index
}

// placeBeat adds a beat to its item and reports whether that item is new.
func (c *responsesReply) placeBeat(b beat) (item *responsesItem, opened bool) {
	switch b.kind {
	case beatArgs:
		item = c.calls[b.index]
	case beatOpening:
		item = c.open(responsesCall, fmt.Sprintf("fc_%08d_%d", c.x.entry.N, b.index))
		item.name, item.callID = b.text, fmt.Sprintf("call_%08d_%d", c.x.entry.N, b.index)
		c.calls = append(c.calls, item)
		return item, true
	case beatThought:
		item, opened = c.last(responsesReasoning, "rs")
	case beatText:
		item, opened = c.last(responsesMessage, "msg")
	}
	item.text.WriteString(b.text)
	return item, opened
}

// last returns the newest item if it is of the kind, or else a new one. Ids
// have a fixed width, for scripts that cut a reply at a byte.
func (c *responsesReply) last(kind, prefix string) (*responsesItem, bool) {
	if n := len(c.items); n > 0 && c.items[n-1].kind == kind {
		return c.items[n-1], false
	}
	return c.open(kind, fmt.Sprintf("%s_%08d", prefix, c.x.entry.N)), true
}

func (c *responsesReply) open(kind, id string) *responsesItem {
	item := &responsesItem{kind: kind, index: len(c.items), id: id, status: responsesUnderWay}
	c.items = append(c.items, item)
	return item
}

// closing sets the final state of all unfinished items and returns them. The
// last item of a reply that was cut short is incomplete.
func (c *responsesReply) closing(reason finishReason) []*responsesItem {
	var closed []*responsesItem
	for i, item := range c.items {
		if item.status != responsesUnderWay {
			continue
		}
		item.status = responsesCompleted
		if i == len(c.items)-1 && responsesCutShort(reason) != "" {
			item.status = responsesIncomplete
		}
		closed = append(closed, item)
	}
	return closed
}

// responsesCutShort returns why a reply is incomplete, or "" if it is complete.
func responsesCutShort(reason finishReason) string {
	switch reason {
	case finishLength:
		return "max_output_tokens"
	case finishRefused:
		return "content_filter"
	case finishStop, finishTools:
	}
	return ""
}
