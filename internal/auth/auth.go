// Package auth authenticates the callers of a server and decides what they may
// do. The network address grants no access: a caller on the same machine
// presents credentials like any other. Permissions come from the server's store
// or configuration, never from claims in the credentials.
//
// A Door checks every request. It accepts Bellcord tokens (in a header, or for
// browsers in a cookie that is valid only with signatures of the page's key) and
// JWTs of the configured OpenID Connect issuers. Every check of a token reads
// the store, so a revocation takes effect immediately.
package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
)

// Scopes lists all scopes, in the order in which lists of scopes are written.
var Scopes = []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopePrompt, bellcord.ScopeStop, bellcord.ScopeUndo, bellcord.ScopeAdmin}

// ParseScopes parses a comma-separated list such as "read,stop". The result is
// in the order of Scopes, without duplicates. An empty list or an unknown scope
// is an error.
func ParseScopes(list string) ([]bellcord.Scope, error) {
	var scopes []bellcord.Scope
	for name := range strings.SplitSeq(list, ",") {
		scopes = append(scopes, bellcord.Scope(strings.TrimSpace(name)))
	}
	return orderly(scopes)
}

// orderly returns the scopes in the order of Scopes, without duplicates.
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

// Caller is the origin of a request. The zero Caller has no scopes and reaches
// no sessions.
type Caller struct {
	Owner  string
	Scopes []bellcord.Scope
	Token  string // token ID; "" for a caller with a JWT or at a local socket
	Name   string // display name of the token
	// Browser marks a person at the page: the credentials are the cookie and
	// the signature of a page.
	Browser bool
	// Local marks a process of the server's user that connects to the local
	// socket without a token. It reaches the sessions of all owners, and may
	// read and stop.
	Local bool
	// Unsure is the reason why the credentials could not be checked although
	// they were valid within the last hour. Such a caller may stop turns and do
	// nothing else: a database outage must not keep a turn running.
	Unsure error

	jwt *string // for Recheck; a pointer, so that no log prints it
}

// May reports whether the caller has the scope, directly or as an admin. While
// Unsure is set, only ScopeStop can be true.
func (c Caller) May(s bellcord.Scope) bool {
	return (c.Unsure == nil || s == bellcord.ScopeStop) && (slices.Contains(c.Scopes, s) || c.isAdmin())
}

func (c Caller) isAdmin() bool { return slices.Contains(c.Scopes, bellcord.ScopeAdmin) }

// noOwner is the reach of a caller without sessions. No owner can have this
// name, because checkName and isSubject reject NUL.
const noOwner = "\x00nobody"

// Reach returns the owner of the sessions that the caller reaches: "" for the
// sessions of all owners (an admin or the local socket only), or the caller's
// own name. A caller with neither reaches no sessions, not even those without
// an owner.
func (c Caller) Reach() string {
	switch {
	case c.isAdmin(), c.Local:
		return ""
	case c.Owner == "":
		return noOwner
	}
	return c.Owner
}

type callerKey struct{}

// NewContext returns a context that carries the caller.
func NewContext(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// From returns the caller that the context carries. Without one it returns the
// zero Caller and false.
func From(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}
