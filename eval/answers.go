package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file contains everything that a scripted model understands of a tool's
// answer. The patterns are wide, so that the wording of a tool can change: they
// look for the facts that a retry needs (a name, a path, a line, a number) and
// for a few words that many tools use for the same thing.

// window is the number of bytes of one result that a scripted model can take. A
// longer result pushes the task out of its context.
const window = 100_000

// patience is the number of retries after a failed call.
const patience = 3

var (
	// refused matches the results of calls that failed.
	refused = regexp.MustCompile(`^(\[not started|\[refused|error:)|\[exit code \d+\]|\[ended after [^\]]*timeout`)
	// quoted matches a name in quotes of any kind.
	quoted = regexp.MustCompile("[\"'`]([\\w./-]+)[\"'`]")
	// listed matches a list of names after a colon or after a word like "use".
	listed = regexp.MustCompile(`(?i)(?:keys|fields|arguments|parameters|accepts?|accepted|expected|known|valid|allowed|use|tools?|mean)\b[^\n:,]{0,30}:?\s+((?:["'` + "`" + `]?\w+["'` + "`" + `]?(?:, | and | or |,? or ))+["'` + "`" + `]?\w+["'` + "`" + `]?)`)
	// missingKey matches the name of an argument that a call lacks, or that the answer advises to set.
	missingKey = regexp.MustCompile("(?i)[\"'`]?\\b(\\w+)[\"'`]? (?:is|are) (?:missing|required)|missing(?: the)?(?: key| field| argument)? [\"'`](\\w+)[\"'`]|\\bset [\"'`]?(\\w+)")
	// wantedType matches the name of an argument and the type that it needs.
	wantedType = regexp.MustCompile("(?i)\\b(\\w+)[\"'`]?,? (?:must be|has to be|should be|of type|needs|is not|expects)(?: of type)?(?: an?)? ?(integer|int|number|bool(?:ean)?|string|text)\\b")
	// fileName matches names of files, with their directories.
	fileName = regexp.MustCompile(`[\w./@~-]*[\w-]+\.[A-Za-z]{1,5}\b`)
	// unknownName matches the words with which a tool reports that a name is unknown.
	unknownName = regexp.MustCompile(`(?i)unknown|unexpected|unrecognized|not (?:a|an) (?:known|argument|valid)|no such (?:key|field|argument|tool)|does not (?:exist|accept)`)
	// newState matches the note that a command starts without the state of the one before.
	newState = regexp.MustCompile(`(?i)(?:each|every|next|later|another|following|new) (?:command|call)s?|does not (?:persist|carry|last|affect)|not kept|starts? (?:again|afresh|anew|in)|workdir`)
	// already matches the note that a file contains the new text.
	already = regexp.MustCompile(`(?i)already`)
	// same matches the note that two texts are equal.
	same = regexp.MustCompile(`(?i)\bsame\b|identical|no change|nothing to change`)
	// looping matches the note that a call repeats one that failed.
	looping = regexp.MustCompile(`(?i)(?:same|identical|repeated) (?:failing |failed )?(?:call|arguments)|(?:third|3rd|three|3) times?`)
	// repeats matches the note that an edit has several places.
	repeats = regexp.MustCompile(`(?i)more than once|\d+ (?:places|times|matches|occurrences)|not unique|several`)
	// empty matches the note that a file has no content.
	empty = regexp.MustCompile(`(?i)\bempty\b|\b0 (?:bytes|lines)\b|no content`)
	// lineCount matches the number of lines of a file.
	lineCount = regexp.MustCompile(`(?i)(?:has|of|only|total:?|contains) (\d+) lines?|(\d+) lines? (?:in total|long|in the file)`)
	// nextOffset matches the offset with which reading continues.
	nextOffset = regexp.MustCompile(`(?i)offset\W{0,3}(?:of |to |= ?)?(\d+)`)
	// malformed matches the note that the arguments are not valid JSON.
	malformed = regexp.MustCompile(`(?i)json`)
	// badSyntax matches the note that a file no longer parses.
	badSyntax = regexp.MustCompile(`(?i)syntax|unterminated|does not parse|invalid`)
	// outputFile matches the path of the file with a complete output.
	outputFile = regexp.MustCompile(`(/\S+\.(?:txt|log|out))\b`)
	// lineNumber matches the number, or the sign of a diff, before a line of a file.
	lineNumber = regexp.MustCompile(`^\s*(?:[-+>]\s?)?(?:(?:line )?\d+\s*(?:→|[:|] ?|\t))?`)
	// label matches the word before a line of a file, and echoed that before a line of the call.
	label  = regexp.MustCompile(`^\s*(?:the )?(?:file|actual|found|there|now)(?: has| line)?:[ ]*`)
	echoed = regexp.MustCompile(`^\s*(?:the |your )?(?:old|old text|yours?|expected|given|wanted|text)(?: has| line)?:`)
)

