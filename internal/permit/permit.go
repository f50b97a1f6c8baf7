// Package permit decides whether a tool call may run: at once, never, or after
// a person said so. Deny beats allow, and whatever is not understood is asked.
package permit

import (
	"fmt"
	"slices"
	"sync"
)

// Mode is how much is allowed without asking.
type Mode string

// The modes. Deny rules hold in all of them.
const (
	ReadOnly Mode = "read-only" // nothing that changes anything
	Ask      Mode = "ask"       // the default: looking is free, the rest is asked
	AutoEdit Mode = "auto-edit" // as Ask, but files may be changed
	Full     Mode = "full"      // asks nothing
)

// Modes in the order of what they allow.
var Modes = []Mode{ReadOnly, Ask, AutoEdit, Full}

// Valid reports whether there is such a mode.
func (m Mode) Valid() bool { return slices.Contains(Modes, m) }

// Effect is what a call may do to the world.
type Effect string

// The effects.
const (
	Looks    Effect = "looks"    // changes nothing
	Edits    Effect = "edits"    // changes files in the session's directory
	Executes Effect = "executes" // runs a command
	Reaches  Effect = "reaches"  // leaves the machine, or does what only a server knows
)

// Call is what is to be decided.
type Call struct {
	Tool    string
	Effect  Effect
	Subject string // what rules are held against: a command, a path, a URL
}

// Verdict says what to do with a call.
type Verdict string

// The verdicts.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
	Put   Verdict = "ask" // put it to a person
)

// Decision is a verdict and why, in words for the model and the person.
type Decision struct {
	Verdict Verdict
	Why     string
}

// Policy decides. It is safe for use by several goroutines.
type Policy struct {
	allow, deny []Rule

	mu      sync.Mutex
	session map[string][]Rule // allowed for a session, by its id
	always  []Rule            // allowed for good
	keep    func([]Rule) error
}

// NewPolicy reads the rules, such as "shell(git status)", "shell(npm run *)",
// "write_file(docs/**)" or "fetch". always are those that a person allowed for
// good earlier; keep stores them when one is added.
func NewPolicy(allow, deny, always []string, keep func([]string) error) (*Policy, error) {
	p := &Policy{session: map[string][]Rule{}}
	for _, set := range []struct {
		texts []string
		rules *[]Rule
	}{{allow, &p.allow}, {deny, &p.deny}, {always, &p.always}} {
		for _, text := range set.texts {
			rule, err := ParseRule(text)
			if err != nil {
				return nil, err
			}
			*set.rules = append(*set.rules, rule)
		}
	}
	p.keep = func(rules []Rule) error {
		if keep == nil {
			return nil
		}
		texts := make([]string, len(rules))
		for i, r := range rules {
			texts[i] = r.String()
		}
		return keep(texts)
	}
	return p, nil
}

// Decide says whether a session's call may run.
func (p *Policy) Decide(session string, mode Mode, c Call) Decision {
	parts := c.parts()
	for _, r := range p.deny {
		if r.matchesAny(c.Tool, parts) {
			return Decision{Deny, fmt.Sprintf("rule %s denies it", r)}
		}
	}
	switch {
	case mode == Full:
		return Decision{Verdict: Allow}
	case c.Effect == Looks:
		return Decision{Verdict: Allow}
	case mode == ReadOnly:
		return Decision{Deny, "the mode is read-only"}
	case mode == AutoEdit && c.Effect == Edits:
		return Decision{Verdict: Allow}
	case !parts.opaque && p.allows(session, c.Tool, parts):
		return Decision{Verdict: Allow}
	}
	return Decision{Verdict: Put}
}

// allows reports whether every part of a call is allowed by some rule.
func (p *Policy) allows(session, tool string, parts parts) bool {
	p.mu.Lock()
	rules := slices.Concat(p.allow, p.always, p.session[session])
	p.mu.Unlock()
	for _, part := range parts.subjects {
		if !slices.ContainsFunc(rules, func(r Rule) bool { return r.matches(tool, part) }) {
			return false
		}
	}
	return len(parts.subjects) > 0
}

// Grant allows calls like this one, exactly as it is, for the session or, with
// forGood, from now on in every session.
func (p *Policy) Grant(session string, c Call, forGood bool) error {
	var rules []Rule
	for _, part := range c.parts().subjects {
		rules = append(rules, exactly(c.Tool, part))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !forGood {
		p.session[session] = append(p.session[session], rules...)
		return nil
	}
	p.always = append(p.always, rules...)
	return p.keep(p.always)
}

// Forget drops what was allowed for a session.
func (p *Policy) Forget(session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.session, session)
}
