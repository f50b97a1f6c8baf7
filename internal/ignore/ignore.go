// Package ignore decides which files git ignores. It implements the patterns of
// gitignore files and their precedence, and reads no files itself.
package ignore

import "strings"

// Rules are the patterns of one file. Later patterns take precedence.
type Rules []rule

type rule struct {
	negated bool
	dirs    bool // matches only directories

	// Exactly one of these is set. A pattern without a slash is compared with
	// the last name of a path, any other pattern with the whole path.
	literal string
	suffix  string // of the last name; the pattern was * and this
	name    string
	parts   []string
}

// Parse returns the rules in the text of a gitignore file.
func Parse(text string) Rules {
	var rules Rules
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\uFEFF"), "\n") {
		if r, ok := parseRule(strings.TrimSuffix(line, "\r")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseRule(line string) (r rule, ok bool) {
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	line = trimBlanks(line)
	line, r.negated = strings.CutPrefix(line, "!")
	line, r.dirs = strings.CutSuffix(line, "/")
	switch {
	case line == "":
		return r, false
	case strings.Contains(line, "/"):
		r.parts = split(strings.TrimPrefix(line, "/"))
	case !strings.ContainsAny(line, `*?[\`):
		r.literal = line
	case line[0] == '*' && line != "*" && !strings.ContainsAny(line[1:], `*?[\`):
		r.suffix = line[1:]
	default:
		r.name = line
	}
	return r, true
}

// trimBlanks removes blanks at the end, unless a backslash precedes them.
func trimBlanks(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			i++
			end = i + 1
		case line[i] != ' ':
			end = i + 1
		}
	}
	return line[:end]
}

// split splits a pattern at its slashes, except those in brackets. A final **
// matches everything inside a directory, but not the directory itself.
func split(pattern string) []string {
	var parts []string
	start := 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			if _, size := bracket(pattern[i:], 0); size > 0 {
				i += size - 1
			}
		case '/':
			parts = append(parts, pattern[start:i])
			start = i + 1
		}
	}
	parts = append(parts, pattern[start:])
	if anyDirs(parts[len(parts)-1]) {
		parts = append(parts, "*")
	}
	return parts
}

// anyDirs reports whether a part of a pattern matches any number of
// directories.
func anyDirs(part string) bool { return len(part) > 1 && strings.Trim(part, "*") == "" }

// Match reports whether a rule matches a path, and whether that rule ignores
// it. The path has slashes and is relative to the directory of the rules.
func (rules Rules) Match(path string, dir bool) (ignored, matched bool) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(rules) - 1; i >= 0; i-- {
		if r := &rules[i]; (dir || !r.dirs) && r.match(path, name) {
			return !r.negated, true
		}
	}
	return false, false
}

func (r *rule) match(path, name string) bool {
	switch {
	case r.literal != "":
		return name == r.literal
	case r.suffix != "":
		return strings.HasSuffix(name, r.suffix)
	case r.name != "":
		return matchName(r.name, name)
	}
	return matchParts(r.parts, path)
}

// Chain contains the rules that apply in a directory: its own, then those of
// the directories above it, then those of the repository and of the user. The
// nearest file with a matching rule decides. The nil chain ignores nothing.
type Chain struct {
	outer *Chain
	base  int // length of the directory's path, with a final slash
	rules Rules
}

// With returns a chain that has the rules of a directory before those of c. The
// path of the directory is relative to the topmost directory with rules, and
// "" for that directory itself.
func (c *Chain) With(dir string, rules Rules) *Chain {
	if len(rules) == 0 {
		return c
	}
	base := 0
	if dir != "" {
		base = len(dir) + 1
	}
	return &Chain{outer: c, base: base, rules: rules}
}

// Ignores reports whether a path is ignored. The path has slashes, is relative
// to the topmost directory with rules, and is inside the directory of the
// chain. A path inside an ignored directory is ignored as well; the caller must
// skip such directories.
func (c *Chain) Ignores(path string, dir bool) bool {
	for ; c != nil; c = c.outer {
		if ignored, matched := c.rules.Match(path[c.base:], dir); matched {
			return ignored
		}
	}
	return false
}
