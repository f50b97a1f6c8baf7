package bellcord

import (
	"context"
	"slices"
	"strings"
)

// ReadHistory builds a session's conversation from its events and repairs what
// a stop or a crash left open. It writes nothing and knows no clock: the same
// events give the same messages, and more events only add to them, so a model's
// prompt cache survives (law 22); but for a compaction, which replaces them.
func ReadHistory(ctx context.Context, store Reader, session SessionID) ([]Message, error) {
	h := historian{prompts: map[TurnID]Prompt{}}
	err := eachEvent(ctx, store, session, 0, h.read)
	return Repair(h.recorded()), err
}

// Recorded is the conversation as the events have it, before any repair.
func Recorded(events []Event) []Message {
	h := historian{prompts: map[TurnID]Prompt{}}
	for _, ev := range events {
		h.read(ev)
	}
	return h.recorded()
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
	prompts  map[TurnID]Prompt // of turns that have not started
	turn     TurnID            // the one that runs
	control  bool              // it is no part of the conversation
	note     string            // what the next prompt is to be told about the last turn

	step  step
	calls []*callState
}

// step is the one under way.
type step struct {
	seq      int64
	model    string
	text     strings.Builder
	thinking []Thinking
	thought  strings.Builder // since the last seal
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
		h.prompts[ev.Turn] = b.Prompt
	case Edited:
		prompt := h.prompts[ev.Turn]
		prompt.Text = b.Text
		h.prompts[ev.Turn] = prompt
	case Started:
		h.start(ev)
	case Cleared:
		*h = historian{prompts: h.prompts, turn: "none"} // what still runs belongs to what was
	case Ended:
		delete(h.prompts, ev.Turn)
		if ev.Turn == h.turn {
			h.closeStep(&b.Receipt)
			if !h.control {
				h.note = noteOn(b.Receipt)
			}
		}
	default:
		if ev.Turn == h.turn {
			h.work(ev.Seq, ev.Body)
		}
	}
}

// start is where a prompt has its place in the conversation.
func (h *historian) start(ev Event) {
	h.closeStep(nil)
	prompt := h.prompts[ev.Turn]
	delete(h.prompts, ev.Turn)
	h.turn, h.control = ev.Turn, prompt.Task != Answer
	if h.control {
		return
	}
	text := prompt.Text
	if h.note != "" {
		text, h.note = h.note+"\n\n"+text, ""
	}
	h.messages = append(h.messages, Message{Role: User, Seq: ev.Seq, Text: text, Images: prompt.Images})
}

// work is what the running turn does.
func (h *historian) work(seq int64, body Body) {
	switch b := body.(type) {
	case Attached:
		if n := len(h.messages); n > 0 && h.messages[n-1].Role == User {
			h.messages[n-1].Text += "\n\n[" + b.Link.URI + "]\n" + b.Text
		}
	case StepStarted:
		h.closeStep(nil)
		h.step.seq, h.step.model = seq, b.Model
	case Thought:
		h.step.thought.WriteString(b.Text)
	case Sealed:
		h.step.seal(b)
	case Said:
		h.step.text.WriteString(b.Text)
	case Called:
		h.calls = append(h.calls, &callState{CallRequest: CallRequest{b.Call, b.Name, b.Args, b.Seal}})
	case CallStarted:
		h.call(b.Call).started = true
	case CallOutput:
		h.call(b.Call).output.WriteString(b.Text)
	case CallEnded:
		h.call(b.Call).ended = &b
	case Compacted:
		h.closeStep(nil)
		kept := slices.DeleteFunc(h.messages, func(m Message) bool { return m.Seq < b.From })
		h.messages = append([]Message{{Role: User, Text: b.Summary}}, kept...)
	}
}

func (s *step) seal(b Sealed) {
	s.thinking = append(s.thinking, Thinking{At: s.text.Len(), Text: s.thought.String(), Seal: b.Seal})
	s.thought.Reset()
}

// call finds a call of the step; ids need only be unique within it.
func (h *historian) call(id string) *callState {
	if i := slices.IndexFunc(h.calls, func(c *callState) bool { return c.ID == id }); i >= 0 {
		return h.calls[i]
	}
	return &callState{}
}

// recorded is what there is so far, the open step included.
func (h *historian) recorded() []Message {
	h.closeStep(nil)
	return h.messages
}

// closeStep turns the step into messages, with a true result for each call that
// was started and has none. receipt is the turn's, when it has ended.
func (h *historian) closeStep(receipt *Receipt) {
	s := &h.step
	if s.thought.Len() > 0 {
		s.seal(Sealed{}) // it was not finished
	}
	if s.text.Len() > 0 || len(h.calls) > 0 || len(s.thinking) > 0 {
		m := Message{Role: Assistant, Seq: s.seq, Model: s.model, Text: s.text.String(), Thinking: s.thinking}
		for _, c := range h.calls {
			m.Calls = append(m.Calls, c.CallRequest)
		}
		h.messages = append(h.messages, m)
	}
	for _, c := range h.calls {
		if c.started || c.ended != nil {
			h.messages = append(h.messages, c.result(s.seq, receipt))
		}
	}
	h.step, h.calls = step{}, nil
}

func (c *callState) result(seq int64, receipt *Receipt) Message {
	m := Message{Role: Tool, Seq: seq, Call: c.ID, Name: c.Name}
	if c.ended != nil {
		m.Text, m.Failed = c.ended.Text, c.ended.Failed || c.ended.Fate != Finished
		return m
	}
	m.Text, m.Failed = ResultText(c.fate(receipt), c.output.String()), true
	return m
}

// fate of a started call without an end on record, as the turn's receipt has it.
func (c *callState) fate(receipt *Receipt) Fate {
	if receipt != nil && slices.Contains(receipt.Calls.Stopped, CallRef{c.ID, c.Name}) {
		return CallStopped
	}
	return Unknown
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
	if !blank(output) {
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
