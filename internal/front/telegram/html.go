package telegram

import (
	"html"
	"net/url"
	"strings"
	"unicode"
)

// render converts Markdown to Telegram's HTML. The result is always well
// formed: an unclosed mark is shown literally, and HTML tags in the Markdown
// are escaped.
func render(markdown string) string {
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

// renderLine renders a line outside of code fences.
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

// marks are the paired marks around text, the longer ones first.
var marks = []struct{ mark, tag string }{{"**", "b"}, {"__", "b"}, {"~~", "s"}, {"*", "i"}, {"_", "i"}}

// renderInline renders the content of a line. within is the enclosing tag,
// which is not opened again inside itself.
func renderInline(s, within string) string {
	var out strings.Builder
	for s != "" {
		shown, length := renderNext(s, within)
		out.WriteString(shown)
		s = s[length:]
	}
	return out.String()
}

// renderNext renders the beginning of s and returns how many bytes of s it
// used.
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
		n := len(s) - len(strings.TrimLeft(s, s[:1])) // a run of marks that opens nothing is literal
		return s[:n], n
	}
	// Plain text extends to the next special character. An underscore
	// within a word is not one.
	end := 1
	for end < len(s) && strings.IndexByte("`[\\*~", s[end]) < 0 && (s[end] != '_' || isWordByte(s[end-1])) {
		end++
	}
	return html.EscapeString(s[:end]), end
}

func isWordByte(b byte) bool {
	return b >= 0x80 || b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// renderMarked renders text between two equal marks. It returns 0 if s does not
// begin with such text.
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

// renderLink renders [text](address). It returns 0 if s does not begin with an
// http or https link.
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
