package fakemodel

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// beat is the smallest unit of a reply, sent at once.
type beat struct {
	kind  beatKind
	index int    // of the tool call, for beatOpening and beatArgs
	text  string // the tool's name, for beatOpening
	wait  time.Duration
}

type beatKind int

const (
	beatThought beatKind = iota
	beatText
	beatOpening // a tool call begins
	beatArgs    // a fragment of its arguments
)

// maxResult is the number of characters of a tool result that the model
// repeats.
const maxResult = 200

// beats converts the script to beats, in order.
func (s script) beats(t turn) []beat {
	var out []beat
	text := s.replyText(t)
	for _, piece := range numbered("thought", s.thoughts) {
		out = append(out, beat{kind: beatThought, text: piece, wait: s.paceOfThought()})
	}
	wrote := false
	for _, seg := range text {
		for i, piece := range seg.pieces {
			if i == 0 && wrote {
				piece = " " + piece
			}
			wrote = true
			out = append(out, beat{kind: beatText, text: piece, wait: seg.pace})
		}
	}
	out = append(out, s.callBeats()...)
	if len(out) > 0 {
		out[0].wait = 0 // the first beat has no pause before it
	}
	if s.end != endProperly {
		out = firstBeats(out, s.after)
	}
	return out
}

// replyText returns the text of the reply: the one set by markers, or else a
// default for the step.
func (s script) replyText(t turn) []segment {
	switch {
	case len(s.segments) > 0 || len(s.calls) > 0:
		return s.segments
	case s.end != endProperly:
		return []segment{{pieces: numbered("word", s.after)}}
	case t.step > 0:
		return []segment{{pieces: splitWords(summary(t.results))}}
	}
	text := strings.TrimSpace(s.rest)
	if text == "" {
		text = t.prompt
	}
	return []segment{{pieces: splitWords("You said: " + text)}}
}

func summary(results []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Results: %d", len(results))
	for _, result := range results {
		runes := []rune(result)
		b.WriteString("\n" + string(runes[:min(len(runes), maxResult)]))
	}
	return b.String()
}

func (s script) paceOfThought() time.Duration {
	if s.thinkPace >= 0 {
		return s.thinkPace
	}
	for _, seg := range s.segments {
		if seg.pace > 0 {
			return seg.pace
		}
	}
	return 0
}

// callBeats opens all calls first and then interleaves their fragments, so that
// a client that assigns fragments to the last opened call fails.
func (s script) callBeats() []beat {
	var out []beat
	longest := 0
	parts := make([][]string, len(s.calls))
	for i, call := range s.calls {
		out = append(out, beat{kind: beatOpening, index: i, text: call.name})
		parts[i] = fragments(call.args)
		longest = max(longest, len(parts[i]))
	}
	wait := time.Duration(0)
	for round := range longest {
		for i := range parts {
			if round < len(parts[i]) {
				out = append(out, beat{kind: beatArgs, index: i, text: parts[i][round], wait: wait})
				wait = s.argsPace
			}
		}
	}
	return out
}

// firstBeats returns the beats up to the nth word or fragment. Thoughts and
// openings are not counted.
func firstBeats(all []beat, n int) []beat {
	for i, b := range all {
		if b.kind != beatText && b.kind != beatArgs {
			continue
		}
		if n == 0 {
			return all[:i]
		}
		n--
	}
	return all
}

// fragments splits arguments into at least three parts, if they are long
// enough. A part has up to eight characters, or more if there would be over a
// hundred parts.
func fragments(args string) []string {
	runes := []rune(args)
	size := max(1, min((len(runes)+2)/3, 8), (len(runes)+99)/100)
	var out []string
	for len(runes) > 0 {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}

// numbered returns "word1", " word2" and so on.
func numbered(word string, n int) []string {
	out := make([]string, 0, n)
	for i := range n {
		piece := fmt.Sprintf("%s%d", word, i+1)
		if i > 0 {
			piece = " " + piece
		}
		out = append(out, piece)
	}
	return out
}

// splitWords splits text before the white space in front of each word. Joining
// the pieces gives exactly the text.
func splitWords(text string) []string {
	var out []string
	start, inWord := 0, false
	for i, r := range text {
		blank := unicode.IsSpace(r)
		if blank && inWord {
			out = append(out, text[start:i])
			start = i
		}
		inWord = !blank
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}
