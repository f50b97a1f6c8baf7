package fakemodel

import "fmt"

// messagesStream sends the reply as server-sent events. Thinking and text are
// one block each. The calls follow, all open at the same time. The real API
// does not do that, but its index field allows it.
type messagesStream struct {
	messagesReply
	begun    []int // started but not ended blocks
	kind     beatKind
	next     int // index of the next block
	calls    int // index of the first call's block
	thinking string
}

func (m *messagesStream) headers() {
	m.x.w.Header().Set("Cache-Control", "no-cache")
	m.x.head(200, "text/event-stream; charset=utf-8")
}

func (m *messagesStream) open() error {
	m.headers()
	start := m.message()
	if !m.rule.off {
		u := m.rule.total(m.turn.chars, 0)
		u.out = 1 // as the API reports before any output
		start.Usage = messagesUsageOf(u)
	}
	if err := m.event(messagesEvent{Type: "message_start", Message: &start}, ""); err != nil {
		return err
	}
	return m.event(messagesEvent{Type: "ping"}, "")
}

func (m *messagesStream) add(b beat, soFar usage) error {
	if err := m.enterBlock(b); err != nil {
		return err
	}
	if err := m.piece(b); err != nil || !m.rule.running || m.rule.off {
		return err
	}
	return m.event(messagesEvent{Type: "message_delta", Delta: messagesEnd{}, Usage: messagesUsageOf(soFar)}, "")
}

// enterBlock ends the previous block if necessary and begins the block of the
// beat.
func (m *messagesStream) enterBlock(b beat) error {
	empty := ""
	if len(m.begun) > 0 && (b.kind == m.kind || m.kind == beatOpening) && b.kind != beatOpening {
		return nil
	}
	if m.kind != beatOpening {
		if err := m.endBlocks(); err != nil {
			return err
		}
	}
	m.kind = b.kind
	switch b.kind {
	case beatThought:
		return m.beginBlock(messagesBlock{Type: "thinking", Thinking: &empty, Signature: &empty})
	case beatText:
		return m.beginBlock(messagesBlock{Type: "text", Text: &empty})
	case beatOpening:
		if b.index == 0 {
			m.calls = m.next
		}
		return m.beginBlock(messagesBlock{Type: "tool_use", ID: m.callID(b.index), Name: b.text, Input: struct{}{}})
	case beatArgs:
	}
	return nil
}

func (m *messagesStream) piece(b beat) error {
	switch b.kind {
	case beatThought:
		m.thinking += b.text
		return m.delta(m.next-1, messagesDelta{Type: "thinking_delta", Thinking: &b.text}, "")
	case beatArgs:
		return m.delta(m.calls+b.index, messagesDelta{Type: "input_json_delta", JSON: &b.text}, "")
	case beatOpening:
		empty := "" // as the API sends before the first fragment
		return m.delta(m.calls+b.index, messagesDelta{Type: "input_json_delta", JSON: &empty}, "")
	case beatText:
	}
	return m.delta(m.next-1, messagesDelta{Type: "text_delta", Text: &b.text}, b.text)
}

func (m *messagesStream) beginBlock(block messagesBlock) error {
	index := m.next
	m.next++
	m.begun = append(m.begun, index)
	return m.event(messagesEvent{Type: "content_block_start", Index: &index, Block: &block}, "")
}

// endBlocks sends a signature in two deltas, so that a client that uses only
// one of them sends back an invalid signature.
func (m *messagesStream) endBlocks() error {
	for _, index := range m.begun {
		if m.kind == beatThought {
			sig := signature(m.thinking)
			for _, part := range []string{sig[:len(sig)/2], sig[len(sig)/2:]} {
				if err := m.delta(index, messagesDelta{Type: "signature_delta", Signature: &part}, ""); err != nil {
					return err
				}
			}
		}
		if err := m.event(messagesEvent{Type: "content_block_stop", Index: &index}, ""); err != nil {
			return err
		}
	}
	m.begun, m.thinking = nil, ""
	return nil
}

func (m *messagesStream) finish(reason finishReason, total usage) error {
	if err := m.endBlocks(); err != nil {
		return err
	}
	word := messagesFinish(reason)
	end := messagesEvent{Type: "message_delta", Delta: messagesEnd{StopReason: &word}}
	if !m.rule.off {
		end.Usage = &messagesUsage{Output: total.out}
		if m.rule.running {
			end.Usage = messagesUsageOf(total)
		}
	}
	if err := m.event(end, ""); err != nil {
		return err
	}
	return m.x.deliverPiece(messagesFrame(messagesEvent{Type: "message_stop"}), "", true)
}

func (m *messagesStream) breakOff() error { return nil }

func (m *messagesStream) delta(index int, d messagesDelta, text string) error {
	return m.event(messagesEvent{Type: "content_block_delta", Index: &index, Delta: d}, text)
}

func (m *messagesStream) event(e messagesEvent, text string) error {
	return m.x.deliverPiece(messagesFrame(e), text, false)
}

func messagesFrame(e messagesEvent) []byte {
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", e.Type, encode(e))
}
