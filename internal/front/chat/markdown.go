package chat

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord/internal/highlight"
)

// markdown renders the Markdown of models as lines for a terminal. It uses no
// library, because initializing one delays every start of the program by more
// than an editor waits for its first answer. All text is made harmless where it
// is inserted, so no escape sequence gets through.
func markdown(source string, width int) []string {
	var out []string
	lines := strings.Split(strings.Trim(source, "\n"), "\n")
	for i := 0; i < len(lines); {
		l := lines[i]
		switch body := strings.TrimLeft(l, " "); {
		case fence(body) != "":
			end := i + 1
			for end < len(lines) && !closes(lines[end], fence(body)) {
				end++
			}
			out = append(out, code(languageOf(body), lines[i+1:min(end, len(lines))], 0, width)...)
			i = end + 1
		case body == "":
			out = append(out, "")
			i++
		case strings.HasPrefix(body, "|"):
			t, n := parseTable(lines[i:])
			if n == 0 {
				out = append(out, hard(harmless(l), width)...)
				n = 1
			} else {
				out = append(out, t.lines(width)...)
			}
			i += n
		case begins(body):
			out = append(out, special(l, width)...)
			i++
		default:
			end := i + 1
			for end < len(lines) && continues(lines[end]) {
				end++
			}
			out = append(out, wrap(inline(strings.Join(lines[i:end], " ")), width)...)
			i = end
		}
	}
	return out
}

// fence returns the mark that opens a code block, or "".
func fence(body string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(body, mark) {
			return body[:len(body)-len(strings.TrimLeft(body, mark[:1]))]
		}
	}
	return ""
}

// languageOf returns the language that a line with an opening fence names, or "".
func languageOf(body string) string {
	language, _, _ := strings.Cut(strings.TrimSpace(strings.TrimLeft(body, fence(body)[:1])), " ")
	return language
}

func closes(l, mark string) bool {
	l = strings.TrimSpace(l)
	return strings.HasPrefix(l, mark) && strings.Trim(l, mark[:1]) == ""
}

// mostColoured is the number of lines up to which code is coloured. Longer code
// would delay the screen while it streams.
const mostColoured = 400

// code returns the lines of a code block from a number on. They have no frame, so
// that they can be copied. The earlier lines determine the colours.
func code(language string, lines []string, from, width int) []string {
	var coloured [][]highlight.Span
	if len(lines) <= mostColoured {
		coloured, _ = highlight.Lines(language, lines)
	}
	var out []string
	for i := from; i < len(lines); i++ {
		text := styled(cyan, harmless(lines[i]))
		if coloured != nil {
			text = inColours(coloured[i])
		}
		for _, part := range hard(text, max(1, width-2)) {
			out = append(out, "  "+part)
		}
	}
	return out
}

// colours are the styles of the parts of code. Red is for stops and failures
// only.
var colours = map[highlight.Kind]string{
	highlight.Plain: "", highlight.Keyword: magenta, highlight.String: green, highlight.Comment: dim, highlight.Number: cyan,
	highlight.Added: green, highlight.Removed: yellow,
}

func inColours(spans []highlight.Span) string {
	var out strings.Builder
	for _, s := range spans {
		out.WriteString(styled(colours[s.Kind], harmless(s.Text)))
	}
	return out.String()
}

// hard breaks lines exactly at the width, because their columns are
// significant.
func hard(text string, width int) []string {
	return eachStyled(strings.Split(ansi.Hardwrap(text, width, true), "\n"))
}

// begins reports whether a line is a heading, a rule, an item, a quotation or a
// fence.
func begins(body string) bool {
	return heading(body) != "" || rule(body) || strings.HasPrefix(body, ">") || bullet(body) != "" || fence(body) != ""
}

func continues(l string) bool {
	body := strings.TrimLeft(l, " ")
	return body != "" && !begins(body) && !strings.HasPrefix(body, "|")
}

func special(l string, width int) []string {
	body := strings.TrimLeft(l, " ")
	indent := strings.Repeat(" ", min(len(l)-len(body), width/3))
	switch {
	case heading(body) != "":
		return wrap(styled(bold, unmarked(heading(body))), width)
	case rule(body):
		return []string{styled(dim, strings.Repeat("─", min(width, 40)))}
	case strings.HasPrefix(body, ">"):
		bar := styled(dim, "│") + " "
		return indented(bar, bar, inline(strings.TrimLeft(body, "> ")), width)
	}
	mark := bullet(body)
	rest := strings.TrimLeft(body[len(mark):], " ")
	shown := mark
	if strings.ContainsAny(mark, "-*+") {
		shown = "•"
	}
	first := indent + shown + " "
	return indented(first, strings.Repeat(" ", ansi.StringWidth(first)), inline(rest), width)
}

func heading(body string) string {
	title := strings.TrimLeft(body, "#")
	if level := len(body) - len(title); level < 1 || level > 6 || !strings.HasPrefix(title, " ") {
		return ""
	}
	return strings.TrimSpace(title)
}

func rule(body string) bool {
	marks := strings.ReplaceAll(body, " ", "")
	return len(marks) >= 3 && (strings.Trim(marks, "-") == "" || strings.Trim(marks, "*") == "" || strings.Trim(marks, "_") == "")
}

// bullet returns the mark of a list item, or "" for another line.
func bullet(body string) string {
	mark, _, spaced := strings.Cut(body, " ")
	if !spaced {
		return ""
	}
	if mark == "-" || mark == "*" || mark == "+" {
		return mark
	}
	number := strings.TrimRight(mark, ".)")
	if len(mark)-len(number) == 1 && len(number) <= 9 && number != "" && strings.IndexFunc(number, notDigit) < 0 {
		return mark
	}
	return ""
}

func notDigit(r rune) bool { return !unicode.IsDigit(r) }
