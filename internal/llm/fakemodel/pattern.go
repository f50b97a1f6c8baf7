package fakemodel

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first needed: the
// program that has this model in it starts more often than it uses it.
type pattern struct {
	text     string
	compiled func() *regexp.Regexp
}

func newPattern(text string) pattern {
	return pattern{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

func (p pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

func (p pattern) String() string { return p.text }
