package line

import (
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
)

// Reply is what a person says to a question, in one letter.
type Reply rune

// The replies. Always and ForSession are meant for exactly what was asked.
const (
	Yes        Reply = 'y'
	Always     Reply = 'a'
	ForSession Reply = 's'
	No         Reply = 'n'
)

// The names that our own agent gives its choices, and the sorts of choices that
// all agents have.
var (
	names = map[Reply]string{Yes: "allow", Always: "allow_always", ForSession: "allow_session", No: "reject"}
	sorts = map[Reply][]string{
		Yes:        {"allow_once"},
		Always:     {"allow_always", "allow_once"},
		ForSession: {"allow_always", "allow_once"},
		No:         {"reject_once", "reject_always"},
	}
)

// Choose returns the choice that a reply means: our own agent's by name, another
// one's by sort, where only one is of that sort. A reply never means more than
// was said: where nothing fits it means no.
func Choose(q bellcord.Question, r Reply) string {
	if slices.ContainsFunc(q.Choices, func(c bellcord.Choice) bool { return c.ID == names[r] }) {
		return names[r]
	}
	for _, sort := range sorts[r] {
		var fit []bellcord.Choice
		for _, c := range q.Choices {
			if c.Kind == sort {
				fit = append(fit, c)
			}
		}
		if len(fit) == 1 || len(fit) > 1 && r == No {
			return fit[0].ID
		}
	}
	if len(q.Choices) == 0 {
		return names[r]
	}
	return names[No]
}

// ParseReply reads a person's word; what is not understood means no.
func ParseReply(said string) Reply {
	switch strings.ToLower(strings.TrimSpace(said)) {
	case "y", "yes":
		return Yes
	case "a", "always":
		return Always
	}
	return No
}