// failed reports whether a result is that of a failed call.
func failed(answer string) bool { return refused.MatchString(answer) }

// names returns the names in an answer that are quoted or part of a list.
func names(answer string) []string {
	var all []string
	for _, m := range quoted.FindAllStringSubmatch(answer, -1) {
		all = append(all, m[1])
	}
	for _, m := range listed.FindAllStringSubmatch(answer, -1) {
		all = append(all, regexp.MustCompile(`\w+`).FindAllString(m[1], -1)...)
	}
	return all
}

// named reports whether an answer contains a name as a word.
func named(answer, name string) bool {
	return regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(name) + `($|\W)`).MatchString(answer)
}

// keyFor returns the name in an answer that is meant by a wrong key: one that
// is a part of it. own are the keys of the call.
func keyFor(wrong, answer string, own object) string {
	for _, name := range names(answer) {
		if _, used := own[name]; !used && name != wrong && name != "or" && name != "and" && len(name) > 2 && strings.Contains(wrong, name) {
			return name
		}
	}
	return ""
}

// otherPath returns a file in an answer that is meant by a wrong path: one with
// a similar last name.
func otherPath(wrong, answer string) string {
	answer = strings.ReplaceAll(answer, wrong, "") // repeating the path suggests nothing
	lower := strings.ToLower(lastName(wrong))
	best, least := "", 3
	for _, path := range fileName.FindAllString(answer, -1) {
		if path == wrong || strings.HasPrefix(path, "/") {
			continue
		}
		if d := distance(strings.ToLower(lastName(path)), lower); d < least {
			best, least = path, d
		}
	}
	return best
}

func lastName(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// similarLine returns the line of an answer that is most similar to line, but
// differs from it, without what the tool shows before it.
func similarLine(line, answer string) string {
	best, least := "", len(strings.TrimSpace(line))/3+1
	for shown := range strings.Lines(answer) {
		for _, text := range candidates(strings.TrimRight(shown, "\n")) {
			d := distance(strings.TrimSpace(text), strings.TrimSpace(line))
			if d > 0 && d < least {
				best, least = text, d
			}
		}
	}
	return best
}

// candidates returns the texts that a line of an answer can show: the line
// without its number or label, and everything in quotes. A line of the call that
// the answer repeats does not count.
func candidates(shown string) []string {
	if echoed.MatchString(shown) {
		return nil
	}
	all := []string{lineNumber.ReplaceAllString(shown, "")}
	if label.MatchString(shown) { // blanks may be shown as signs
		all = []string{strings.NewReplacer("→", "\t", "·", " ").Replace(label.ReplaceAllString(shown, ""))}
	}
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(shown, -1) {
		all = append(all, m[1])
	}
	for _, m := range regexp.MustCompile(`"(?:[^"\\]|\\.)*"`).FindAllString(shown, -1) {
		if text, err := strconv.Unquote(m); err == nil {
			all = append(all, text)
		}
	}
	return all
}

// number returns the first number that a pattern captures, or 0.
func number(pattern *regexp.Regexp, answer string) int {
	m := pattern.FindStringSubmatch(answer)
	for _, digits := range m[min(1, len(m)):] {
		if n, err := strconv.Atoi(digits); err == nil {
			return n
		}
	}
	return 0
}

// distance is the number of single-character changes between two texts.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before := slices.Clone(row)
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, before[j+1]+1, before[j]+cost)
		}
	}
	return row[len(y)]
}
