package react

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/permit"
)

// The answers a person can give.
const (
	allowOnce    = "allow"
	allowSession = "allow_session"
	allowAlways  = "allow_always"
	rejectOnce   = "reject"
)

// permit returns why a call may not run, "" when it may. What the policy leaves
// open is put to a person; a stop closes the question.
func (a *Agent) permit(ctx context.Context, w *bellcord.Work, c call) (refused string, err error) {
	asked := c.tool.Permission(w.Session.Dir, c.Args)
	session := string(w.Session.ID)
	switch d := a.policy().Decide(session, permit.Mode(w.Session.Mode), asked); d.Verdict {
	case permit.Allow:
		return "", nil
	case permit.Deny:
		return d.Why, nil
	case permit.Put:
	}
	choice, err := w.Ask(ctx, bellcord.Question{
		Call: c.Call,
		Text: c.tool.Question(c.Args),
		Choices: []bellcord.Choice{
			{ID: allowOnce, Text: "Allow once", Kind: "allow_once"},
			{ID: allowSession, Text: "Allow exactly this for the session", Kind: "allow_always"},
			{ID: allowAlways, Text: "Always allow exactly this", Kind: "allow_always"},
			{ID: rejectOnce, Text: "Reject", Kind: "reject_once"},
		},
	})
	switch {
	case err != nil:
		return "", err
	case choice == allowOnce:
		return "", nil
	case choice == allowSession, choice == allowAlways:
		return "", a.policy().Grant(session, asked, choice == allowAlways)
	}
	return "the person refused it", nil
}

// policy is the agent's own, made when it is first needed where none was given:
// what a person allows for the session is remembered either way.
func (a *Agent) policy() *permit.Policy {
	a.once.Do(func() {
		if a.Policy == nil {
			a.Policy, _ = permit.NewPolicy(nil, nil, nil, nil) // no rules, so none that cannot be read
		}
	})
	return a.Policy
}
