package line

import (
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
)

// Reply is a user's reply to a question, as a letter.
type Reply rune

// The replies. Always and ForSession allow only exactly the call in question.
const (
	Yes        Reply = 'y'
	Always     Reply = 'a'
	ForSession Reply = 's'
	No         Reply = 'n'
)

// The choice ids of the built-in agent, and the choice kinds of all agents.
var (
	names = map[Reply]string{Yes: "allow", Always: "allow_always", ForSession: "allow_session", No: "reject"}
	sorts = map[Reply][]string{
		Yes:        {"allow_once"},
		Always:     {"allow_always", "allow_once"},
		ForSession: {"allow_always", "allow_once"},
		No:         {"reject_once", "reject_always"},
	}
)

// Choose returns the choice that a reply selects: the one with the id that the
// built-in agent uses, or else the only one of a matching kind. By kind, Yes
// matches only allow_once; ForSession and Always both match allow_always, for
// however long another agent allows by it. If no choice matches, Choose returns
// the rejection.
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

// ParseReply parses a typed reply; anything unrecognized means No.
func ParseReply(said string) Reply {
	switch strings.ToLower(strings.TrimSpace(said)) {
	case "y", "yes":
		return Yes
	case "a", "always":
		return Always
	}
	return No
}
