package line

import (
	"slices"
	"strings"
	"unicode"
)

// answerWords are the texts that are probably answers to a question. The page
// has the same list, and a test compares them.
var answerWords = []string{
	"y", "yes", "yep", "yeah", "yup", "ok", "okay", "sure", "accept", "approve", "approved",
	"a", "always", "s", "session", "once", "allow", "allow once", "allow always", "always allow", "allow for this session",
	"n", "no", "nope", "never", "reject", "deny", "decline",
}

// LooksLikeAnswer reports whether a text is probably meant as the answer to a
// question, such as "y", "YES!" or "nnn". While a question is open, such a text
// must not become a prompt: a model takes a lone "y" as permission to continue.
func LooksLikeAnswer(text string) bool {
	text = strings.ToLower(strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }))
	if text != "" && strings.Trim(text, text[:1]) == "" { // a key that was held down
		text = text[:1]
	}
	return slices.Contains(answerWords, strings.Join(strings.Fields(text), " "))
}
