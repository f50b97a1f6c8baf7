package auth_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/serverstore"
)

// logged logs a browser in as the caller and returns both of its forms.
func (e *entrance) logged(c auth.Caller) (loggedIn, auth.Caller) {
	e.t.Helper()
	browser := e.login(c)
	in, err := e.browse(browser)
	if err != nil {
		e.t.Fatal(err)
	}
	return browser, in
}

func (e *entrance) others(c auth.Caller) int {
	e.t.Helper()
	found, err := e.OtherLogins(e.t.Context(), c)
	if err != nil {
		e.t.Fatal(err)
	}
	return len(found)
}

func TestRevokeOtherLogins_ThreeBrowsers_EndsTheOthersOnly(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	c, again := e.caller(nil), e.caller(nil)
	mine, me := e.logged(c)
	phone, _ := e.logged(me)
	laptop, _ := e.logged(again) // by another token of the same owner
	berts, _ := e.logged(e.caller(func(t *serverstore.Token) { t.Owner = "bert" }))
	if n := e.others(me); n != 2 {
		t.Errorf("%d others, want 2", n)
	}
	if n, err := e.RevokeOtherLogins(t.Context(), me); n != 2 || err != nil {
		t.Errorf("revoked %d, %v", n, err)
	}
	for which, browser := range map[string]loggedIn{"phone": phone, "laptop": laptop} {
		if _, err := e.browse(browser); !isBad(err) {
			t.Errorf("the %s after it: %v", which, err)
		}
	}
	for which, browser := range map[string]loggedIn{"this browser": mine, "bert": berts} {
		if _, err := e.browse(browser); err != nil {
			t.Errorf("%s after it: %v", which, err)
		}
	}
	for _, token := range []auth.Caller{c, again} {
		if auth.State(e.stored(token.Token), time.Now()) != auth.Active {
			t.Error("a token for the header was revoked")
		}
	}
	if n, err := e.RevokeOtherLogins(t.Context(), me); n != 0 || err != nil {
		t.Errorf("again: revoked %d, %v", n, err)
	}
}

func TestOtherLogins_CallerWithoutLogin_IsRefused(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	e.login(e.caller(nil))
	for _, c := range []auth.Caller{e.caller(nil), {Owner: "anna"}, {}} {
		if _, err := e.OtherLogins(t.Context(), c); !errors.Is(err, auth.ErrNotLoggedIn) {
			t.Errorf("%+v lists: %v", c, err)
		}
		if _, err := e.RevokeOtherLogins(t.Context(), c); !errors.Is(err, auth.ErrNotLoggedIn) {
			t.Errorf("%+v revokes: %v", c, err)
		}
	}
}

func TestOtherLogins_LoginWithFewerScopes_DoesNotReachOneWithMore(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	admin := e.caller(func(t *serverstore.Token) { t.Scopes = []bellcord.Scope{bellcord.ScopeAdmin} })
	logged := func(scopes ...bellcord.Scope) (loggedIn, auth.Caller) {
		code, _ := e.Code(admin, scopes...)
		browser, err := e.enter(home, code)
		if err != nil {
			t.Fatal(err)
		}
		c, err := e.browse(browser)
		if err != nil {
			t.Fatal(err)
		}
		return browser, c
	}
	_, reader := logged(bellcord.ScopeRead)
	_, _ = logged(bellcord.ScopeRead)
	full, stopper := logged(bellcord.ScopeRead, bellcord.ScopeStop)
	_, all := logged(bellcord.ScopeAdmin)
	for which, test := range map[string]struct {
		c    auth.Caller
		want int
	}{"reader": {reader, 1}, "stopper": {stopper, 2}, "admin": {all, 3}} {
		if n := e.others(test.c); n != test.want {
			t.Errorf("the %s has %d others, want %d", which, n, test.want)
		}
	}
	if n, err := e.RevokeOtherLogins(t.Context(), reader); n != 1 || err != nil {
		t.Errorf("the reader revoked %d, %v", n, err)
	}
	if _, err := e.browse(full); err != nil {
		t.Errorf("a login with more scopes: %v", err)
	}
}

func TestOtherLogins_ExpiredAndIdle_AreNotCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, auth.Options{})
		mine, me := e.logged(e.caller(nil))
		e.login(me)                                                                 // idle after twelve hours
		e.login(e.caller(func(t *serverstore.Token) { t.Expires = in(time.Hour) })) // expires
		if n := e.others(me); n != 2 {
			t.Errorf("%d others, want 2", n)
		}
		for _, test := range []struct {
			after time.Duration
			want  int
		}{{2 * time.Hour, 1}, {11 * time.Hour, 0}} {
			pass(test.after)
			if _, err := e.browse(mine); err != nil {
				t.Fatal(err)
			}
			e.Close() // its use is recorded
			if n := e.others(me); n != test.want {
				t.Errorf("after %v more: %d others, want %d", test.after, n, test.want)
			}
		}
	})
}

func TestRecheck_OpenConnection_EndsWithItsTokenAndIsNoUse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, auth.Options{})
		c := e.caller(nil)
		_, browser := e.logged(c)
		for range 11 {
			pass(time.Hour)
			if err := e.Recheck(t.Context(), browser); err != nil {
				t.Fatal(err)
			}
			e.Close()
		}
		pass(time.Hour)
		if err := e.Recheck(t.Context(), browser); !isBad(err) {
			t.Errorf("a login that was only rechecked for twelve hours: %v", err)
		}
		if err := e.Recheck(t.Context(), c); err != nil {
			t.Errorf("the token: %v", err)
		}
		if err := e.store.RevokeToken(t.Context(), c.Token, time.Now()); err != nil {
			t.Fatal(err)
		}
		if err := e.Recheck(t.Context(), c); !isBad(err) {
			t.Errorf("the revoked token: %v", err)
		}
		if err := e.Recheck(t.Context(), auth.Caller{Owner: "oidc:anna"}); err != nil {
			t.Errorf("a caller without a token: %v", err)
		}
	})
}
