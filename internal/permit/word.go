package permit

import (
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// word returns a word without its quotes, and whether every shell evaluates it
// the same way. The only expansions allowed for that are of file names
// (unquoted * and ?) and of the home directory (a ~ at the beginning); expands
// replaces them in the result.
func word(w *syntax.Word) (string, bool) {
	var out strings.Builder
	known := true
	for i, part := range w.Parts {
		switch x := part.(type) {
		case *syntax.Lit:
			text, ok := unquoted(x.Value, i == 0, len(w.Parts) == 1)
			out.WriteString(text)
			known = known && ok
		case *syntax.SglQuoted:
			out.WriteString(x.Value)
			known = known && !x.Dollar
		case *syntax.DblQuoted:
			text, ok := doubleQuoted(x)
			out.WriteString(text)
			known = known && ok
		default:
			known = false
		}
	}
	return out.String(), known
}

// ambiguousBraces matches text that bash may expand to several words, and
// {name}, which assigns a variable in bash when it precedes a redirection.
var ambiguousBraces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{.*(,|\.\.)|[{,].*\}\z|\A\{[A-Za-z_]\w*\}\z`) })

// unquoted decodes an unquoted part of a word, and reports whether every shell
// evaluates it the same way. For characters outside ASCII it reports false: in
// some locales some of their bytes are blanks.
func unquoted(text string, first, only bool) (string, bool) {
	if only && (text == "[" || text == "]" || text == "{}") {
		return text, true
	}
	known := !ambiguousBraces().MatchString(text) || numbered().MatchString(text)
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i++; i == len(text) || text[i] == '\n' {
				return out.String(), false
			}
			out.WriteByte(text[i])
			known = known && text[i] < 0x80
		case c == '*' || c == '?':
			out.WriteString(expands)
		case c == '~' && i == 0 && first:
			out.WriteString(expands)
			known = known && (only && len(text) == 1 || strings.HasPrefix(text, "~/"))
		case c == '~':
			out.WriteByte(c)
			known = known && i > 0 && text[i-1] != '=' && text[i-1] != ':'
		case c == '[' || c == '$' || c == '`' || c >= 0x80:
			known = false
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), known
}

// numbered matches git's stash@{0}, which no shell expands.
var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[\w./-]+@\{\d+\}\z`) })

// doubleQuoted decodes the text between double quotes, and reports whether
// every shell evaluates it the same way. For text that contains both a
// backslash and characters outside ASCII it reports false: in some locales a
// backslash is the second half of such a character.
func doubleQuoted(q *syntax.DblQuoted) (string, bool) {
	var out strings.Builder
	known := !q.Dollar
	escaped, foreign := false, false
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return out.String(), false
		}
		for i := 0; i < len(lit.Value); i++ {
			c := lit.Value[i]
			switch c {
			case '\\':
				escaped = true
				if i+1 < len(lit.Value) && strings.IndexByte("$`\"\\", lit.Value[i+1]) >= 0 {
					i++
					c = lit.Value[i]
				}
			case '$', '`':
				known = false
			}
			foreign = foreign || c >= 0x80
			out.WriteByte(c)
		}
	}
	return out.String(), known && (!escaped || !foreign)
}

// looseWord returns a word for deny rules, with "…" for computed parts.
func looseWord(w *syntax.Word) string {
	var out strings.Builder
	var add func([]syntax.WordPart)
	add = func(wordParts []syntax.WordPart) {
		for _, part := range wordParts {
			switch x := part.(type) {
			case *syntax.Lit:
				out.WriteString(strings.ReplaceAll(x.Value, `\`, ""))
			case *syntax.SglQuoted:
				out.WriteString(x.Value)
			case *syntax.DblQuoted:
				add(x.Parts)
			default:
				out.WriteString("…")
			}
		}
	}
	add(w.Parts)
	return out.String()
}
