package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

// people matches verbs of people, which are wrong for a part of a program.
var people = regexp.MustCompile(`(?i)\b(tells?|told|telling|hears?|heard|says?|said|knows?|known|knew|asks?|asked|asking|wants?|wanted|looks?|looked|speaks?|spoke|heeds?|learns?|learnt|learned|believes?|remembers?|forgets?|forgot|forgotten)\b`)

// ruledOut matches the words of rule 9.
var ruledOut = regexp.MustCompile(`(?i)\b(who|whoever|nobody|somebody|everybody|whom|whose|besides|anew|shall|mends?|mended|beside|is none|are none|of its own|of their own|on record|house)\b`)

// allowedList contains correct uses: a regular expression and, after a tab, the reason.
//
//go:embed allowed.txt
var allowedList string

// verbsBefore and wordsBefore are the shares, in percent, that issue 18 recorded
// before the texts were rewritten.
const (
	verbsBefore = 24.8
	wordsBefore = 6.6
)

// printShares prints the share of comment blocks that contain verbs of people
// or words of rule 9: before the rewrite, now, and now without reviewed uses.
// The last line counts blocks with either.
func printShares(texts []text) error {
	allowed, err := readAllowed()
	if err != nil {
		return err
	}
	var blocks, verbs, words, either, verbsLeft, wordsLeft, eitherLeft int
	for _, t := range texts {
		if t.kind != comment {
			continue
		}
		blocks++
		rest := withoutAllowed(t.text, allowed)
		verbs += one(people.MatchString(t.text))
		words += one(ruledOut.MatchString(t.text))
		either += one(people.MatchString(t.text) || ruledOut.MatchString(t.text))
		verbsLeft += one(people.MatchString(rest))
		wordsLeft += one(ruledOut.MatchString(rest))
		eitherLeft += one(people.MatchString(rest) || ruledOut.MatchString(rest))
	}
	percent := func(n int) float64 { return 100 * float64(n) / float64(max(blocks, 1)) }
	fmt.Printf("comment blocks: %d; entries in the reviewed list: %d\n", blocks, len(allowed))
	const line = "%s  before %4.1f %%, now %4d (%.1f %%), outside the reviewed list %4d (%.1f %%)\n"
	fmt.Printf(line, "verbs of people:", verbsBefore, verbs, percent(verbs), verbsLeft, percent(verbsLeft))
	fmt.Printf(line, "words of rule 9:", wordsBefore, words, percent(words), wordsLeft, percent(wordsLeft))
	fmt.Printf("either:           now %4d (%.1f %%), outside the reviewed list %4d (%.1f %%)\n", either, percent(either), eitherLeft, percent(eitherLeft))
	return nil
}

// printRuledOut prints the texts below the path that count against the aims:
// comment blocks with a counted word, and test names without an underscore
// between subject, condition and expectation.
func printRuledOut(texts []text, path string) error {
	allowed, err := readAllowed()
	if err != nil {
		return err
	}
	for _, t := range texts {
		if !strings.HasPrefix(t.at, path) {
			continue
		}
		rest := withoutAllowed(t.text, allowed)
		switch {
		case t.kind == comment && (people.MatchString(rest) || ruledOut.MatchString(rest)):
			fmt.Printf("%s: %s\n", t.at, strings.Join(strings.Fields(t.text), " "))
		case t.kind == testName && t.name != "TestMain" && !strings.Contains(t.name, "_"):
			fmt.Printf("%s: %s\n", t.at, t.name)
		}
	}
	return nil
}

func withoutAllowed(words string, allowed []*regexp.Regexp) string {
	for _, a := range allowed {
		words = a.ReplaceAllString(words, "")
	}
	return words
}

func readAllowed() ([]*regexp.Regexp, error) {
	var all []*regexp.Regexp
	for line := range strings.Lines(allowedList) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		expression, reason, _ := strings.Cut(line, "\t")
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("allowed.txt: %q has no reason", line)
		}
		compiled, err := regexp.Compile(expression)
		if err != nil {
			return nil, fmt.Errorf("allowed.txt: %w", err)
		}
		all = append(all, compiled)
	}
	return all, nil
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
