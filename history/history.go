// Package history builds conversations and answers from events. It repairs
// conversations that a stop or a crash left incomplete, so that models accept
// them. Its only I/O is reading events from a store.
package history

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/clip"
	"github.com/bellcord/bellcord/store"
)

// Read builds a session's conversation from its events and repairs it (see
// Repair). The result depends only on the events. More events only add messages,
// so that a model's prompt cache stays valid (law 22), except that a compaction
// replaces earlier messages and a rewind removes the last ones.
func Read(ctx context.Context, store store.Reader, session bellcord.SessionID) ([]bellcord.Message, error) {
	return new(Conversation).Read(ctx, store, session)
}

// Recorded returns the conversation of the events without repairs.
func Recorded(events []bellcord.Event) []bellcord.Message {
	var skipped rewinds
	for _, ev := range events {
		skipped.add(ev)
	}
	var h historian
	for _, ev := range events {
		if !skipped.skips(ev) {
			h.read(ev)
		}
	}
	return h.recorded()
}

// historian builds messages from events.
type historian struct {
	messages   []bellcord.Message
	prompts    map[bellcord.TurnID]bellcord.Prompt // of turns that have not started
	turn       bellcord.TurnID                     // the running turn
	control    bool                                // the running turn contains no work of a model
	unprompted bool                                // the running turn has no prompt
	command    bool                                // the running turn is a command of the user
	note       string                              // a note on the last turn, to prepend to the next prompt
	undone     []string                            // notes on undos since the last prompt

	step  step
	calls []*callState
}

// step is the current step.
type step struct {
	seq      int64
	model    string
	text     strings.Builder
	thinking []bellcord.Thinking
	unsigned strings.Builder // thinking since the last signature
}

type callState struct {
	bellcord.CallRequest
	seq     int64
	tool    string // the name of the tool that runs; CallRequest has the name that the model wrote
	started bool
	ended   *bellcord.ToolCallEnded
	output  clip.Text
}

// mostSoFar limits the output of a call without an end, in bytes at its beginning
// and at its tail.
const mostSoFar = 32 << 10

func (h *historian) read(ev bellcord.Event) {
	switch b := ev.Body.(type) {
	case bellcord.TurnAccepted:
		h.setPrompt(ev.Turn, b.Prompt)
	case bellcord.PromptEdited:
		prompt := h.prompts[ev.Turn]
		prompt.Text = b.Text
		h.setPrompt(ev.Turn, prompt)
	case bellcord.TurnStarted:
		h.placePrompt(ev)
	case bellcord.ConversationCleared:
		*h = historian{prompts: h.prompts, turn: "none"} // a running turn belongs to the old conversation
	case bellcord.Undone:
		h.undone = append(h.undone, noteOnUndo(b))
	case bellcord.TurnEnded:
		delete(h.prompts, ev.Turn)
		if ev.Turn == h.turn {
			h.closeStep(&b.Receipt)
			if note := noteOn(b.Receipt); !h.control && (note != "" || !h.unprompted) { // work without a prompt does not take the note
				h.note = note
			}
		}
	default:
		if ev.Turn == h.turn {
			h.work(ev.Seq, ev.Body)
		}
	}
}

func (h *historian) setPrompt(turn bellcord.TurnID, prompt bellcord.Prompt) {
	if h.prompts == nil {
		h.prompts = map[bellcord.TurnID]bellcord.Prompt{}
	}
	h.prompts[turn] = prompt
}

// placePrompt adds the prompt of a turn to the conversation.
func (h *historian) placePrompt(ev bellcord.Event) {
	h.closeStep(nil)
	prompt := h.prompts[ev.Turn]
	delete(h.prompts, ev.Turn)
	h.turn, h.command = ev.Turn, prompt.Task == bellcord.TaskCommand
	h.control = h.command || prompt.Task == bellcord.TaskCompact
	h.unprompted = prompt.Task == bellcord.TaskUnprompted
	if h.unprompted { // the model's answers have a message between them
		h.messages = append(h.messages, bellcord.Message{Role: bellcord.RoleUser, Seq: ev.Seq, Text: "[" + prompt.Text + "]"})
	}
	if prompt.Task != bellcord.TaskAnswer {
		return
	}
	text := prompt.FullText()
	for _, note := range slices.Backward(h.undone) {
		text = note + "\n\n" + text
	}
	if h.note != "" {
		text = h.note + "\n\n" + text
	}
	h.note, h.undone = "", nil
	h.messages = append(h.messages, bellcord.Message{Role: bellcord.RoleUser, Seq: ev.Seq, Text: text, Images: prompt.Images})
}

