package edit

import (
	"errors"
	"strings"
)

const byteOrderMark = "\uFEFF"

// normalizations lists the accepted differences between old text and file, in
// the order in which they are tried. note completes the sentence "matched by …".
var normalizations = []struct {
	note string
	find func(text string, e Edit) ([]span, error)
}{
	{"removing the byte order mark from old", withoutMark},
	{"ignoring the line end at the end of old", atEnd},
	{"removing the line numbers from old", withoutNumbers},
	{"ignoring blanks at the ends of lines", inView(blanksAtEnds)},
	{"adjusting the indentation of old and new to the file", indented},
	{"treating typographic quotes, dashes and spaces as plain ones", inView(typography)},
	{`reading \n, \t and \" in old as escapes`, unescaped},
}

// withoutMark removes a byte order mark that the file does not have.
func withoutMark(text string, e Edit) ([]span, error) {
	before, marked := strings.CutPrefix(e.Old, byteOrderMark)
	if !marked || before == "" {
		return nil, nil
	}
	return exactSpans(text, before, strings.TrimPrefix(e.New, byteOrderMark)), nil
}

// atEnd matches old text with a final line end at the end of a file that has
// none.
func atEnd(text string, e Edit) ([]span, error) {
	before, after := lineEnds(text, e.Old, e.New)
	before, ended := strings.CutSuffix(before, "\n")
	before = strings.TrimSuffix(before, "\r")
	if !ended || before == "" || !strings.HasSuffix(text, before) {
		return nil, nil
	}
	start := len(text) - len(before)
	return []span{{start, len(text), strings.TrimSuffix(strings.TrimSuffix(after, "\n"), "\r")}}, nil
}

// withoutNumbers removes the line numbers that read_file puts before each line.
func withoutNumbers(text string, e Edit) ([]span, error) {
	before, numbered := cutNumbers(e.Old)
	if !numbered || before == "" {
		return nil, nil
	}
	after := e.New
	if plain, numbered := cutNumbers(e.New); numbered {
		after = plain
	}
	if found := exactSpans(text, before, after); len(found) > 0 {
		return found, nil
	}
	return inView(blanksAtEnds)(text, Edit{Old: before, New: after})
}

// errEscapes is returned for old text that matches only after unescaping, if it
// is unclear whether the new text must be unescaped as well.
var errEscapes = errors.New(`the old text matches only if escapes such as \n in it are read as line ends, and the new text contains such escapes, too; send both with real line ends and quotes`)

// unescaped removes one level of escaping from the old text. The new text is
// never unescaped: an escape in it may be meant for the program in the file.
func unescaped(text string, e Edit) ([]span, error) {
	escapes := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\"`, `"`, `\'`, `'`, "\\`", "`")
	before := escapes.Replace(e.Old)
	if before == e.Old || before == "" {
		return nil, nil
	}
	found := exactSpans(text, before, e.New)
	if len(found) == 1 && escapes.Replace(e.New) != e.New {
		return nil, errEscapes
	}
	return found, nil
}

// exactSpans returns the places of a text with the line ends of the file.
func exactSpans(text, before, after string) []span {
	before, after = lineEnds(text, before, after)
	var found []span
	for _, at := range occurrences(text, before) {
		found = append(found, span{at, at + len(before), after})
	}
	return found
}
