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
	AutoEdit Mode = "auto-edit" // as Ask, but files may be changed that neither run nor say what runs
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

// Session is where a call is to run.
type Session struct {
	ID    string
	Owner string // "" for the user of this machine
	Dir   string
}

// Call is what is to be decided.
type Call struct {
	Tool    string
	Effect  Effect
	Subject string // what rules are held against: a command, a path, a URL
	// Exact is the whole call: everything that changes what it does. Only a call
	// that has one can be granted.
	Exact string
	// Altered reports that something other than Subject changes what runs, such as
	// another environment: no rule allows the call.
	Altered bool
	// Written is the path as it was written, where Subject is the one that it
	// leads to through links. A rule that denies either denies the call.
	Written string
	// Steers is why mode auto-edit asks about a change of a file, "" when it
	// does not.
	Steers string
	// Forbidden is why the call may not run in any mode, "" when it may.
	Forbidden string
	// Changed is why the tool is not the one that was used before, "" when it
	// is. Every mode but full asks then, whatever the rules.
	Changed string
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

// Granted is one call that a person allowed, byte for byte, for an owner in a
// directory.
type Granted struct {
	Owner string `json:"owner"`
	Dir   string `json:"dir"`
	Tool  string `json:"tool"`
	Call  string `json:"call"` // Call.Exact
}

// Policy decides. It is safe for use by several goroutines.
type Policy struct {
	allow, deny []Rule

	mu      sync.Mutex
	session map[string][]Granted // until the session ends, by its id
	always  []Granted
	keep    func([]Granted) error
}

// NewPolicy reads the rules, such as "shell(git status)", "shell(npm run *)",
// "write_file(docs/*)" or "fetch". always are the calls that people allowed for
// good earlier; keep, which may be nil, stores them when one is added.
func NewPolicy(allow, deny []string, always []Granted, keep func([]Granted) error) (*Policy, error) {
	p := &Policy{session: map[string][]Granted{}, always: slices.Clone(always), keep: keep}
	for _, set := range []struct {
		texts []string
		rules *[]Rule
	}{{allow, &p.allow}, {deny, &p.deny}} {
		for _, text := range set.texts {
			rule, err := ParseRule(text)
			if err != nil {
				return nil, err
			}
			*set.rules = append(*set.rules, rule)
		}
	}
	return p, nil
}

// Decide says whether a session's call may run.
func (p *Policy) Decide(session Session, mode Mode, c Call) Decision {
	d := p.decide(session, mode, c)
	if c.Changed != "" && mode != Full && d.Verdict != Deny {
		return Decision{Put, c.Changed}
	}
	return d
}

func (p *Policy) decide(session Session, mode Mode, c Call) Decision {
	parts := c.parts()
	for _, r := range p.deny {
		if r.denies(c, parts) {
			return Decision{Deny, fmt.Sprintf("rule %s denies it", r)}
		}
	}
	switch {
	case c.Forbidden != "":
		return Decision{Deny, c.Forbidden}
	case mode == Full:
		return Decision{Verdict: Allow}
	case c.Effect == Looks:
		return Decision{Verdict: Allow}
	case mode == ReadOnly:
		return Decision{Deny, "the mode is read-only"}
	case mode == AutoEdit && c.Effect == Edits && c.Steers == "":
		return Decision{Verdict: Allow}
	case p.granted(session, c):
		return Decision{Verdict: Allow}
	case !parts.opaque && !c.Altered && p.allows(c, parts):
		return Decision{Verdict: Allow}
	}
	if mode == AutoEdit {
		return Decision{Put, c.Steers}
	}
	return Decision{Verdict: Put}
}

// allows reports whether every part of a call is allowed by some rule.
func (p *Policy) allows(c Call, parts parts) bool {
	for _, part := range parts.subjects {
		if !slices.ContainsFunc(p.allow, func(r Rule) bool { return r.allows(c, part) }) {
			return false
		}
	}
	return len(parts.subjects) > 0
}

// granted reports whether a person allowed this call, byte for byte, in this
// session, or for good for this owner in this directory.
func (p *Policy) granted(session Session, c Call) bool {
	if c.Exact == "" {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	this := grantOf(session, c)
	return slices.Contains(p.session[session.ID], this) || slices.Contains(p.always, this)
}

func grantOf(session Session, c Call) Granted {
	return Granted{Owner: session.Owner, Dir: session.Dir, Tool: c.Tool, Call: c.Exact}
}

// Grant allows this call, exactly as it is, for the session or, with forGood,
// in every session of the same owner in the same directory.
func (p *Policy) Grant(session Session, c Call, forGood bool) error {
	if c.Exact == "" {
		return fmt.Errorf("cannot allow later calls of %s: the arguments are unknown", c.Tool)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	this := grantOf(session, c)
	switch {
	case !forGood:
		p.session[session.ID] = append(p.session[session.ID], this)
		return nil
	case slices.Contains(p.always, this):
		return nil
	}
	p.always = append(p.always, this)
	if p.keep == nil {
		return nil
	}
	return p.keep(slices.Clone(p.always))
}

// Forget drops what was allowed for a session.
func (p *Policy) Forget(session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.session, session)
}
