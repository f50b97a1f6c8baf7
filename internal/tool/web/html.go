package web

import (
	"html"
	"strings"
)

// htmlText converts HTML to text without tags, comments, scripts and styles,
// with a line for each block. It is not a parser, and its output for invalid
// HTML is unspecified, but it always runs in linear time.
func htmlText(page string) string {
	var w htmlWriter
	for len(page) > 0 {
		open := strings.IndexByte(page, '<')
		if open < 0 {
			w.writeText(page)
			break
		}
		w.writeText(page[:open])
		page = page[open:]
		switch {
		case strings.HasPrefix(page, "<!--"):
			page = after(page[4:], "-->")
		case len(page) > 1 && (page[1] == '!' || page[1] == '?'):
			page = after(page, ">")
		case len(page) > 1 && (page[1] == '/' || isLetter(page[1])):
			var name string
			name, page = tag(page)
			w.tag(name)
			if unread[name] {
				page = rawEnd(page, name)
			}
		default:
			w.writeText("<")
			page = page[1:]
		}
	}
	return strings.TrimSpace(w.out.String())
}

// unread elements contain no text for people.
var unread = map[string]bool{"script": true, "style": true, "template": true, "noscript": true, "svg": true}

// blocks maps elements that begin and end on a new line to the number of line
// endings around them: 2 makes an empty line.
var blocks = map[string]int{
	"address": 1, "article": 2, "aside": 2, "blockquote": 2, "br": 1, "dd": 1, "div": 1, "dl": 2, "dt": 1, "figcaption": 1,
	"figure": 2, "footer": 2, "form": 2, "h1": 2, "h2": 2, "h3": 2, "h4": 2, "h5": 2, "h6": 2, "header": 2, "hr": 2, "li": 1,
	"main": 2, "nav": 2, "ol": 2, "option": 1, "p": 2, "pre": 2, "section": 2, "table": 2, "title": 2, "tr": 1, "ul": 2,
}

// tag removes a tag from the start of the page and returns its name in lower
// case, with a leading / for a closing tag.
func tag(page string) (name, rest string) {
	end := 1
	for end < len(page) && !strings.ContainsRune(" \t\r\n\f>", rune(page[end])) && (page[end] != '/' || end == 1) {
		end++
	}
	name = strings.ToLower(page[1:end])
	assigned := false // a quote counts only after =, and may contain >
	for i := end; i < len(page); i++ {
		switch c := page[i]; {
		case c == '>':
			return name, page[i+1:]
		case assigned && (c == '"' || c == '\''):
			size := strings.IndexByte(page[i+1:], c)
			if size < 0 {
				return name, ""
			}
			i += 1 + size
			assigned = false
		case c == '=':
			assigned = true
		case !isSpace(c):
			assigned = false
		}
	}
	return name, ""
}

// rawEnd returns the page after the closing tag of an element.
func rawEnd(page, name string) string {
	for {
		_, rest, found := strings.Cut(page, "</")
		if !found {
			return ""
		}
		if len(rest) >= len(name) && strings.EqualFold(rest[:len(name)], name) {
			return after(rest, ">")
		}
		page = rest
	}
}

func after(page, end string) string {
	_, rest, _ := strings.Cut(page, end)
	return rest
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' }

// htmlWriter collects text. Spaces and line endings are written only when text
// follows.
type htmlWriter struct {
	out   strings.Builder
	lines int  // pending line endings
	space bool // a space is pending
	item  bool // a list item's mark is pending
	pre   int  // depth of nested pre elements
}

func (w *htmlWriter) tag(name string) {
	plain, closes := strings.CutPrefix(name, "/")
	w.lines = max(w.lines, blocks[plain])
	switch {
	case plain == "pre" && closes:
		w.pre = max(0, w.pre-1)
	case plain == "pre":
		w.pre++
	case plain == "li":
		w.item = !closes
	case plain == "td" || plain == "th":
		w.space = true
	}
}

func (w *htmlWriter) writeText(s string) {
	if w.pre > 0 {
		if s != "" {
			w.flushPending()
			w.out.WriteString(html.UnescapeString(s))
		}
		return
	}
	for s != "" {
		size := strings.IndexAny(s, " \t\r\n\f")
		switch {
		case size == 0:
			w.space = true
			s = s[1:]
			continue
		case size < 0:
			size = len(s)
		}
		w.flushPending()
		w.out.WriteString(html.UnescapeString(s[:size]))
		s = s[size:]
	}
}

// flushPending writes the pending line endings, space and mark.
func (w *htmlWriter) flushPending() {
	switch {
	case w.out.Len() == 0:
	case w.lines > 0:
		w.out.WriteString(strings.Repeat("\n", w.lines))
	case w.space:
		w.out.WriteByte(' ')
	}
	if w.item {
		w.out.WriteString("- ")
	}
	w.lines, w.space, w.item = 0, false, false
}
