// Package auth says who may do what on a server. Nobody is let in for where they
// come from: a caller on the same machine shows credentials like any other. What
// a caller may do is what the server has on record, never what the credentials
// claim.
//
// A Door is asked at each request. It knows tokens of our own (in a header, or for
// browsers in a cookie that counts only with the secret of the page) and JWTs of
// the OpenID Connect issuers it is told to trust. Every check reads the
// store, so a revocation takes effect at once.
package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
)

// Scopes lists all scopes, in the order in which lists of scopes are written.
var Scopes = []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopePrompt, bellcord.ScopeStop, bellcord.ScopeAdmin}

// ParseScopes reads a list such as "read,stop".
func ParseScopes(list string) ([]bellcord.Scope, error) {
	var scopes []bellcord.Scope
	for name := range strings.SplitSeq(list, ",") {
		scopes = append(scopes, bellcord.Scope(strings.TrimSpace(name)))
	}
	return orderly(scopes)
}

// orderly returns the scopes in their order, each once.
func orderly(scopes []bellcord.Scope) ([]bellcord.Scope, error) {
	for _, s := range scopes {
		if !slices.Contains(Scopes, s) {
			return nil, fmt.Errorf("unknown scope %q: use read, prompt, stop or admin", s)
		}
	}
	if len(scopes) == 0 {
		return nil, fmt.Errorf("no scope given: use read, prompt, stop or admin")
	}
	var sorted []bellcord.Scope
	for _, s := range Scopes {
		if slices.Contains(scopes, s) {
			sorted = append(sorted, s)
		}
	}
	return sorted, nil
}

// Caller is who makes a request. The zero Caller may nothing and reaches nobody.
type Caller struct {
	Owner  string
	Scopes []bellcord.Scope
	Token  string // id of the token; "" for one who came with a JWT or by a socket
	Name   string // of the token, for people
	// Browser is a person at the page: the credentials are those of a login, its
	// cookie and the secret of the page.
	Browser bool
	// Local is a process of the server's own user, at the local socket, without a
	// token. It reaches everybody's sessions, and may read and stop.
	Local bool
	// Unsure is why the credentials could not be checked, where they were good
	// within the last hour. Such a caller may stop, and nothing else: what runs
	// must not go on because a database is down.
	Unsure error
}

// May reports whether the caller may do it.
func (c Caller) May(s bellcord.Scope) bool {
	return (c.Unsure == nil || s == bellcord.ScopeStop) && (slices.Contains(c.Scopes, s) || c.isAdmin())
}

func (c Caller) isAdmin() bool { return slices.Contains(c.Scopes, bellcord.ScopeAdmin) }

// nobody owns no session: it is not a name that an owner can have.
const nobody = "\x00nobody"

// Reach returns whose sessions the caller reaches: "" for everybody's, for an
// admin and at the local socket only, or the caller's own name. One who has neither
// name nor that scope reaches nobody's, also not those without an owner.
func (c Caller) Reach() string {
	switch {
	case c.isAdmin(), c.Local:
		return ""
	case c.Owner == "":
		return nobody
	}
	return c.Owner
}

type callerKey struct{}

// NewContext returns a context that carries the caller.
func NewContext(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// From returns the caller that the context carries. Without one it is the zero
// Caller, who may nothing.
func From(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}
