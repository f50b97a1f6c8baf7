package markup

import (
	"html"
	"net/url"
	"strings"
	"unicode"
)

// Render makes Telegram's HTML of Markdown. What it makes is always well formed:
// a mark that is not closed is shown as it is. What a model writes is text to us;
// no tag of its own gets through.
func Render(markdown string) string {
	var out strings.Builder
	lines := strings.Split(markdown, "\n")
	for i := 0; i < len(lines); i++ {
		if i > 0 {
			out.WriteByte('\n')
		}
		line := lines[i]
		if language, opens := strings.CutPrefix(strings.TrimSpace(line), "```"); opens {
			end := i + 1
			for end < len(lines) && strings.TrimSpace(lines[end]) != "```" {
				end++
			}
			out.WriteString(preformatted(language, strings.Join(lines[i+1:min(end, len(lines))], "\n")))
			i = end
			continue
		}
		out.WriteString(renderLine(line))
	}
	return out.String()
}

func preformatted(language, code string) string {
	if name := strings.TrimSpace(language); name != "" && !strings.ContainsFunc(name, notWord) {
		return `<pre><code class="language-` + name + `">` + html.EscapeString(code) + `</code></pre>`
	}
	return `<pre>` + html.EscapeString(code) + `</pre>`
}

func notWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '-' && r != '#' && r != '_'
}

// renderLine is for a line outside of fences.
func renderLine(line string) string {
	body := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(body)]
	switch {
	case strings.HasPrefix(body, "#"):
		if title := strings.TrimLeft(body, "#"); strings.HasPrefix(title, " ") && len(body)-len(title) <= 6 {
			return "<b>" + renderInline(strings.TrimSpace(title), "b") + "</b>"
		}
	case strings.HasPrefix(body, "> "):
		return "<blockquote>" + renderInline(body[2:], "") + "</blockquote>"
	case strings.HasPrefix(body, "- "), strings.HasPrefix(body, "* "), strings.HasPrefix(body, "+ "):
		return indent + "• " + renderInline(body[2:], "")
	}
	return renderInline(line, "")
}

// marks are those that stand in pairs around words, the longer ones first.
var marks = []struct{ mark, tag string }{{"**", "b"}, {"__", "b"}, {"~~", "s"}, {"*", "i"}, {"_", "i"}}

// renderInline renders what stands in a line. within is the tag that is open
// around it: one does not open within itself.
func renderInline(s, within string) string {
	var out strings.Builder
	for s != "" {
		shown, length := renderNext(s, within)
		out.WriteString(shown)
		s = s[length:]
	}
	return out.String()
}

// renderNext renders what s begins with and says how long that was.
func renderNext(s, within string) (shown string, length int) {
	switch s[0] {
	case '`':
		if end := strings.IndexByte(s[1:], '`'); end > 0 {
			return "<code>" + html.EscapeString(s[1:1+end]) + "</code>", end + 2
		}
	case '[':
		if shown, length = renderLink(s, within); length > 0 {
			return shown, length
		}
	case '\\':
		if len(s) > 1 && strings.IndexByte("*_`~[]\\#>-", s[1]) >= 0 {
			return html.EscapeString(s[1:2]), 2
		}
	case '*', '_', '~':
		if shown, length = renderMarked(s, within); length > 0 {
			return shown, length
		}
		n := len(s) - len(strings.TrimLeft(s, s[:1])) // of a run that marks nothing, all
		return s[:n], n
	}
	// Up to the next character that may mean something. An underscore within a
	// word is a part of it.
	end := 1
	for end < len(s) && strings.IndexByte("`[\\*~", s[end]) < 0 && (s[end] != '_' || isWordByte(s[end-1])) {
		end++
	}
	return html.EscapeString(s[:end]), end
}

func isWordByte(b byte) bool {
	return b >= 0x80 || b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// renderMarked renders words between two equal marks; 0 where s does not begin so.
func renderMarked(s, within string) (string, int) {
	for _, m := range marks {
		rest, opens := strings.CutPrefix(s, m.mark)
		if !opens || m.tag == within || rest == "" || rest[0] == ' ' || rest[0] == m.mark[0] {
			continue
		}
		end := strings.Index(rest, m.mark)
		if end <= 0 || rest[end-1] == ' ' {
			continue
		}
		after := rest[end+len(m.mark):]
		if m.mark[0] == '_' && after != "" && isWordByte(after[0]) {
			continue
		}
		return "<" + m.tag + ">" + renderInline(rest[:end], m.tag) + "</" + m.tag + ">", end + 2*len(m.mark)
	}
	return "", 0
}

// renderLink renders [words](address); 0 where it is none that can be followed.
func renderLink(s, within string) (string, int) {
	middle := strings.Index(s, "](")
	if middle < 0 || within == "a" || strings.ContainsAny(s[1:middle], "[]") {
		return "", 0
	}
	end := strings.IndexByte(s[middle:], ')')
	if end < 0 {
		return "", 0
	}
	address := s[middle+2 : middle+end]
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", 0
	}
	words := renderInline(s[1:middle], "a")
	return `<a href="` + html.EscapeString(address) + `">` + words + "</a>", middle + end + 1
}
