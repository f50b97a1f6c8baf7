package auth_test

import (
	"context"
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/serverstore"
)

func TestMay_Scopes_AllowOnlyWhatTheyContain(t *testing.T) {
	t.Parallel()
	c := auth.Caller{Owner: "anna", Scopes: []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopeStop}}
	for scope, want := range map[bellcord.Scope]bool{bellcord.ScopeRead: true, bellcord.ScopeStop: true, bellcord.ScopePrompt: false, bellcord.ScopeAdmin: false, "": false} {
		if got := c.May(scope); got != want {
			t.Errorf("May(%q) = %v", scope, got)
		}
	}
	admin := auth.Caller{Scopes: []bellcord.Scope{bellcord.ScopeAdmin}}
	for _, scope := range auth.Scopes {
		if !admin.May(scope) {
			t.Errorf("an admin may not %s", scope)
		}
		if (auth.Caller{}).May(scope) {
			t.Errorf("the zero caller may %s", scope)
		}
	}
}

func TestReach_Caller_IsAllOwnersForAnAdminOnly(t *testing.T) {
	t.Parallel()
	if got := (auth.Caller{Owner: "root", Scopes: []bellcord.Scope{bellcord.ScopeAdmin}}).Reach(); got != "" {
		t.Errorf("an admin reaches %q", got)
	}
	if got := (auth.Caller{Owner: "anna", Scopes: []bellcord.Scope{bellcord.ScopeRead}}).Reach(); got != "anna" {
		t.Errorf("anna reaches %q", got)
	}
	stranger, _ := auth.From(context.Background())
	for _, c := range []auth.Caller{{}, stranger, {Scopes: []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopePrompt, bellcord.ScopeStop}}, {Scopes: []bellcord.Scope{""}}} {
		reach := c.Reach()
		if reach == "" {
			t.Errorf("%+v reaches everybody", c)
		}
		if _, _, err := auth.NewToken(serverstore.Token{Owner: reach, Scopes: []bellcord.Scope{bellcord.ScopeRead}}); err == nil {
			t.Errorf("%+v reaches %q, whom there can be", c, reach)
		}
	}
}

func TestFrom_NewContext_ReturnsItsCaller(t *testing.T) {
	t.Parallel()
	if _, ok := auth.From(t.Context()); ok {
		t.Error("a caller out of nowhere")
	}
	c, ok := auth.From(auth.NewContext(t.Context(), auth.Caller{Owner: "anna"}))
	if !ok || c.Owner != "anna" {
		t.Errorf("the context carries %+v, %v", c, ok)
	}
}

func TestParseScopes_AnyOrder_IsSortedAndUnknownOnesAreRefused(t *testing.T) {
	t.Parallel()
	got, err := auth.ParseScopes("stop, read,stop")
	if err != nil || !slices.Equal(got, []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopeStop}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "read,", "write", "READ", "*"} {
		if got, err := auth.ParseScopes(bad); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}
