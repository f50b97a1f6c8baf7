package chat

import (
	"encoding/json"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/plainjson"
	"github.com/bellcord/bellcord/internal/tool/edit"
)

// The styles: attributes and some of the sixteen colours of every terminal,
// which follow its theme. A style ends with plain, which ends all of them.
const (
	plain    = "\x1b[0m"
	bold     = "\x1b[1m"
	dim      = "\x1b[2m"
	italic   = "\x1b[3m"
	linked   = "\x1b[4m"
	reversed = "\x1b[7m"
	struck   = "\x1b[9m"
	red      = "\x1b[31m"
	green    = "\x1b[32m"
	yellow   = "\x1b[33m"
	blue     = "\x1b[34m"
	magenta  = "\x1b[35m"
	cyan     = "\x1b[36m"
)

func styled(style, text string) string {
	if text == "" || style == "" {
		return text
	}
	return style + text + plain
}

// harmless returns a text that cannot control a terminal and has the width that
// it appears to have. All text from outside goes through it.
func harmless(text string) string {
	return strings.ReplaceAll(line.Visible(text), "\t", "    ")
}

// printed returns the output of a program without colours, made harmless.
func printed(output string) string {
	output = strings.ReplaceAll(ansi.Strip(output), "\r\n", "\n")
	return harmless(strings.ReplaceAll(output, "\r", "\n"))
}

// wrap breaks a text, which may be styled, into lines of at most the given
// width. Each line begins and ends its styles itself.
func wrap(text string, width int) []string {
	if width < 1 {
		return nil
	}
	return eachStyled(strings.Split(ansi.Wrap(text, width, ""), "\n"))
}

// eachStyled makes each line begin and end its styles itself.
func eachStyled(lines []string) []string {
	style := ""
	for i, l := range lines {
		begin := style
		style = styleBehind(style, l)
		if style != "" {
			l += plain
		}
		lines[i] = begin + l
	}
	return lines
}

// styleBehind returns the style in force after a line. Styles are combined only
// by writing one after the other.
func styleBehind(style, l string) string {
	for {
		at := strings.Index(l, "\x1b[")
		if at < 0 {
			return style
		}
		end := strings.IndexByte(l[at:], 'm')
		if end < 0 {
			return style
		}
		if code := l[at : at+end+1]; code == plain {
			style = ""
		} else {
			style += code
		}
		l = l[at+end+1:]
	}
}

// indented wraps a text with a prefix for the first line and another one, of
// the same width, for the rest.
func indented(first, rest, text string, width int) []string {
	room := width - ansi.StringWidth(first)
	if room < 4 { // too narrow for both
		return wrap(first+text, width)
	}
	lines := wrap(text, room)
	for i := range lines {
		prefix := rest
		if i == 0 {
			prefix = first
		}
		lines[i] = prefix + lines[i]
	}
	return lines
}

// withRight puts a text at the right end of the first line, or below the lines if
// that line is too long.
func withRight(lines []string, right string, width int) []string {
	gap := width - 1 - ansi.StringWidth(lines[0]) - ansi.StringWidth(right)
	if gap < 2 {
		return append(lines, wrap(styled(dim, "  "+right), width)...)
	}
	lines[0] += strings.Repeat(" ", gap) + styled(dim, right)
	return lines
}

// oneLine joins the words of a text with single spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// brief describes a call in short: its title, or its name and subject.
func brief(c bellcord.ToolCallRequested) string {
	if c.Title != "" {
		return harmless(oneLine(c.Title))
	}
	return strings.TrimSpace(harmless(oneLine(c.Name + " " + subject(c.Arguments))))
}

// commandOrBrief returns the command that a call runs, or else describes the call
// in short.
func commandOrBrief(c bellcord.ToolCallRequested) string {
	var args struct{ Command string }
	if c.Title != "" || json.Unmarshal(c.Arguments, &args) != nil || args.Command == "" {
		return brief(c)
	}
	return harmless(oneLine(args.Command))
}

// subject returns the argument that usually describes a call, or else all of
// them.
func subject(args json.RawMessage) string {
	var named map[string]any
	if json.Unmarshal(args, &named) == nil {
		for _, name := range []string{"command", "path", "file", "url", "pattern", "query"} {
			if text, ok := named[name].(string); ok && text != "" {
				return text
			}
		}
		if patch, ok := named["patch"].(string); ok {
			return patchedFiles(patch)
		}
		if len(named) == 0 {
			return ""
		}
	}
	return plainjson.Text(args)
}

// patchedFiles returns the paths of the files in a patch.
func patchedFiles(patch string) string {
	files, err := edit.ParsePatch(patch)
	if err != nil {
		return ""
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return strings.Join(paths, ", ")
}

// lastLines returns at most the last n lines of a text.
func lastLines(text string, n int) []string {
	text = strings.TrimRight(text, "\n ")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-n):]
}
