package edit

import "strings"

// graft returns the new text for a part of a file that equals the old text
// after normalization. Lines and ends of lines that old and new share keep the
// bytes of the file; new lines get the line end.
func graft(part, before, after, lineEnd string, plain func(rune) rune) string {
	there, old, replaced := Lines(part), Lines(before), Lines(after)
	if len(there) != len(old) { // cannot happen: a line end never matches anything else
		return after
	}
	var out strings.Builder
	for _, p := range align(old, replaced) {
		switch {
		case p.new < 0: // removed
		case p.old < 0:
			out.WriteString(withEnd(replaced[p.new], lineEnd))
		case bare(old[p.old]) == bare(replaced[p.new]) && (endOf(replaced[p.new]) == "") == (endOf(there[p.old]) == ""):
			out.WriteString(there[p.old])
		default:
			end := ""
			if endOf(replaced[p.new]) != "" {
				if end = endOf(there[p.old]); end == "" {
					end = lineEnd
				}
			}
			out.WriteString(graftLine(bare(there[p.old]), bare(old[p.old]), bare(replaced[p.new]), plain) + end)
		}
	}
	return out.String()
}

func withEnd(line, lineEnd string) string {
	if endOf(line) == "" {
		return line
	}
	return bare(line) + lineEnd
}

// graftLine replaces only the part of a line that differs between old and new.
func graftLine(there, before, after string, plain func(rune) rune) string {
	line, old, replaced := []rune(there), []rune(strings.TrimRight(before, " \t")), []rune(after)
	if len(line) < len(old) { // cannot happen: normalization keeps the number of runes
		return after
	}
	line = line[:len(old)] // blanks at the end of a changed line are dropped
	for i, r := range line {
		if plain(r) != plain(old[i]) {
			return after
		}
	}
	most := min(len(old), len(replaced))
	head := 0
	for head < most && old[head] == replaced[head] {
		head++
	}
	tail := 0
	for tail < most-head && old[len(old)-1-tail] == replaced[len(replaced)-1-tail] {
		tail++
	}
	return string(line[:head]) + string(replaced[head:len(replaced)-tail]) + string(line[len(line)-tail:])
}

// linePair is a line of the old and a line of the new text; -1 stands for no
// line.
type linePair struct{ old, new int }

// align pairs the lines of two texts: equal lines with each other, and the
// lines between them in order.
func align(old, replaced []string) []linePair {
	var out []linePair
	o, r := 0, 0
	flush := func(toOld, toNew int) {
		for o < toOld || r < toNew {
			p := linePair{-1, -1}
			if o < toOld {
				p.old = o
				o++
			}
			if r < toNew {
				p.new = r
				r++
			}
			out = append(out, p)
		}
	}
	for _, h := range diffLines(old, replaced) {
		for o < h.oldAt {
			out = append(out, linePair{o, r})
			o, r = o+1, r+1
		}
		flush(h.oldAt+h.removed, h.newAt+h.added)
	}
	flush(len(old), len(replaced))
	return out
}
