// Package plural counts things in words.
package plural

import (
	"fmt"
	"strings"
)

// Count returns a number and a noun in the form for this number: "1 turn", "2
// turns", "3 processes". It adds "s" or "es" and has no irregular nouns.
func Count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "sh"), strings.HasSuffix(noun, "ch"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Dollars formats billionths of a dollar: with two decimals from one dollar on,
// with four or six below.
func Dollars(billionths int64) string {
	const dollar = 1e9
	switch v := float64(billionths) / dollar; {
	case billionths == 0:
		return "$0"
	case v < 0.01:
		return fmt.Sprintf("$%.6f", v)
	case v < 1:
		return fmt.Sprintf("$%.4f", v)
	default:
		return fmt.Sprintf("$%.2f", v)
	}
}
