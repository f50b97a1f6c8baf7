package fakemodel

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

func (s *script) markSlow(m marker) error {
	n, pace, err := countAndPace(m, s.slowPace)
	s.segments = append(s.segments, segment{pieces: numbered("word", n), pace: pace})
	return err
}

func (s *script) markFast(m marker) error {
	n, err := parseCount(strings.TrimSpace(m.text))
	s.segments = append(s.segments, segment{pieces: numbered("word", n)})
	return err
}

func (s *script) markText(m marker) error {
	s.segments = append(s.segments, segment{pieces: splitWords(m.text)})
	return nil
}

func (s *script) markThink(m marker) (err error) {
	s.thoughts, s.thinkPace, err = countAndPace(m, -1)
	return err
}

func (s *script) markTool(m marker) error {
	name, args, _ := strings.Cut(m.text, "{")
	if args == "" {
		args = "}"
	}
	return s.addCall(name, "{"+strings.TrimSpace(args))
}

// markBadArgs cuts the arguments inside a string, where a model that runs out
// of tokens usually stops.
func (s *script) markBadArgs(m marker) error {
	return s.addCall(m.text, `{"command": "ls -l`)
}

func (s *script) addCall(name, args string) error {
	name = strings.TrimSpace(name)
	if !toolName.MatchString(name) {
		return fmt.Errorf("%q is not a tool name", name)
	}
	s.calls = append(s.calls, toolCall{name: name, args: args})
	return nil
}

func (s *script) markSlowArgs(m marker) (err error) {
	s.argsPace, err = parsePace(strings.TrimSpace(m.text))
	return err
}

func (s *script) markThen(m marker) error {
	next, err := compile(m.inner, s.slowPace)
	s.then = append(s.then, next)
	return err
}

func (s *script) markStatus(m marker) error {
	words := m.words()
	if len(words)%2 == 0 {
		return errors.New("needs a status code, then optionally retry and times, each with a number")
	}
	rule := statusRule{retry: -1}
	var err error
	if rule.code, err = strconv.Atoi(words[0]); err != nil || rule.code < 400 || rule.code > 599 {
		return fmt.Errorf("%q is not an error status", words[0])
	}
	for i := 1; i < len(words); i += 2 {
		n, err := parseCount(words[i+1])
		switch {
		case err != nil:
			return err
		case words[i] == "retry":
			rule.retry = n
		case words[i] == "times" && n > 0:
			rule.times = n
		default:
			return fmt.Errorf("unknown option %q %d", words[i], n)
		}
	}
	s.statuses = append(s.statuses, rule)
	return nil
}

func (s *script) markEnding(m marker) (err error) {
	words := m.words()
	if m.name == "hang" && len(words) == 0 {
		s.hangs = true
		return nil
	}
	if len(words) != 2 || words[0] != "after" {
		return errors.New("needs the word after and a number")
	}
	if s.end != endProperly {
		return errors.New("the reply already has another ending")
	}
	s.end = map[string]ending{"hang": endHang, "cut": endCut, "cutclean": endCutClean}[m.name]
	s.after, err = parseCount(words[1])
	return err
}

func (s *script) markBytes(m marker) (err error) {
	words := m.words()
	if len(words) != 2 || words[0] != "cut" && words[0] != "hang" {
		return errors.New("needs cut or hang, and a number")
	}
	s.hangsAfterBytes = words[0] == "hang"
	s.bytes, err = parseCount(words[1])
	return err
}

func (s *script) markUsage(m marker) (err error) {
	s.usage.fixed = true
	s.usage.in, s.usage.out, err = twoCounts(m)
	return err
}

func (s *script) markCache(m marker) (err error) {
	s.usage.cacheRead, s.usage.cacheWrite, err = twoCounts(m)
	return err
}

func twoCounts(m marker) (int, int, error) {
	words := m.words()
	if len(words) != 2 {
		return 0, 0, errors.New("needs two numbers")
	}
	a, errA := parseCount(words[0])
	b, errB := parseCount(words[1])
	return a, b, errors.Join(errA, errB)
}

// markPlain handles the markers without arguments.
func (s *script) markPlain(m marker) error {
	if m.text != "" {
		return errors.New("takes no arguments")
	}
	switch m.name {
	case "hangheaders":
		s.hangsAfterHeaders = true
	case "nousage":
		s.usage.off = true
	case "runningusage":
		s.usage.running = true
	case "length":
		s.outOfTokens = true
	case "refuse":
		s.refused = true
	}
	return nil
}

func countAndPace(m marker, otherwise time.Duration) (int, time.Duration, error) {
	words := m.words()
	if len(words) != 1 && len(words) != 2 {
		return 0, 0, errors.New("needs a number and, optionally, a pause")
	}
	n, err := parseCount(words[0])
	if err != nil || len(words) == 1 {
		return n, otherwise, err
	}
	pace, err := parsePace(words[1])
	return n, pace, err
}
