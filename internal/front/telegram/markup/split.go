package markup

import (
	"strings"
	"unicode/utf8"
)

// MostUnits is how long a message may be, in UTF-16 units of what is shown.
// Telegram takes 4096; the rest is for a fence that is closed and for what is
// said below.
const MostUnits = 4000

// Units is the length of a text as Telegram counts it.
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

// head returns as much of a text as fits into so many units, whole characters.
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

// Tail returns the end of a text that fits into so many units, behind an
// ellipsis where something is left out.
func Tail(s string, most int) string {
	if Units(s) <= most {
		return s
	}
	n, from := 1, len(s) // the ellipsis
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

// Split cuts Markdown into parts that fit into messages: between paragraphs
// where it can, else between lines, else between words. A fence that is cut is
// closed in its part and opened again in the next.
func Split(text string, most int) []string {
	var parts []string
	fence := "" // the line that opened the one we are in
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

// cutAt is where a piece that is as long as it may be is cut, at the latest at
// its end. In the first half nothing is cut: a part that is nearly empty is worse
// than a line that is broken.
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

// fenceAfter returns the line that opened the fence in which a text ends, ""
// where it ends outside of any; fence is the one in which it begins.
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
