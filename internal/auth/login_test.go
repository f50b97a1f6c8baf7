package auth_test

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/serverstore"
)

// caller returns anna, authenticated with a new token.
func (e *entrance) caller(change func(*serverstore.Token)) auth.Caller {
	e.t.Helper()
	text, _ := e.mint(change)
	c, err := e.bearer(text, home)
	if err != nil {
		e.t.Fatal(err)
	}
	return c
}

func TestLogin_ValidCode_GivesABrowserTheCallersScopes(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{Secure: true})
	c := e.caller(nil)
	code, expires := e.Code(c)
	if !regexp.MustCompile(`^[2-9A-HJ-NP-Z]{5}-[2-9A-HJ-NP-Z]{5}$`).MatchString(code) {
		t.Errorf("the code is %q", code)
	}
	if left := time.Until(expires); left > time.Minute || left < 50*time.Second {
		t.Errorf("it is good for %s", left)
	}
	browser, err := e.enter(home, " "+strings.ToLower(strings.ReplaceAll(code, "-", " ")))
	if err != nil {
		t.Fatal(err)
	}
	cookie := browser.Cookie
	if cookie.Name != "bellcord" || !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Domain != "" || cookie.MaxAge != 30*24*3600 {
		t.Errorf("the cookie is %+v", cookie)
	}
	b, err := e.browse(browser)
	if err != nil || b.Owner != c.Owner || !slices.Equal(b.Scopes, c.Scopes) || b.Token == c.Token {
		t.Errorf("the browser is %+v, %v", b, err)
	}
	if _, err := e.bearer(cookie.Value, home); !isBad(err) {
		t.Errorf("a cookie's token in the header: %v", err)
	}
}

func TestDoor_HeaderTokenInCookie_IsRefused(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	text, _ := e.mint(nil)
	for _, page := range []string{"", "x", text} {
		if _, err := e.with(text, page); !isBad(err) {
			t.Errorf("with %q: %v", page, err)
		}
	}
}

func TestLogin_CodeUsedConcurrently_SucceedsOnce(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{Tries: 1000})
	code, _ := e.Code(e.caller(nil))
	var in, out atomic.Int64
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			_, err := e.enter(home, code)
			switch {
			case err == nil:
				in.Add(1)
			case isBad(err):
				out.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if in.Load() != 1 || out.Load() != 49 {
		t.Errorf("%d got in, %d did not", in.Load(), out.Load())
	}
}

func TestLogin_CodeAndCookie_ExpireAfterAMinuteAndThirtyDays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, auth.Options{})
		c := e.caller(nil)
		old, _ := e.Code(c)
		pass(time.Minute)
		if _, err := e.enter(home, old); !isBad(err) {
			t.Errorf("after a minute: %v", err)
		}
		browser := e.login(c)
		for end := time.Now().Add(30*24*time.Hour - time.Second); time.Now().Before(end); {
			pass(min(11*time.Hour, time.Until(end)))
			if _, err := e.browse(browser); err != nil {
				t.Fatalf("within thirty days: %v", err)
			}
			e.Close() // its use is recorded
		}
		pass(time.Second)
		if _, err := e.browse(browser); !isBad(err) {
			t.Errorf("after thirty days: %v", err)
		}
	})
}

// The flood may come from the address of the person who logs in: on one machine
// all clients have the same.
func TestLogin_FloodOfWrongCodes_AcceptsRightCode(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{Refill: time.Hour})
	code, _ := e.Code(e.caller(nil))
	for i := range 1000 {
		_, err := e.enter(home, "AAAAA-AAAAA")
		if early := i < 20; isBad(err) != early || isTooMany(err) == early {
			t.Fatalf("wrong code %d: %v", i, err)
		}
	}
	if _, err := e.enter(home, code); err != nil {
		t.Errorf("the right code after the flood: %v", err)
	}
	if _, err := e.enter(home, code); !isTooMany(err) {
		t.Errorf("the same code again: %v", err)
	}
	if _, err := e.bearer("x", home); !isBad(err) {
		t.Errorf("a token after wrong codes: %v", err)
	}
	e.exhaust("192.0.2.1") // bad tokens do not count as wrong codes
	if _, err := e.enter("192.0.2.1", code); !isBad(err) {
		t.Errorf("the used code, from elsewhere: %v", err)
	}
}

func TestLogin_TokenRevokedOrExpired_EndsToo(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	short := e.caller(func(t *serverstore.Token) { t.Expires = in(time.Hour) })
	cookie := e.login(short).Cookie
	if cookie.MaxAge > 3600 || cookie.MaxAge < 3000 {
		t.Errorf("the cookie is good for %d s", cookie.MaxAge)
	}
	c := e.caller(nil)
	first := e.login(c)
	browser, err := e.browse(first)
	if err != nil {
		t.Fatal(err)
	}
	second := e.login(browser) // a phone, logged in by the browser
	pending, _ := e.Code(c)
	if err := e.store.RevokeToken(t.Context(), c.Token, time.Now()); err != nil {
		t.Fatal(err)
	}
	for which, browser := range map[string]loggedIn{"browser": first, "phone": second} {
		if _, err := e.browse(browser); !isBad(err) {
			t.Errorf("the %s after the revocation: %v", which, err)
		}
	}
	if _, err := e.enter(home, pending); !isBad(err) {
		t.Errorf("a code of a token that was revoked: %v", err)
	}
}

func TestLogout_OneOfTwoBrowsers_RevokesOnlyThatOne(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	c := e.caller(nil)
	first := e.login(c)
	browser, err := e.browse(first)
	if err != nil {
		t.Fatal(err)
	}
	phone := e.login(browser)
	expired, err := e.Logout(t.Context(), browser)
	if err != nil || expired.Name != auth.CookieName || expired.Value != "" || expired.MaxAge >= 0 {
		t.Errorf("%+v, %v", expired, err)
	}
	if _, err := e.browse(first); !isBad(err) {
		t.Errorf("after the logout: %v", err)
	}
	if _, err := e.browse(phone); err != nil {
		t.Errorf("the phone: %v", err)
	}
	for _, other := range []auth.Caller{c, {Owner: "oidc:anna"}} {
		if _, err := e.Logout(t.Context(), other); !errors.Is(err, auth.ErrNotLoggedIn) {
			t.Errorf("%+v: %v", other, err)
		}
	}
	if auth.State(e.stored(c.Token), time.Now()) != auth.Active {
		t.Error("a logout revoked a token for the header")
	}
}
