package fakemodel

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// The kinds of output items, which are those of input items too.
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

// responsesItem is a part of the reply: a message, a call or some thinking.
type responsesItem struct {
	kind   string
	index  int // among all items
	id     string
	callID string
	name   string
	text   strings.Builder // words, thoughts or arguments
	status string
}

// responsesSeal is the encrypted content of thinking. It holds for this item and
// these words only, as the real one does.
func responsesSeal(id, thoughts string) string {
	sum := sha256.Sum256([]byte(id + "\n" + thoughts))
	return "gAAAAAB" + base64.RawURLEncoding.EncodeToString(sum[:])
}

// responsesUnsealed stands where the encrypted content is not complete yet. It
// has the looks of one, so that a client that takes it for one is found out.
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

// shown is the item as the wire has it, with what there is of it so far.
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

// responsesReply is what a streamed and a whole reply have in common.
type responsesReply struct {
	x       *exchange
	turn    turn
	rule    usageRule
	created int64 // one moment for all events of a reply
	items   []*responsesItem
	calls   []*responsesItem // of the items, by the script's index
}

// placeBeat adds a beat to the item it belongs to and reports whether that
// item is new.
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

// last is the newest item if it is of the kind, and else a new one. Ids have a
// fixed width, for scripts that cut a reply at a byte.
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

// closing sets the state of all items that are not done, and returns them. What
// a reply was saying when it ran out of tokens stays incomplete.
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

// responsesCutShort says why a reply is incomplete, "" if it is not.
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
