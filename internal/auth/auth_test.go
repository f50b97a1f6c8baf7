package auth_test

import (
	"context"
	"slices"
	"testing"

	"github.com/bellcord/bellcord/internal/auth"
)

func TestACallerMayWhatItsScopesSay(t *testing.T) {
	t.Parallel()
	c := auth.Caller{Owner: "anna", Scopes: []auth.Scope{auth.Read, auth.Stop}}
	for scope, want := range map[auth.Scope]bool{auth.Read: true, auth.Stop: true, auth.Prompt: false, auth.Admin: false, "": false} {
		if got := c.May(scope); got != want {
			t.Errorf("May(%q) = %v", scope, got)
		}
	}
	admin := auth.Caller{Scopes: []auth.Scope{auth.Admin}}
	for _, scope := range auth.Scopes {
		if !admin.May(scope) {
			t.Errorf("an admin may not %s", scope)
		}
		if (auth.Caller{}).May(scope) {
			t.Errorf("the zero caller may %s", scope)
		}
	}
}

func TestOnlyAnAdminReachesEverybody(t *testing.T) {
	t.Parallel()
	if got := (auth.Caller{Owner: "root", Scopes: []auth.Scope{auth.Admin}}).Reach(); got != "" {
		t.Errorf("an admin reaches %q", got)
	}
	if got := (auth.Caller{Owner: "anna", Scopes: []auth.Scope{auth.Read}}).Reach(); got != "anna" {
		t.Errorf("anna reaches %q", got)
	}
	stranger, _ := auth.From(context.Background())
	for _, c := range []auth.Caller{{}, stranger, {Scopes: []auth.Scope{auth.Read, auth.Prompt, auth.Stop}}, {Scopes: []auth.Scope{""}}} {
		reach := c.Reach()
		if reach == "" {
			t.Errorf("%+v reaches everybody", c)
		}
		if _, _, err := auth.NewToken(auth.Token{Owner: reach, Scopes: []auth.Scope{auth.Read}}); err == nil {
			t.Errorf("%+v reaches %q, whom there can be", c, reach)
		}
	}
}

func TestAContextCarriesItsCaller(t *testing.T) {
	t.Parallel()
	if _, ok := auth.From(t.Context()); ok {
		t.Error("a caller out of nowhere")
	}
	c, ok := auth.From(auth.NewContext(t.Context(), auth.Caller{Owner: "anna"}))
	if !ok || c.Owner != "anna" {
		t.Errorf("the context carries %+v, %v", c, ok)
	}
}

func TestScopesAreReadInAnyOrderAndOnlyKnownOnes(t *testing.T) {
	t.Parallel()
	got, err := auth.ParseScopes("stop, read,stop")
	if err != nil || !slices.Equal(got, []auth.Scope{auth.Read, auth.Stop}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "read,", "write", "READ", "*"} {
		if got, err := auth.ParseScopes(bad); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}
