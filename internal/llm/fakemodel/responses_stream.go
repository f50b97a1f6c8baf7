package fakemodel

import "fmt"

// responsesStream sends the reply as server-sent events.
type responsesStream struct {
	responsesReply
	sequence int
}

// responsesEvent has the fields of all events; each event uses some of them.
type responsesEvent struct {
	Type     string           `json:"type"`
	Sequence int              `json:"sequence_number"`
	Response *responsesObject `json:"response,omitempty"`

	OutputIndex  *int   `json:"output_index,omitempty"`
	Item         any    `json:"item,omitempty"`
	ItemID       string `json:"item_id,omitempty"`
	ContentIndex *int   `json:"content_index,omitempty"`
	SummaryIndex *int   `json:"summary_index,omitempty"`

	Part      *responsesPart `json:"part,omitempty"`
	Delta     *string        `json:"delta,omitempty"`
	Text      *string        `json:"text,omitempty"`
	Arguments *string        `json:"arguments,omitempty"`
}

func (c *responsesStream) headers() {
	c.x.w.Header().Set("Cache-Control", "no-cache")
	c.x.head(200, "text/event-stream; charset=utf-8")
}

func (c *responsesStream) open() error {
	c.headers()
	begun := c.begun()
	if c.rule.running {
		begun.Usage = c.usageOf(c.rule.soFar(c.turn.chars, 0))
	}
	if err := c.event(responsesEvent{Type: "response.created", Response: &begun}, "", false); err != nil {
		return err
	}
	return c.event(responsesEvent{Type: "response.in_progress", Response: &begun}, "", false)
}

func (c *responsesStream) add(b beat, _ usage) error {
	before := len(c.items)
	item, opened := c.placeBeat(b)
	if opened {
		if err := c.completeItem(before); err != nil {
			return err
		}
		if err := c.beginItem(item); err != nil {
			return err
		}
	}
	if b.kind == beatOpening {
		return nil
	}
	piece, text := c.of(item, ".delta"), ""
	piece.Delta = &b.text
	if b.kind == beatText {
		text = b.text
	}
	return c.event(piece, text, false)
}

// completeItem completes the item before a new one, unless it is a call: calls
// are open at the same time, and their fragments are interleaved.
func (c *responsesStream) completeItem(before int) error {
	if before == 0 || c.items[before-1].kind == responsesCall {
		return nil
	}
	item := c.items[before-1]
	item.status = responsesCompleted
	return c.complete(item)
}

// beginItem sends the start of an item, without content, and of its part if it
// has one.
func (c *responsesStream) beginItem(item *responsesItem) error {
	empty := responsesItem{kind: item.kind, id: item.id, callID: item.callID, name: item.name, status: item.status}
	added := responsesEvent{Type: "response.output_item.added", OutputIndex: &item.index, Item: empty.shown()}
	if err := c.event(added, "", false); err != nil || item.kind == responsesCall {
		return err
	}
	return c.part(item, "added", "")
}

// complete repeats the whole content of an item and ends it.
func (c *responsesStream) complete(item *responsesItem) error {
	all := item.text.String()
	done := c.of(item, ".done")
	if item.kind == responsesCall {
		done.Arguments = &all
	} else {
		done.Text = &all
	}
	if err := c.event(done, "", false); err != nil {
		return err
	}
	if item.kind != responsesCall {
		if err := c.part(item, "done", all); err != nil {
			return err
		}
	}
	return c.event(responsesEvent{Type: "response.output_item.done", OutputIndex: &item.index, Item: item.shown()}, "", false)
}

// part sends the start or end of the single part of a message or reasoning
// item.
func (c *responsesStream) part(item *responsesItem, what, text string) error {
	ev := c.of(item, "")
	if item.kind == responsesReasoning {
		ev.Type, ev.Part = "response.reasoning_summary_part."+what, new(responsesSummary(text))
	} else {
		ev.Type, ev.Part = "response.content_part."+what, new(responsesText(text))
	}
	return c.event(ev, "", false)
}

// of returns an event about an item's content.
func (c *responsesStream) of(item *responsesItem, what string) responsesEvent {
	ev := responsesEvent{ItemID: item.id, OutputIndex: &item.index}
	switch item.kind {
	case responsesReasoning:
		ev.Type, ev.SummaryIndex = "response.reasoning_summary_text"+what, new(0)
	case responsesCall:
		ev.Type = "response.function_call_arguments" + what
	default:
		ev.Type, ev.ContentIndex = "response.output_text"+what, new(0)
	}
	return ev
}

func (c *responsesStream) finish(reason finishReason, total usage) error {
	for _, item := range c.closing(reason) {
		if err := c.complete(item); err != nil {
			return err
		}
	}
	all := c.ended(reason, total)
	return c.event(responsesEvent{Type: "response." + all.Status, Response: &all}, "", true)
}

func (c *responsesStream) breakOff() error { return nil }

func (c *responsesStream) event(ev responsesEvent, text string, last bool) error {
	ev.Sequence = c.sequence
	c.sequence++
	return c.x.deliverPiece(fmt.Appendf(nil, "event: %s\ndata: %s\n\n", ev.Type, encode(ev)), text, last)
}
