package bellcord

import (
	"bytes"
	"encoding/json"
	"time"
)

// MarshalJSON writes the event with its body's kind and fields as "kind" and
// "body".
func (e Event) MarshalJSON() ([]byte, error) {
	type plain Event
	return json.Marshal(struct {
		plain
		Kind string `json:"kind"`
		Body Body   `json:"body"`
	}{plain(e), e.Body.Kind(), e.Body})
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (e *Event) UnmarshalJSON(data []byte) error {
	type plain Event
	var wire struct {
		plain
		Kind string          `json:"kind"`
		Body json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	body, err := DecodeBody(wire.Kind, wire.Body)
	*e = Event(wire.plain)
	e.Body = body
	return err
}

// MarshalJSON writes RetryIn in milliseconds, rounded up.
func (b ModelRetryScheduled) MarshalJSON() ([]byte, error) {
	type plain ModelRetryScheduled
	b.RetryIn = inMilliseconds(b.RetryIn)
	return json.Marshal(plain(b))
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (b *ModelRetryScheduled) UnmarshalJSON(data []byte) error {
	type plain ModelRetryScheduled
	if err := json.Unmarshal(data, (*plain)(b)); err != nil {
		return err
	}
	b.RetryIn *= time.Millisecond
	return nil
}

// JoinBodies joins two consecutive bodies if no information is lost: two text
// fragments or two thinking fragments of the same message, or two output
// fragments of the same call.
func JoinBodies(a, b Body) (Body, bool) {
	switch a := a.(type) {
	case TextDelta:
		if b, ok := b.(TextDelta); ok && a.Message == b.Message && bytes.Equal(a.Meta, b.Meta) {
			return TextDelta{a.Text + b.Text, a.Message, a.Meta}, true
		}
	case ThinkingDelta:
		if b, ok := b.(ThinkingDelta); ok && a.Message == b.Message && bytes.Equal(a.Meta, b.Meta) {
			return ThinkingDelta{a.Text + b.Text, a.Message, a.Meta}, true
		}
	case ToolOutputDelta:
		if b, ok := b.(ToolOutputDelta); ok && a.Call == b.Call {
			return ToolOutputDelta{a.Call, a.Text + b.Text, a.Omitted + b.Omitted}, true
		}
	}
	return nil, false
}

// Joined returns the events with consecutive fragments of a stream joined into
// one event, which has the sequence number of the last fragment. It is used for
// replays.
func Joined(events []Event) []Event {
	var out []Event
	for _, ev := range events {
		if n := len(out); n > 0 && out[n-1].Turn == ev.Turn {
			if both, ok := JoinBodies(out[n-1].Body, ev.Body); ok {
				out[n-1].Seq, out[n-1].Body = ev.Seq, both
				continue
			}
		}
		out = append(out, ev)
	}
	return out
}
