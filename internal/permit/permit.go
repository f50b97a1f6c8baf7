// Package permit decides whether a tool call runs immediately, never, or only
// after a person approves it. Deny rules take precedence over allow rules, and
// a call that cannot be analyzed requires approval.
package permit

import (
	"fmt"
	"slices"
	"sync"
)

// Mode determines which calls run without approval.
type Mode string

// The modes. Deny rules apply in all of them.
const (
	ReadOnly Mode = "read-only" // denies every call that changes something
	Ask      Mode = "ask"       // the default: reading is allowed, everything else requires approval
	AutoEdit Mode = "auto-edit" // like Ask, but also allows changes to files that neither run nor configure what runs
	Full     Mode = "full"      // requires no approval
)

// Modes lists the modes, from the most to the least restrictive.
var Modes = []Mode{ReadOnly, Ask, AutoEdit, Full}

// Valid reports whether m is one of Modes.
func (m Mode) Valid() bool { return slices.Contains(Modes, m) }

// Effect classifies what a call can change.
type Effect string

// The effects.
const (
	Reads    Effect = "reads"    // changes nothing
	Edits    Effect = "edits"    // changes files in the session's directory
	Executes Effect = "executes" // runs a command
	Reaches  Effect = "reaches"  // sends requests from this machine, or has effects that only a server determines
)

// Session identifies the session of a call, its owner and its directory.
type Session struct {
	ID    string
	Owner string // "" for the user of this machine
	Dir   string
}

// Call is a tool call to decide on.
type Call struct {
	Tool    string
	Effect  Effect
	Subject string // matched against rules: a command, a path, a URL
	// Exact is the whole call: everything that affects what it does. A call
	// without it cannot be granted.
	Exact string
	// Parts are the calls of other tools that this call stands for, such as the
	// changes of several files. If there are any, rules and modes apply to each of
	// them, and the strictest verdict counts.
	Parts []Call
	// Altered reports that something other than Subject affects what runs, such as
	// a different environment. No rule allows such a call.
	Altered bool
	// Other lists other spellings of the path in Subject, such as the path before
	// links were resolved. A deny rule that matches one of them denies the call.
	Other []string
	// Steers is the reason why a change of a file requires approval in mode
	// auto-edit, or "" if it does not.
	Steers string
	// Forbidden is the reason why the call is denied in every mode, or "".
	Forbidden string
	// Changed describes how the tool differs from the one used before, or is "".
	// If set, every mode but full requires approval, whatever the rules allow.
	Changed string
	// EachTime is the reason why a person must approve the call each time, in every
	// mode, whatever was allowed before, or "". On a server the person needs the
	// scope admin.
	EachTime string
}

// Verdict is the outcome of a decision.
type Verdict string

// The verdicts.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
	Put   Verdict = "ask" // a person must approve the call
)

// Decision is a verdict with its reason, worded for both the model and the
// user.
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

// Policy decides on calls. It is safe for concurrent use.
type Policy struct {
	allow, deny []Rule

	mu      sync.Mutex
	session map[string][]Granted // until the session ends; keyed by session ID
	always  []Granted
	keep    func([]Granted) error
}

// NewPolicy parses the rules, such as "shell(git status)", "shell(npm run *)",
// "write_file(docs/*)" or "fetch". always lists the calls that people have
// allowed permanently; keep, which may be nil, is called to store the whole
// list when a call is added.
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

// Decide returns the verdict on a session's call. Deny rules and c.Forbidden
// take precedence over everything else.
func (p *Policy) Decide(session Session, mode Mode, c Call) Decision {
	d := p.decide(session, mode, c)
	if c.EachTime != "" && d.Verdict != Deny {
		return Decision{Put, c.EachTime}
	}
	if c.Changed != "" && mode != Full && d.Verdict != Deny {
		return Decision{Put, c.Changed}
	}
	return d
}

// decideParts returns the strictest verdict on the parts of a call. A person may
// have allowed the call as a whole.
func (p *Policy) decideParts(session Session, mode Mode, c Call) Decision {
	strictest := Decision{Verdict: Allow}
	for _, part := range c.Parts {
		switch d := p.decide(session, mode, part); {
		case d.Verdict == Deny:
			return d
		case d.Verdict == Put && (strictest.Verdict == Allow || strictest.Why == ""):
			strictest = d
		}
	}
	if strictest.Verdict == Put && p.granted(session, c) {
		return Decision{Verdict: Allow}
	}
	return strictest
}

func (p *Policy) decide(session Session, mode Mode, c Call) Decision {
	if len(c.Parts) > 0 {
		return p.decideParts(session, mode, c)
	}
	parts := c.parts()
	if why := p.denied(c, parts); why != "" {
		return Decision{Deny, why}
	}
	switch {
	case c.Forbidden != "":
		return Decision{Deny, c.Forbidden}
	case mode == Full:
		return Decision{Verdict: Allow}
	case c.Effect == Reads:
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

// Denies returns why a rule denies a call in every mode, or "".
func (p *Policy) Denies(c Call) string { return p.denied(c, c.parts()) }

func (p *Policy) denied(c Call, parts parts) string {
	for _, r := range p.deny {
		if r.denies(c, parts) {
			return fmt.Sprintf("rule %s denies it", r)
		}
	}
	return ""
}

// allows reports whether every part of a call is allowed by at least one rule.
func (p *Policy) allows(c Call, parts parts) bool {
	for _, part := range parts.subjects {
		if !slices.ContainsFunc(p.allow, func(r Rule) bool { return r.allows(c, part) }) {
			return false
		}
	}
	return len(parts.subjects) > 0
}

// granted reports whether a person allowed this call, byte for byte, either in
// this session or permanently for this owner in this directory.
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
// in every session of the same owner in the same directory. It fails if c.Exact
// is empty. If storing a permanent grant fails, Grant returns the error and
// the call stays as it was: nothing that was not stored is allowed.
func (p *Policy) Grant(session Session, c Call, forGood bool) error {
	switch {
	case c.Exact == "":
		return fmt.Errorf("cannot allow later calls of %s: the arguments are unknown", c.Tool)
	case c.EachTime != "":
		return fmt.Errorf("cannot allow later calls of %s: a person must approve each of them", c.Tool)
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
	always := append(slices.Clone(p.always), this)
	if p.keep != nil {
		if err := p.keep(slices.Clone(always)); err != nil {
			return fmt.Errorf("cannot store that %s is always allowed: %w", c.Tool, err)
		}
	}
	p.always = always
	return nil
}

// DropGrants drops all grants of a session. Permanent grants remain.
func (p *Policy) DropGrants(session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.session, session)
}
