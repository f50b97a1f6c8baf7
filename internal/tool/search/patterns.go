package search

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// Patterns are alternatives, each split at its slashes.
type Patterns [][]string

// mostPatterns limits the number of alternatives that braces expand to.
const mostPatterns = 256

// ParsePatterns parses a pattern and expands its braces.
func ParsePatterns(pattern string) (Patterns, error) {
	if pattern == "" {
		return nil, errors.New("arguments: pattern is missing")
	}
	var all Patterns
	todo := []string{pattern}
	for len(todo) > 0 {
		p := todo[0]
		todo = todo[1:]
		if before, options, after, ok := braces(p); ok {
			for _, option := range options {
				todo = append(todo, before+option+after)
			}
			if len(todo)+len(all) > mostPatterns {
				return nil, errors.New("arguments: too many alternatives in braces")
			}
			continue
		}
		parts := strings.Split(path.Clean(p), "/")
		for _, part := range parts {
			if _, err := path.Match(part, ""); err != nil || part == "" || part == ".." {
				return nil, fmt.Errorf("arguments: %q is not a valid pattern for paths inside the directory", p)
			}
		}
		if parts[len(parts)-1] == "**" {
			parts = append(parts, "*") // everything inside, not the directory itself
		}
		all = append(all, parts)
	}
	return all, nil
}

// braces splits a pattern at its last {a,b}, which contains no other braces.
func braces(p string) (before string, options []string, after string, ok bool) {
	open := strings.LastIndexByte(p, '{')
	if open < 0 {
		return "", nil, "", false
	}
	size := strings.IndexByte(p[open:], '}')
	if size < 0 {
		return "", nil, "", false
	}
	return p[:open], strings.Split(p[open+1:open+size], ","), p[open+size+1:], true
}

// Match reports whether a path, split into its names, matches.
func (all Patterns) Match(names []string) bool {
	for _, p := range all {
		if matchParts(p, names) {
			return true
		}
	}
	return false
}

// Named reports whether a path with the given last name can match.
func (all Patterns) Named(name string) bool {
	for _, p := range all {
		if matchName(p[len(p)-1], name) {
			return true
		}
	}
	return false
}

// matchParts backtracks only to the last **, so its time is bounded by the
// product of the lengths.
func matchParts(parts, names []string) bool {
	p, n, star, mark := 0, 0, -1, 0
	for n < len(names) {
		switch {
		case p < len(parts) && parts[p] == "**":
			star, mark = p, n
			p++
		case p < len(parts) && matchName(parts[p], names[n]):
			p, n = p+1, n+1
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	return p == len(parts)
}

// Reach reports whether something below a directory can match.
func (all Patterns) Reach(names []string) bool {
	for _, p := range all {
		if reachParts(p, names) {
			return true
		}
	}
	return false
}

func reachParts(parts, names []string) bool {
	for i, name := range names {
		switch {
		case parts[i] == "**":
			return true
		case i+1 == len(parts) || !matchName(parts[i], name):
			return false
		}
	}
	return true
}

func matchName(part, name string) bool {
	ok, err := path.Match(part, name)
	return err == nil && ok
}
