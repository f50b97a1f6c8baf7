package fakemodel

import (
	"fmt"
	"slices"
	"time"
)

// script is the parsed set of markers for one step.
type script struct {
	rest     string // the text around the markers
	plain    bool   // there are no markers
	segments []segment
	thoughts int
	calls    []toolCall
	then     []script
	statuses []statusRule
	usage    usageRule

	slowPace  time.Duration // for [slow] and [think] without a pace
	thinkPace time.Duration // -1 for the pace of the first [slow]
	argsPace  time.Duration

	hangs             bool // before headers
	hangsAfterHeaders bool
	end               ending
	after             int // words or fragments before an irregular end
	bytes             int // limit of the body, -1 for no limit
	hangsAfterBytes   bool
	outOfTokens       bool
	refused           bool
}

// segment is a part of the answer's text with a pace.
type segment struct {
	pieces []string
	pace   time.Duration
}

type toolCall struct{ name, args string }

// ending is how a reply ends once it has begun.
type ending int

const (
	endProperly ending = iota
	endHang
	endCut
	endCutClean
)

// statusRule is one [status] marker.
type statusRule struct {
	code  int
	retry int // seconds, -1 to omit the header
	times int // 0 for always
}

func newScript(pace time.Duration) script {
	return script{slowPace: pace, thinkPace: -1, bytes: -1}
}

// parseScript parses the script in a prompt. pace applies to markers without
// one.
func parseScript(prompt string, pace time.Duration) (script, error) {
	s := scanner{text: prompt}
	markers, rest, err := s.scan(false)
	if err != nil {
		return script{}, err
	}
	sc, err := compile(afterReset(markers), pace)
	sc.rest, sc.plain = rest, len(markers) == 0
	return sc, err
}

// afterReset returns the markers after the last [reset].
func afterReset(markers []marker) []marker {
	for i, m := range slices.Backward(markers) {
		if m.name == "reset" {
			return markers[i:]
		}
	}
	return markers
}

func compile(markers []marker, pace time.Duration) (script, error) {
	sc := newScript(pace)
	for _, m := range markers {
		if err := action(m.name)(&sc, m); err != nil {
			return script{}, fmt.Errorf("marker [%s %s]: %w", m.name, m.text, err)
		}
	}
	return sc, nil
}

// at returns the script of one step: the prompt's script for step 0, then those
// of its [then] markers, then an empty one.
func (s script) at(step int) script {
	steps := s.steps()
	if step < len(steps) {
		sc := steps[step]
		sc.usage = sc.usage.or(s.usage)
		return sc
	}
	sc := newScript(s.slowPace)
	sc.usage = s.usage
	return sc
}

func (s script) steps() []script {
	all := []script{s}
	for _, next := range s.then {
		all = append(all, next.steps()...)
	}
	return all
}

// or returns r, or the prompt's rule if the step has no usage markers.
func (r usageRule) or(prompt usageRule) usageRule {
	if r == (usageRule{}) {
		return prompt
	}
	return r
}

func (s script) reason() finishReason {
	switch {
	case s.outOfTokens:
		return finishLength
	case s.refused:
		return finishRefused
	case len(s.calls) > 0:
		return finishTools
	default:
		return finishStop
	}
}

// statusDue returns the error status for this request, or nil.
func (s script) statusDue(j *journal, t turn) *statusRule {
	if len(s.statuses) == 0 {
		return nil
	}
	before := j.attempt(t.prompt, t.step)
	for i := range s.statuses {
		rule := &s.statuses[i]
		if rule.times == 0 || before < rule.times {
			return rule
		}
		before -= rule.times
	}
	return nil
}
