package chat

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plainjson"
)

// argument is one argument of a call, as text.
type argument struct{ name, value string }

// firstArguments are the most informative arguments, in the order in which they
// are shown.
var firstArguments = []string{"command", "path", "file", "url", "old", "new", "content"}

// arguments returns all arguments of a call, the most informative first.
// Arguments that are not a JSON object are returned as one argument without a
// name.
func arguments(raw json.RawMessage) []argument {
	var named map[string]json.RawMessage
	if json.Unmarshal(raw, &named) != nil {
		if len(raw) == 0 {
			return nil
		}
		return []argument{{"", string(raw)}}
	}
	all := make([]argument, 0, len(named))
	for name, value := range named {
		text := plainjson.Text(value)
		var plainly string
		if json.Unmarshal(value, &plainly) == nil {
			text = plainly
		}
		all = append(all, argument{name, text})
	}
	rank := func(name string) int {
		if i := slices.Index(firstArguments, name); i >= 0 {
			return i
		}
		return len(firstArguments)
	}
	slices.SortFunc(all, func(a, b argument) int {
		return cmp.Or(cmp.Compare(rank(a.name), rank(b.name)), strings.Compare(a.name, b.name))
	})
	return all
}

// details returns the lines of a call that a question is about: every argument
// in full, except those that the question's text contains. Text that is removed
// from a file or added to it is marked as in a diff.
func details(call bellcord.ToolCallRequested, text string, width int) []string {
	var lines []string
	for _, a := range arguments(call.Arguments) {
		if a.value != "" && strings.Contains(text, a.value) {
			continue
		}
		mark, style := "  ", ""
		switch a.name {
		case "old":
			mark, style = "- ", yellow
		case "new", "content":
			mark, style = "+ ", green
		}
		value := strings.Split(strings.TrimSuffix(a.value, "\n"), "\n")
		if style == "" && len(value) == 1 {
			if a.name != "" {
				value[0] = a.name + ": " + value[0]
			}
			lines = append(lines, prefixed("  ", value, style, width)...)
			continue
		}
		lines = append(lines, wrap(styled(dim, "  "+harmless(a.name)+":"), width)...)
		lines = append(lines, prefixed("  "+mark, value, style, width)...)
	}
	return lines
}

// prefixed prefixes lines and breaks those that are too wide. Spaces are kept.
func prefixed(prefix string, text []string, style string, width int) []string {
	var lines []string
	for _, l := range text {
		for _, part := range hard(harmless(l), max(1, width-len(prefix))) {
			lines = append(lines, styled(style, prefix+part))
		}
	}
	return lines
}