// work adds an event of the running turn.
func (h *historian) work(seq int64, body bellcord.Body) {
	switch b := body.(type) {
	case bellcord.AttachmentLoaded:
		if n := len(h.messages); n > 0 && h.messages[n-1].Role == bellcord.RoleUser {
			h.messages[n-1].Text += "\n\n[" + b.Link.URI + "]\n" + b.Text
		}
	case bellcord.ContextAdded:
		h.closeStep(nil)
		h.messages = append(h.messages, bellcord.Message{Role: bellcord.RoleUser, Seq: seq, Text: b.Text})
	case bellcord.StepStarted:
		h.closeStep(nil)
		h.step.seq, h.step.model = seq, b.Model
	case bellcord.ThinkingDelta:
		h.step.unsigned.WriteString(b.Text)
	case bellcord.ThinkingSigned:
		h.step.seal(b)
	case bellcord.TextDelta:
		h.step.text.WriteString(b.Text)
	case bellcord.ToolCallRequested:
		made := bellcord.CallRequest{ID: b.Call, Name: b.Name, Arguments: b.Arguments, Signature: b.Signature}
		if b.Original != nil {
			made.Name, made.Arguments = b.Original.Name, b.Original.Arguments
		}
		h.calls = append(h.calls, &callState{CallRequest: made, seq: seq, tool: b.Name, output: clip.Text{Head: mostSoFar, Tail: mostSoFar}})
	case bellcord.ToolCallUpdated:
		if c := h.findCall(b.Call); b.Arguments != nil {
			c.Arguments = b.Arguments
		}
	case bellcord.MessageImported:
		h.closeStep(nil)
		h.step.seq = seq
		h.messages = append(h.messages, bellcord.Message{Role: bellcord.RoleUser, Seq: seq, Text: b.Text})
	case bellcord.ToolCallStarted:
		h.findCall(b.Call).started = true
	case bellcord.ToolOutputDelta:
		h.findCall(b.Call).output.Add(b.Text)
	case bellcord.ToolCallEnded:
		c := h.findCall(b.Call)
		c.ended, c.output = &b, clip.Text{}
	case bellcord.ConversationCompacted:
		h.closeStep(nil)
		kept := slices.DeleteFunc(h.messages, func(m bellcord.Message) bool { return m.Seq < b.FromSeq })
		h.messages = append([]bellcord.Message{{Role: bellcord.RoleUser, Text: b.Summary}}, kept...)
	}
}

func (s *step) seal(b bellcord.ThinkingSigned) {
	s.thinking = append(s.thinking, bellcord.Thinking{At: s.text.Len(), Text: s.unsigned.String(), Signature: b.Signature})
	s.unsigned.Reset()
}

// findCall returns a call of the current step. IDs are only unique within a step.
func (h *historian) findCall(id string) *callState {
	if i := slices.IndexFunc(h.calls, func(c *callState) bool { return c.ID == id }); i >= 0 {
		return h.calls[i]
	}
	return &callState{}
}

// closeStep turns the step into messages, with a result for each started call
// that has none. receipt is the turn's receipt if the turn has ended, otherwise
// nil.
func (h *historian) closeStep(receipt *bellcord.Receipt) {
	if h.command {
		h.closeCommand(receipt)
		return
	}
	s := &h.step
	if s.unsigned.Len() > 0 {
		s.seal(bellcord.ThinkingSigned{}) // unfinished thinking has no signature
	}
	if s.text.Len() > 0 || len(h.calls) > 0 || len(s.thinking) > 0 {
		m := bellcord.Message{Role: bellcord.RoleAssistant, Seq: s.seq, Model: s.model, Text: s.text.String(), Thinking: s.thinking}
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

// closeCommand turns a command of the user into a message of the user, with the
// output. A command that was not started leaves no message.
func (h *historian) closeCommand(receipt *bellcord.Receipt) {
	for _, c := range h.calls {
		var args struct{ Command string }
		if json.Unmarshal(c.Arguments, &args) == nil && c.started {
			text := "[I ran this command in the working directory]\n$ " + args.Command + "\n\n[its output]\n" + c.result(c.seq, receipt).Text
			h.messages = append(h.messages, bellcord.Message{Role: bellcord.RoleUser, Seq: c.seq, Text: text})
		}
	}
	h.calls = nil
}

func (c *callState) result(seq int64, receipt *bellcord.Receipt) bellcord.Message {
	m := bellcord.Message{Role: bellcord.RoleTool, Seq: seq, Call: c.ID, Name: c.Name}
	if c.ended != nil {
		m.Images = c.ended.Images
		m.Text, m.Failed = c.ended.Result, c.ended.Failed || c.ended.Outcome != bellcord.CallFinished
		return m
	}
	m.Text, m.Failed = ResultText(c.fate(receipt), c.output.String()), true
	return m
}

// fate returns the outcome of a started call without a recorded end, according to
// the turn's receipt.
func (c *callState) fate(receipt *bellcord.Receipt) bellcord.CallOutcome {
	if receipt != nil && slices.Contains(receipt.Calls.Stopped, bellcord.CallRef{Call: c.ID, Name: c.tool}) {
		return bellcord.CallStopped
	}
	return bellcord.CallUnknown
}

// noteOn returns the note to the model about a turn that did not complete, or "".
func noteOn(r bellcord.Receipt) string {
	switch r.End {
	case bellcord.EndStopped:
		return "[the previous turn was stopped before it was complete]"
	case bellcord.EndFailed:
		return "[the previous turn failed before it was complete]"
	case bellcord.EndLost:
		return "[the previous turn was cut off: the process that ran it died]"
	case bellcord.EndDone:
	}
	return ""
}
