package hub

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/clip"
)

// ErrAnswerTooLong is returned by Emit for text and thinking beyond
// bellcord.MaxAnswer in one step. The log contains a notice instead of the
// remaining text.
var ErrAnswerTooLong = errors.New("the answer is longer than " + sizeName(bellcord.MaxAnswer))

// bounds limits how much a turn records. Turn.mu protects it.
type bounds struct {
	output  int // limit in bytes for the output of one call, half for its beginning and half for its tail
	answer  int // bytes recorded in the current step
	updates int // bytes of updates of a hosted agent recorded in the turn
	outputs map[string]*heldOutput
}

// heldOutput is the output of a call in progress.
type heldOutput struct {
	shown int       // bytes already recorded
	held  clip.Text // the remaining output, reduced to its tail
}

// apply returns the bodies to record for b: none for output that is held until
// its call ends, and two if a held tail precedes the end of its call.
func (n *bounds) apply(b bellcord.Body) ([]bellcord.Body, error) {
	switch b := b.(type) {
	case bellcord.StepStarted:
		n.answer = 0
	case bellcord.TextDelta:
		return n.addText(b, len(b.Text))
	case bellcord.ThinkingDelta:
		return n.addText(b, len(b.Text))
	case bellcord.ToolCallRequested:
		b.Arguments, b.CallView = boundedArguments(b.Arguments), boundedView(b.CallView)
		if b.Original != nil && len(b.Original.Arguments) > bellcord.MaxArguments {
			b.Original = nil
		}
		return []bellcord.Body{b}, nil
	case bellcord.ToolCallUpdated:
		b.Arguments, b.CallView = boundedArguments(b.Arguments), boundedView(b.CallView)
		return n.addUpdate(b, len(b.Arguments)+viewSize(b.CallView)+len(b.Title), bellcord.MaxAnswer)
	case bellcord.PlanUpdated:
		return n.addUpdate(b, planSize(b), bellcord.MaxAnswer)
	case bellcord.AgentUpdate:
		if len(b.Update) > bellcord.MaxAgentUpdate {
			return nil, nil
		}
		return n.addUpdate(b, len(b.Update), bellcord.MaxAgentUpdates)
	case bellcord.CustomEvent:
		return n.addUpdate(b, len(b.Data), bellcord.MaxAgentUpdates)
	case bellcord.MessageImported:
		b.Updates = n.boundedUpdates(b.Updates)
		return n.addText(b, len(b.Text))
	case bellcord.ToolOutputDelta:
		return n.addOutput(b), nil
	case bellcord.ToolCallEnded:
		short := clip.Text{Head: n.output / 2, Tail: n.output / 2}
		if len(b.Result) > max(n.output, shortestResult) {
			short.Add(b.Result)
			b.Result = short.String()
		}
		b.Result = printable(b.Result) + dropImages(&b)
		if len(b.RawOutput) > bellcord.MaxArguments {
			b.RawOutput = nil
		}
		return append(n.flush(b.Call), b), nil
	}
	return []bellcord.Body{b}, nil
}

// dropImages removes the images of a result that exceed bellcord.MaxImages in
// total, and returns a note about them, or "".
func dropImages(b *bellcord.ToolCallEnded) string {
	size, kept := 0, b.Images[:0:0]
	for _, image := range b.Images {
		if size+len(image.Data) > bellcord.MaxImages {
			continue
		}
		size += len(image.Data)
		kept = append(kept, image)
	}
	dropped := len(b.Images) - len(kept)
	if dropped == 0 {
		return ""
	}
	b.Images = kept
	return fmt.Sprintf("\n[%d of %d images omitted: a result can have %s of images]", dropped, dropped+len(kept), sizeName(bellcord.MaxImages))
}

// shortestResult is the result size that is recorded in full whatever the limit
// for live output is, because the model needs the result.
const shortestResult = 256 << 10

// addText counts a piece of an answer. It replaces the first piece beyond the
// limit with a notice.
func (n *bounds) addText(b bellcord.Body, size int) ([]bellcord.Body, error) {
	before := n.answer
	n.answer += size
	switch {
	case n.answer <= bellcord.MaxAnswer:
		return []bellcord.Body{b}, nil
	case before <= bellcord.MaxAnswer:
		return []bellcord.Body{bellcord.TextDelta{Text: "\n\n[" + ErrAnswerTooLong.Error() + "; the rest is omitted]"}}, ErrAnswerTooLong
	}
	return nil, ErrAnswerTooLong
}

// addOutput returns the part of a call's output to record now and holds the rest.
func (n *bounds) addOutput(b bellcord.ToolOutputDelta) []bellcord.Body {
	if n.outputs == nil {
		n.outputs = map[string]*heldOutput{}
	}
	o := n.outputs[b.Call]
	if o == nil {
		o = &heldOutput{held: clip.Text{Tail: n.output - n.output/2}}
		n.outputs[b.Call] = o
	}
	now := min(n.output/2-o.shown, len(b.Text))
	o.held.Add(b.Text[now:])
	o.shown += now
	if now == 0 {
		return nil
	}
	b.Text = printable(strings.ToValidUTF8(b.Text[:now], "\uFFFD"))
	return []bellcord.Body{b}
}

// flush returns the held tail of a call's output, if any.
func (n *bounds) flush(call string) []bellcord.Body {
	o := n.outputs[call]
	delete(n.outputs, call)
	if o == nil || o.held.Len() == 0 {
		return nil
	}
	return []bellcord.Body{bellcord.ToolOutputDelta{Call: call, Text: printable(o.held.String()), Omitted: o.held.Omitted()}}
}

// flushAll returns the held tails of all calls.
func (n *bounds) flushAll() []bellcord.Body {
	var all []bellcord.Body
	for _, call := range slices.Sorted(maps.Keys(n.outputs)) {
		all = append(all, n.flush(call)...)
	}
	return all
}

// printable replaces each run of control characters with one U+FFFD, because JSON
// encodes each of them in six bytes. Line ends, tabs, backspaces and terminal
// escape sequences are kept.
func printable(text string) string {
	from := strings.IndexFunc(text, isControl)
	if from < 0 {
		return text
	}
	var out strings.Builder
	out.WriteString(text[:from])
	run := false
	for i := from; i < len(text); i++ {
		c := text[i]
		if isControl(rune(c)) && (c != '\x1b' || i+1 == len(text) || text[i+1] != '[' && text[i+1] != ']') {
			if !run {
				out.WriteString("\uFFFD")
			}
			run = true
			continue
		}
		run = false
		out.WriteByte(c)
	}
	return out.String()
}

func isControl(r rune) bool {
	switch r {
	case '\b', '\t', '\n', '\f', '\r':
		return false
	}
	return r < ' '
}

func sizeName(bytes int) string { return fmt.Sprintf("%d MiB", bytes>>20) }
