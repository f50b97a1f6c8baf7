package fakemodel

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled on first use, because most
// runs of a program that contains the fake model do not use it.
type pattern struct {
	text     string
	compiled func() *regexp.Regexp
}

func newPattern(text string) pattern {
	return pattern{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

func (p pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

func (p pattern) String() string { return p.text }
