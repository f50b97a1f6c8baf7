package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// figure matches a number in the output of bench, with its unit.
var figure = regexp.MustCompile(`\d[\d.]*(?:ns|µs|ms|h\d+m[\d.]+s|m[\d.]+s|s\b)?`)

// line is one line of the output in several runs.
type line struct {
	text    string     // with # for every figure, and single spaces: the columns move with the width of the figures
	figures [][]string // by position, one for each run
}

// lines returns the lines that have figures and occur once in every output.
func lines(outputs []string) (all []line) {
	index := map[string]int{}
	for _, output := range outputs {
		for text := range strings.Lines(output) {
			found := figure.FindAllString(text, -1)
			if len(found) == 0 {
				continue
			}
			key := strings.Join(strings.Fields(figure.ReplaceAllString(text, "#")), " ")
			at, is := index[key]
			if !is {
				at = len(all)
				index[key] = at
				all = append(all, line{key, make([][]string, len(found))})
			}
			for i, f := range found {
				all[at].figures[i] = append(all[at].figures[i], f)
			}
		}
	}
	return slices.DeleteFunc(all, func(l line) bool { return len(l.figures[0]) != len(outputs) })
}

// medians returns the line with the median of each figure.
func (l line) medians() string {
	text := l.text
	for _, values := range l.figures {
		text = strings.Replace(text, "#", median(values), 1)
	}
	return text
}

func median(values []string) string {
	sorted := slices.SortedFunc(slices.Values(values), func(a, b string) int { return cmp.Compare(value(a), value(b)) })
	return sorted[len(sorted)/2]
}

// value returns a duration in seconds, and other numbers as they are.
func value(figure string) float64 {
	if took, err := time.ParseDuration(figure); err == nil {
		return took.Seconds()
	}
	number, _ := strconv.ParseFloat(figure, 64)
	return number
}

// printBoth prints the lines that both sides have, and the ratio of the first
// figure that differs. The lines of one side, whose words have changed, follow.
func printBoth(out io.Writer, before, after []string) {
	older := map[string]line{}
	for _, l := range lines(before) {
		older[l.text] = l
	}
	var unmatched []line
	for _, now := range lines(after) {
		was, is := older[now.text]
		if !is {
			unmatched = append(unmatched, now)
			continue
		}
		delete(older, now.text)
		fmt.Fprintf(out, "before %s\nafter  %s%s\n", was.medians(), now.medians(), ratio(was, now))
	}
	for _, was := range lines(before) {
		if _, is := older[was.text]; is {
			fmt.Fprintf(out, "only before %s\n", was.medians())
		}
	}
	for _, now := range unmatched {
		fmt.Fprintf(out, "only after  %s\n", now.medians())
	}
}

func ratio(was, now line) string {
	for i := range now.figures {
		one, other := value(median(was.figures[i])), value(median(now.figures[i]))
		if one != other && one != 0 {
			return fmt.Sprintf("   x%.2f", other/one)
		}
	}
	return ""
}
