package chat

import (
	"encoding/json"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

// The styles: attributes and the sixteen colours that every terminal has in its
// own taste. A style ends with plain, which ends all of them.
const (
	plain  = "\x1b[0m"
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	italic = "\x1b[3m"
	linked = "\x1b[4m"
	struck = "\x1b[9m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
)

func styled(style, text string) string {
	if text == "" || style == "" {
		return text
	}
	return style + text + plain
}

// harmless is a text that cannot steer a terminal, and has the width it seems to
// have. All that is not our own goes through it.
func harmless(text string) string {
	return strings.ReplaceAll(line.Visible(text), "\t", "    ")
}

// printed is what a program put out: without its colours, and harmless.
func printed(output string) string {
	output = strings.ReplaceAll(ansi.Strip(output), "\r\n", "\n")
	return harmless(strings.ReplaceAll(output, "\r", "\n"))
}

// wrap breaks a text that may be styled into lines of at most the width; each
// begins and ends its own styles.
func wrap(text string, width int) []string {
	if width < 1 {
		return nil
	}
	lines := strings.Split(ansi.Wrap(text, width, ""), "\n")
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

// styleBehind is the style in force behind a line. Ours are never combined but
// by writing one behind the other.
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

// indented wraps behind a first prefix and, below, another one of the same width.
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

// oneLine is a text's words with single spaces between them.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// brief is a call in short: its title, or its name and what it is about.
func brief(c bellcord.ToolCallRequested) string {
	if c.Title != "" {
		return harmless(oneLine(c.Title))
	}
	return strings.TrimSpace(harmless(oneLine(c.Name + " " + subject(c.Arguments))))
}

// subject is what a call is about: the argument that usually says so, or all of
// them.
func subject(args json.RawMessage) string {
	var named map[string]any
	if json.Unmarshal(args, &named) == nil {
		for _, name := range []string{"command", "path", "file", "url", "pattern", "query"} {
			if text, ok := named[name].(string); ok && text != "" {
				return text
			}
		}
		if len(named) == 0 {
			return ""
		}
	}
	return string(args)
}

// lastLines returns at most n lines of the end of a text.
func lastLines(text string, n int) []string {
	text = strings.TrimRight(text, "\n ")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-n):]
}
