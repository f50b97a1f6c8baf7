package react

import (
	"context"
	"errors"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
)

// The choices offered to the user.
const (
	allowOnce    = "allow"
	allowSession = "allow_session"
	allowAlways  = "allow_always"
	rejectOnce   = "reject"
)

// permit returns why a call may not run, or "" if it may. If the policy
// requires approval, permit blocks until the user answers; a stop withdraws the
// question. A call that the user has typed needs no approval, but rules and modes
// that deny it apply.
func (a *Agent) permit(ctx context.Context, w *hub.Work, c call) (refused string, err error) {
	call := c.tool.Permission(w.Session.Dir, c.Arguments, w.Session.AdditionalDirs...)
	session := session(w.Session)
	d := a.policy().Decide(session, permit.Mode(w.Session.Mode), call)
	if d.Verdict != permit.Deny {
		if why := c.tool.Refusal(ctx, w.Session, c.Arguments); why != "" {
			return why, nil
		}
	}
	switch d.Verdict {
	case permit.Allow:
		if call.Changed != "" { // mode full: no person has approved the change
			return "", nil
		}
		return "", c.used()
	case permit.Deny:
		return d.Why, nil
	case permit.Put:
		if c.typed && call.EachTime == "" {
			return "", nil
		}
	}
	changes := c.tool.Previewed(ctx, w.Session.Dir, c.Arguments, w.Session.AdditionalDirs...)
	text := c.question(w.Session)
	title := ""
	if len(changes) > 0 { // the rest of the text describes them
		first, _, _ := strings.Cut(text, "\n")
		title = because(first, d.Why)
	}
	reply, err := w.AskForm(ctx, bellcord.Question{
		Call:      c.Call,
		Text:      because(text, d.Why),
		Title:     title,
		Tool:      c.Name,
		Arguments: c.Arguments,
		Changes:   changes,
		Choices:   choices(call),
		Requires:  requires(call),
	})
	switch {
	case err != nil:
		return "", err
	case reply.Choice == allowOnce:
		return "", c.used()
	case call.EachTime == "" && (reply.Choice == allowSession || reply.Choice == allowAlways):
		return "", errors.Join(c.used(), a.policy().Grant(session, call, reply.Choice == allowAlways))
	case reply.Reason != "":
		return "the user refused it: " + reply.Reason, nil
	}
	return "the user refused it", nil
}

// question returns the text of the question, with what the sandbox covers.
func (c call) question(s bellcord.Session) string {
	text := c.tool.Question(c.Arguments)
	if c.tool.Confined == nil {
		return text
	}
	if sentence := c.tool.Confined(tool.Call{Session: s.ID, Dir: s.Dir, AdditionalDirs: s.AdditionalDirs, Args: c.Arguments, Mode: permit.Mode(s.Mode)}); sentence != "" {
		text += "\n" + sentence
	}
	return text
}

// choices returns the answers to the question about a call. A call that must be
// approved each time can only be allowed once.
func choices(c permit.Call) []bellcord.Choice {
	all := []bellcord.Choice{
		{ID: allowOnce, Text: "Allow once", Kind: "allow_once"},
		{ID: allowSession, Text: "Allow for this session", Kind: "allow_always"},
		{ID: allowAlways, Text: "Always allow in this directory", Kind: "allow_always"},
		{ID: rejectOnce, Text: "Reject", Kind: "reject_once"},
	}
	if c.EachTime != "" {
		return []bellcord.Choice{all[0], all[3]}
	}
	return all
}

// requires returns the scope that a person needs to allow a call. One that must be
// approved each time leaves the sandbox and has all rights of the server's user, so
// the scope prompt is not enough.
func requires(c permit.Call) bellcord.Scope {
	if c.EachTime != "" {
		return bellcord.ScopeAdmin
	}
	return ""
}

// used records that the tool, in its current form, may be used.
func (c call) used() error {
	if c.tool.Used == nil {
		return nil
	}
	return c.tool.Used()
}

// because adds the reason for a question to its text.
func because(text, why string) string {
	if why != "" {
		text += "\nAsked because " + why + "."
	}
	return text
}

// session returns the fields of a session that the policy needs.
func session(s bellcord.Session) permit.Session {
	return permit.Session{ID: string(s.ID), Owner: s.Owner, Dir: s.Dir}
}

// policy returns the agent's policy. If none was given it creates one without
// rules on first use, so that grants for the session are always kept.
func (a *Agent) policy() *permit.Policy {
	a.once.Do(func() {
		if a.Policy == nil {
			a.Policy, _ = permit.NewPolicy(nil, nil, nil, nil) // cannot fail without rules
		}
	})
	return a.Policy
}
