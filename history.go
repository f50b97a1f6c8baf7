package bellcord

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// Role says whose words a message holds.
type Role string

// The roles of a conversation.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one entry of a conversation as a model is told it.
type Message struct {
	Role  Role
	Text  string
	Calls []CallRequest // of an assistant; each is answered by a tool message that follows directly
	Call  string        // of a tool message: the call it answers
}

// CallRequest is a tool call as the model made it.
type CallRequest struct {
	ID   string
	Name string
	Args json.RawMessage // a complete JSON object
}

// ReadHistory builds a session's conversation from its events, completing what
// a stop or a crash left open. It writes nothing and knows no clock: the same
// events give the same messages, and more events only add to them, so a model's
// prompt cache survives (law 22).
func ReadHistory(ctx context.Context, store Reader, session SessionID) ([]Message, error) {
	h := historian{prompts: map[TurnID]string{}}
	err := eachEvent(ctx, store, session, 0, h.read)
	h.closeStep(nil)
	return h.messages, err
}

// eachEvent reads a session's events after seq, a chunk at a time.
func eachEvent(ctx context.Context, store Reader, session SessionID, after int64, read func(Event)) error {
	for {
		events, err := store.Events(ctx, session, after, chunk)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, ev := range events {
			read(ev)
		}
		after = events[len(events)-1].Seq
	}
}

// historian folds events into messages.
type historian struct {
	messages []Message
	prompts  map[TurnID]string // of turns that have not started
	turn     TurnID            // the one that runs
	note     string            // what the next prompt is to be told about the last turn

	// The step under way.
	text  strings.Builder
	calls []*callState
}

type callState struct {
	CallRequest
	started bool
	ended   *CallEnded
	output  strings.Builder
}

func (h *historian) read(ev Event) {
	switch b := ev.Body.(type) {
	case Prompted:
		h.prompts[ev.Turn] = b.Text
	case Started:
		h.closeStep(nil)
		h.turn = ev.Turn
		h.user(h.prompts[ev.Turn])
		delete(h.prompts, ev.Turn)
	case Ended:
		delete(h.prompts, ev.Turn)
		if ev.Turn == h.turn {
			h.closeStep(&b.Receipt)
			h.note = noteOn(b.Receipt)
		}
	case StepStarted:
		h.closeStep(nil)
	case Said:
		h.text.WriteString(b.Text)
	case Called:
		h.calls = append(h.calls, &callState{CallRequest: CallRequest{b.Call, b.Name, b.Args}})
	case CallStarted:
		h.call(b.Call).started = true
	case CallOutput:
		h.call(b.Call).output.WriteString(b.Text)
	case CallEnded:
		h.call(b.Call).ended = &b
	}
}

// call finds a call of the step; ids need only be unique within it.
func (h *historian) call(id string) *callState {
	if i := slices.IndexFunc(h.calls, func(c *callState) bool { return c.ID == id }); i >= 0 {
		return h.calls[i]
	}
	return &callState{}
}

func (h *historian) user(text string) {
	if h.note != "" {
		text = h.note + "\n\n" + text
		h.note = ""
	}
	if strings.TrimSpace(text) != "" {
		h.messages = append(h.messages, Message{Role: User, Text: text})
	}
}

// closeStep turns the step into messages: nothing for one that said nothing,
// and a true result for each call that has none. receipt is the turn's, when it
// has ended.
func (h *historian) closeStep(receipt *Receipt) {
	text := h.text.String()
	if strings.TrimSpace(text) == "" {
		text = ""
	}
	if text != "" || len(h.calls) > 0 {
		m := Message{Role: Assistant, Text: text}
		for _, c := range h.calls {
			m.Calls = append(m.Calls, c.CallRequest)
		}
		h.messages = append(h.messages, m)
	}
	for _, c := range h.calls {
		h.messages = append(h.messages, Message{Role: Tool, Call: c.ID, Text: c.result(receipt)})
	}
	h.text.Reset()
	h.calls = nil
}

func (c *callState) result(receipt *Receipt) string {
	if c.ended != nil {
		if strings.TrimSpace(c.ended.Text) == "" {
			return "(no output)"
		}
		return c.ended.Text
	}
	return ResultText(c.fate(receipt), c.output.String())
}

// fate of a call without an end on record, as the turn's receipt has it.
func (c *callState) fate(receipt *Receipt) Fate {
	switch {
	case !c.started:
		return NotStarted
	case receipt != nil && slices.Contains(receipt.Calls.Stopped, CallRef{c.ID, c.Name}):
		return CallStopped
	default:
		return Unknown
	}
}

// ResultText tells the model the truth about a call that did not finish: what
// is known of its effects and what it had put out (law 25).
func ResultText(fate Fate, output string) string {
	var text string
	switch fate {
	case NotStarted:
		return "[not started: the turn was stopped before this call ran; it had no effect]"
	case CallStopped:
		text = "[stopped while it ran; it may have had effects]"
	case Unknown:
		text = "[outcome unknown: it was started, and its end was not seen; it may have had effects]"
	case Finished:
		return output
	}
	if strings.TrimSpace(output) != "" {
		text = "[output so far]\n" + output + "\n" + text
	}
	return text
}

// noteOn says what the model should know about a turn that was cut short.
func noteOn(r Receipt) string {
	switch r.End {
	case Stopped:
		return "[the previous turn was stopped before it was complete]"
	case Failed:
		return "[the previous turn failed before it was complete]"
	case Lost:
		return "[the previous turn was cut off: the process that ran it died]"
	case Done:
	}
	return ""
}
