package edit

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// placeholders match lines that stand for text that a model left out.
var placeholders = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?i)\A\W*(\.{3}\s+|…\s*)\(?\s*(the\s+)?(rest|remaining|remainder|existing|unchanged|previous|other|same|keep)\b.{0,60}\z`),
		regexp.MustCompile(`(?i)\A\s*(//|#|/\*|<!--|--|\[|\(|;|%)\W*(the\s+)?(rest|remainder|remaining|existing)\b.{0,50}(unchanged|\.{3}|…)\W*\z`),
	}
})

// Placeholder returns an error if a new text contains a line such as
// "... rest unchanged ...", unless one of the known texts contains it, too.
func Placeholder(text string, known ...string) error {
	for i, line := range Lines(text) {
		line = strings.TrimSpace(line)
		if len(line) > 120 || !matchesAny(placeholders(), line) {
			continue
		}
		here := false
		for _, k := range known {
			here = here || strings.Contains(k, line)
		}
		if !here {
			return fmt.Errorf("line %d of the new text, %q, is a placeholder for omitted text; send the complete text, or change only the lines that differ", i+1, line)
		}
	}
	return nil
}

func matchesAny(patterns []*regexp.Regexp, line string) bool {
	for _, p := range patterns {
		if p.MatchString(line) {
			return true
		}
	}
	return false
}
