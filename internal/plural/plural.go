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
