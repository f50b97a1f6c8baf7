package line

import (
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/form"
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
// however long another agent allows by it: Offer describes it. If no choice
// matches, Choose returns the rejection.
func Choose(q bellcord.Question, r Reply) string {
	if c, found := choice(q, r); found {
		return c.ID
	}
	return names[No]
}

// Offer describes what a reply allows, in own if it is a choice of the built-in
// agent. The choice of another agent that allows more than once is described in
// that agent's words, because only the agent determines how long and for which
// calls it holds. Offer returns "" if the reply selects no such choice.
func Offer(q bellcord.Question, r Reply, own string) string {
	c, found := choice(q, r)
	switch {
	case !found:
		return ""
	case c.ID == names[r] || r == Yes || r == No:
		return own
	case c.Kind == "allow_once": // the same as Yes
		return ""
	}
	words := []rune(oneLine(c.Text))
	switch {
	case len(words) == 0:
		return "always, as the agent defines it"
	case len(words) > mostOffer:
		words = append(words[:mostOffer], '…')
	}
	return "“" + string(words) + "”"
}

// alwaysExactly describes Always for a choice of the built-in agent.
const alwaysExactly = "always allow exactly this"

// OfferAlways describes what the reply Always allows, or returns "" if it allows
// no more than Yes.
func OfferAlways(q bellcord.Question) string {
	words := Offer(q, Always, alwaysExactly)
	if words == "" || words == alwaysExactly {
		return words
	}
	return "allow " + words
}

// keysOf lists the keys that answer a question.
func keysOf(q bellcord.Question) string {
	switch {
	case form.AcceptsWithoutValues(q) && q.URL == "":
		return "y: accept the defaults · n: decline; then Enter"
	case form.AcceptsWithoutValues(q):
		return "y: continue · n: decline; then Enter"
	case q.HasForm():
		return "n: decline; then Enter. Fill in the form in bellcord chat, on the page or in Telegram"
	}
	words := "y: allow once · "
	if always := OfferAlways(q); always != "" {
		words += "a: " + always + " · "
	}
	return words + "n: reject; then Enter"
}

// mostOffer is the maximum length of another agent's words in an offer.
const mostOffer = 60

// choice returns the choice that a reply selects.
func choice(q bellcord.Question, r Reply) (bellcord.Choice, bool) {
	if i := slices.IndexFunc(q.Choices, func(c bellcord.Choice) bool { return c.ID == names[r] }); i >= 0 {
		return q.Choices[i], true
	}
	for _, sort := range sorts[r] {
		var fit []bellcord.Choice
		for _, c := range q.Choices {
			if c.Kind == sort {
				fit = append(fit, c)
			}
		}
		if len(fit) == 1 || len(fit) > 1 && r == No {
			return fit[0], true
		}
	}
	if len(q.Choices) == 0 {
		return bellcord.Choice{ID: names[r]}, true
	}
	return bellcord.Choice{}, false
}

// ParseReply parses a typed reply; anything unrecognized means No.
func ParseReply(text string) Reply {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "y", "yes":
		return Yes
	case "a", "always":
		return Always
	}
	return No
}
