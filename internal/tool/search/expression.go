package search

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// Expression is a regular expression for lines, and two tests that are faster
// and never miss a match.
type Expression struct {
	re *regexp.Regexp
	// lines matches a text of several lines if re matches one of them, unless a
	// line ends in CRLF; nil if there is no such expression.
	lines *regexp.Regexp
	// literal is contained in every match; "" if nothing is. If folded is set, it
	// has lower case letters, and a match may have upper case ones.
	literal string
	folded  bool
	lower   []byte // a buffer
	Note    string // reports that another pattern than the call's is used, or ""
}

// Compile compiles a pattern. Text that is no expression in any common
// syntax, such as foo(, is searched literally.
func Compile(pattern string, ignoreCase bool) (Expression, error) {
	e, err := compile(pattern, ignoreCase)
	switch {
	case err == nil:
		return e, nil
	case unsupported(pattern):
		return e, fmt.Errorf("arguments: %w; the syntax is RE2, which has no look-around and no backreferences: search for a simpler pattern and read the matches", err)
	}
	note := fmt.Sprintf("[not a regular expression: %v; searched for the literal text %s]\n", err, workspace.Shown(pattern))
	if e, err = compile(regexp.QuoteMeta(pattern), ignoreCase); err != nil {
		return e, fmt.Errorf("arguments: %w", err)
	}
	e.Note = note
	return e, nil
}

// unsupported reports whether a pattern is one of Perl's that RE2 lacks.
func unsupported(pattern string) bool {
	for _, part := range []string{"(?=", "(?!", "(?<", "(?>", `\1`, `\2`, `\3`} {
		if strings.Contains(pattern, part) {
			return true
		}
	}
	return false
}

// Alternation returns the expression in which \| is an alternation, as in the
// basic expressions of grep.
func Alternation(pattern string, ignoreCase bool) (Expression, bool) {
	other := strings.ReplaceAll(pattern, `\|`, "|")
	if other == pattern {
		return Expression{}, false
	}
	e, err := compile(other, ignoreCase)
	e.Note = fmt.Sprintf("[nothing contains a literal |; these match %s, where | separates alternatives]\n", workspace.Shown(other))
	return e, err == nil
}

func compile(pattern string, ignoreCase bool) (e Expression, err error) {
	line, several := pattern, "(?m:"+pattern+")"
	if ignoreCase {
		line, several = "(?i)"+pattern, "(?mi:"+pattern+")"
	}
	if e.re, err = regexp.Compile(line); err != nil {
		return e, err
	}
	tree, err := syntax.Parse(several, syntax.Perl)
	if err != nil { // an expression such as a)(b is complete, but not in a group
		return e, nil //nolint:nilerr // it is searched without the faster tests
	}
	if e.literal = required(tree, 0); e.literal == "" {
		e.literal, e.folded = required(tree, syntax.FoldCase), true
	}
	if !ofText(tree) {
		e.lines, err = regexp.Compile(several)
	}
	return e, err
}

// ofText reports whether an expression refers to the beginning or the end of
// the text, which is another one for several lines.
func ofText(re *syntax.Regexp) bool {
	if re.Op == syntax.OpBeginText || re.Op == syntax.OpEndText {
		return true
	}
	for _, sub := range re.Sub {
		if ofText(sub) {
			return true
		}
	}
	return false
}

// required returns the longest text that it finds in every match, among the
// literals that ignore case if fold is set, and among the others if not.
func required(re *syntax.Regexp, fold syntax.Flags) string {
	switch re.Op { //nolint:exhaustive // other operations may match without a text
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == fold {
			return longest(strings.FieldsFunc(string(re.Rune), func(r rune) bool {
				return r == utf8.RuneError || fold != 0 && (r >= utf8.RuneSelf || strings.ContainsRune("KkSs", r))
			}))
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0], fold)
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0], fold)
		}
	case syntax.OpConcat:
		var all []string
		for _, sub := range re.Sub {
			all = append(all, required(sub, fold))
		}
		return longest(all)
	}
	return ""
}

func longest(all []string) string {
	found := ""
	for _, text := range all {
		if len(text) > len(found) {
			found = text
		}
	}
	return found
}

// missing reports whether data lacks the literal, so that nothing matches. The
// letters K and S also have forms outside ASCII, and are never in a folded
// literal.
func (e *Expression) missing(data []byte) bool {
	if e.literal == "" {
		return false
	}
	if !e.folded {
		return !bytes.Contains(data, []byte(e.literal))
	}
	e.lower = append(e.lower[:0], data...)
	for i, b := range e.lower {
		if 'A' <= b && b <= 'Z' {
			e.lower[i] = b | 0x20
		}
	}
	return !bytes.Contains(e.lower, []byte(strings.ToLower(e.literal)))
}
