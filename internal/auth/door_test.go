package auth_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/serverstore"
)

func TestEnter_ValidToken_HasTheStoredScopes(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	text, made := e.mint(func(t *serverstore.Token) { t.Name = "laptop" })
	c, err := e.bearer(text, home)
	if err != nil {
		t.Fatal(err)
	}
	if c.Owner != "anna" || c.Token != made.ID || c.Name != "laptop" || !slices.Equal(c.Scopes, []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopeStop}) {
		t.Errorf("the caller is %+v", c)
	}
}

func TestDoor_MalformedOrForgedToken_IsRefused(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{Tries: 1000})
	text, made := e.mint(nil)
	_, other := e.mint(nil)
	secret := text[len("bc_")+12+1:]
	hashless := serverstore.Token{ID: "00000000000f", Owner: "anna", Scopes: []bellcord.Scope{bellcord.ScopeAdmin}, Hash: []byte{}, Created: time.Now()}
	if err := e.store.PutToken(t.Context(), hashless); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"bc_", "bc_" + made.ID, "bc_" + made.ID + "_", "bc_" + made.ID + "_" + strings.Repeat("0", 64),
		"bc_" + made.ID + "_" + secret[:63], "bc_" + made.ID + "_" + secret + "0", "bc_" + made.ID + "_" + strings.ToUpper(secret),
		"bc_" + other.ID + "_" + secret, "bc_ffffffffffff_" + secret, "bc__" + secret, "bc_00000000000f_x", "bc_00000000000f_",
		secret, made.ID, "x", "a.b", "a.b.c", "..", "true", strings.Repeat("x", 1<<17), "bc_" + made.ID + "_" + string(made.Hash),
	} {
		if c, err := e.bearer(bad, home); !isBad(err) || c.Owner != "" {
			t.Errorf("%.100q: %+v, %v", bad, c, err)
		}
	}
	if _, err := e.bearer(text, home); err != nil {
		t.Errorf("the token itself: %v", err)
	}
}

func TestEnter_MissingOrAmbiguousCredentials_AreRefused(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{Tries: 100})
	text, _ := e.mint(nil)
	if _, err := e.Enter(request("/"), home); !errors.Is(err, auth.ErrNoCredentials) || isBad(err) {
		t.Errorf("none: %v", err)
	}
	for _, headers := range [][]string{{""}, {"Bearer"}, {"Bearer "}, {"Basic " + text}, {text}, {"Bearer " + text, "Bearer " + text}} {
		r := request("/")
		r.Header["Authorization"] = headers
		if _, err := e.Enter(r, home); !isBad(err) {
			t.Errorf("%q: %v", headers, err)
		}
	}
	c, err := e.bearer(text, home)
	if err != nil {
		t.Fatal(err)
	}
	browser := e.login(c)
	cookie := browser.Cookie
	r := request("/")
	page := e.page(browser)
	r.Header.Set(auth.PageHeader, page)
	r.AddCookie(cookie)
	r.AddCookie(&http.Cookie{Name: auth.CookieName, Value: "x"})
	if _, err := e.Enter(r, home); !isBad(err) {
		t.Errorf("two cookies: %v", err)
	}
	r = request("/")
	r.AddCookie(cookie)
	r.Header[auth.PageHeader] = []string{page, page}
	if _, err := e.Enter(r, home); !isBad(err) {
		t.Errorf("two signatures of the page: %v", err)
	}
	r = request("/")
	r.AddCookie(cookie)
	r.Header.Set("Authorization", "Bearer x")
	if _, err := e.Enter(r, home); !isBad(err) {
		t.Errorf("a bad header with a good cookie: %v", err)
	}
	r = request("/")
	r.Header.Set("Authorization", "bearer "+text)
	if _, err := e.Enter(r, home); err != nil {
		t.Errorf("a scheme in small letters: %v", err)
	}
}

func TestDoor_TokenInURL_IsAlwaysRefused(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{Tries: 100})
	text, _ := e.mint(nil)
	for _, name := range []string{"token", "access_token", "api_key", "Token", "%74oken"} {
		for _, value := range []string{text, "x", ""} {
			r := request("/v1/me?a=b&" + name + "=" + value)
			r.Header.Set("Authorization", "Bearer "+text)
			if _, err := e.Enter(r, home); !errors.Is(err, auth.ErrInAddress) || !isBad(err) || !strings.Contains(err.Error(), "token in the URL") {
				t.Errorf("%s=%s: %v", name, value, err)
			}
		}
	}
	r := request("/v1/me?tokens=5")
	r.Header.Set("Authorization", "Bearer "+text)
	if _, err := e.Enter(r, home); err != nil {
		t.Errorf("another word: %v", err)
	}
}

func TestDoor_RevokedToken_IsRefusedImmediately(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	text, made := e.mint(nil)
	for range 3 {
		if _, err := e.bearer(text, home); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.store.RevokeToken(t.Context(), made.ID, time.Now()); err != nil {
		t.Fatal(err)
	}
	if c, err := e.bearer(text, home); !isBad(err) || c.Owner != "" || !strings.Contains(err.Error(), "revoked") {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestEnter_TokenExpires_IsRefusedFromThatMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, auth.Options{})
		text, _ := e.mint(func(t *serverstore.Token) { t.Expires = in(time.Hour) })
		pass(time.Hour - time.Nanosecond)
		if _, err := e.bearer(text, home); err != nil {
			t.Errorf("before its end: %v", err)
		}
		pass(time.Nanosecond)
		if _, err := e.bearer(text, home); !isBad(err) || !strings.Contains(err.Error(), "expired") {
			t.Errorf("at its end: %v", err)
		}
	})
}

// pass lets d pass in a synctest bubble.
func pass(d time.Duration) { <-time.After(d) }

func TestEnter_RepeatedUse_IsRecordedOncePerMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, auth.Options{})
		counting := &touchCounter{TokenStore: e.store}
		e.Door = auth.NewDoor(counting, auth.Options{})
		text, made := e.mint(nil)
		first := time.Now()
		for range 59 {
			if _, err := e.bearer(text, home); err != nil {
				t.Fatal(err)
			}
			e.Close()
			pass(time.Second)
		}
		if used := e.stored(made.ID).Used; !used.Equal(first) || counting.touches != 1 {
			t.Errorf("used at %v after %v, %d touches", used, first, counting.touches)
		}
		pass(time.Second)
		second := time.Now()
		if _, err := e.bearer(text, home); err != nil {
			t.Fatal(err)
		}
		e.Close()
		if used := e.stored(made.ID).Used; !used.Equal(second) || counting.touches != 2 {
			t.Errorf("a minute later it is %v after %v, %d touches", used, second, counting.touches)
		}
	})
}

type touchCounter struct {
	serverstore.TokenStore
	touches int // read after Close
}

func (c *touchCounter) TouchToken(ctx context.Context, id string, at time.Time) error {
	c.touches++
	return c.TokenStore.TouchToken(ctx, id, at)
}

func TestEnter_StoreFails_DoesNotCountAsBadCredentials(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	d := auth.NewDoor(brokenStore{err: broken}, auth.Options{Tries: 3})
	for range 10 {
		r := request("/")
		r.Header.Set("Authorization", "Bearer bc_000000000000_x")
		if c, err := d.Enter(r, home); !errors.Is(err, broken) || isBad(err) || c.Owner != "" {
			t.Fatalf("%+v, %v", c, err)
		}
	}
}

type brokenStore struct {
	serverstore.TokenStore
	err error
}

func (s brokenStore) Token(context.Context, string) (serverstore.Token, error) {
	return serverstore.Token{}, s.err
}
