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

// ErrAnswerTooLong is returned by Emit for text and thinking beyond bellcord.MaxAnswer
// in one step. A notice is on record; the rest is not.
var ErrAnswerTooLong = errors.New("the answer is longer than " + sizeName(bellcord.MaxAnswer))

// bounds counts what a turn has put on record; the turn's lock guards it.
type bounds struct {
	output  int // bytes of a call's output: half as it comes, half as its tail
	answer  int // bytes of the running step
	outputs map[string]*heldOutput
}

// heldOutput is what a call has put out.
type heldOutput struct {
	shown int       // bytes recorded as they came
	held  clip.Text // the rest, of which only the tail is kept
}

// apply returns the bodies that are recorded for b: none for output that is held
// back until its call ends, two where a held tail precedes the end of its call.
func (n *bounds) apply(b bellcord.Body) ([]bellcord.Body, error) {
	switch b := b.(type) {
	case bellcord.StepStarted:
		n.answer = 0
	case bellcord.TextDelta:
		return n.addText(b, len(b.Text))
	case bellcord.ThinkingDelta:
		return n.addText(b, len(b.Text))
	case bellcord.ToolCallRequested:
		if len(b.Arguments) > bellcord.MaxArguments {
			b.Arguments = fmt.Appendf(nil, `{"omitted":"%d bytes of arguments"}`, len(b.Arguments))
		}
		return []bellcord.Body{b}, nil
	case bellcord.ToolOutputDelta:
		return n.addOutput(b), nil
	case bellcord.ToolCallEnded:
		short := clip.Text{Head: n.output / 2, Tail: n.output / 2}
		if len(b.Result) > max(n.output, shortestResult) {
			short.Add(b.Result)
			b.Result = short.String()
		}
		b.Result = printable(b.Result)
		return append(n.flush(b.Call), b), nil
	}
	return []bellcord.Body{b}, nil
}

// shortestResult is a result's size that is recorded whatever the bound of live
// output is: the model needs it.
const shortestResult = 256 << 10

// addText counts a piece of an answer, and puts a notice in the place of the first
// one that is too much.
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

// addOutput returns as much of a call's output as is recorded now, and holds back the
// rest.
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

// flush returns the tail of a call's output that was held back, if there is one.
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

// printable replaces each run of control characters with one U+FFFD: JSON writes
// every one of them in six bytes. Line ends, tabs, backspaces and the escape
// sequences of terminals stay.
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
