package chats

import (
	"strings"
	"unicode/utf8"
)

// Units returns the length of a text in UTF-16 units. A platform that counts
// characters counts no more than that. In UTF-8, a unit has at most three bytes.
func Units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// head returns the longest prefix of s with at most that many units. It never
// splits a character.
func head(s string, most int) string {
	n := 0
	for i, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
		if n > most {
			return s[:i]
		}
	}
	return s
}

// Tail returns the longest suffix of s that fits into that many units, with an
// ellipsis in front if something is left out.
func Tail(s string, most int) string {
	if Units(s) <= most {
		return s
	}
	n, from := 1, len(s) // 1 for the ellipsis
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:from])
		n++
		if r > 0xFFFF {
			n++
		}
		if n > most {
			break
		}
		from -= size
	}
	return "…" + s[from:]
}

// Split cuts Markdown into parts of at most that many units: between paragraphs
// if possible, else between lines, else between words. A code fence that is cut
// is closed in its part and reopened in the next.
func Split(text string, most int) []string {
	var parts []string
	fence := "" // the opening line of the current fence
	for {
		text = strings.Trim(text, "\n")
		if fence == "" && strings.TrimSpace(text) == "" {
			return parts
		}
		prefix := ""
		if fence != "" {
			prefix = fence + "\n"
		}
		if Units(prefix)+Units(text) <= most {
			return append(parts, prefix+text)
		}
		room := most - Units(prefix) - len("\n```")
		cut := cutAt(head(text, room), fence)
		part := text[:cut]
		fence = fenceAfter(part, fence)
		text = text[cut:]
		part = prefix + strings.TrimRight(part, "\n ")
		if fence != "" {
			part += "\n```"
		}
		parts = append(parts, part)
	}
}

// cutAt returns where to cut a piece of maximum length, at its end at the
// latest. It does not cut in the first half: a broken line is better than a
// nearly empty part.
func cutAt(piece, fence string) int {
	half := len(piece) / 2
	if i := strings.LastIndex(piece, "\n\n"); i > half && fenceAfter(piece[:i], fence) == "" {
		return i
	}
	if i := strings.LastIndexByte(piece, '\n'); i > half {
		return i
	}
	if i := strings.LastIndexByte(piece, ' '); i > half {
		return i
	}
	return len(piece)
}

// fenceAfter returns the opening line of the fence in which text ends, or "" if
// it ends outside of fences. fence is the one in which text begins.
func fenceAfter(text, fence string) string {
	for line := range strings.SplitSeq(text, "\n") {
		marks := strings.TrimSpace(line)
		if !strings.HasPrefix(marks, "```") {
			continue
		}
		if fence == "" {
			fence = marks
		} else if marks == "```" {
			fence = ""
		}
	}
	return fence
}
