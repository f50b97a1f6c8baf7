package main

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// slugs gives headings the same addresses as the code host, so that a link works in both places.
type slugs struct{ taken map[string]bool }

// Generate implements parser.IDs.
func (s *slugs) Generate(value []byte, _ ast.NodeKind) []byte {
	first := slug(string(value))
	name := first
	for n := 1; s.taken[name]; n++ {
		name = first + "-" + strconv.Itoa(n)
	}
	s.taken[name] = true
	return []byte(name)
}

// Put implements parser.IDs.
func (s *slugs) Put(value []byte) { s.taken[string(value)] = true }

func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.TrimSpace(heading))
}
