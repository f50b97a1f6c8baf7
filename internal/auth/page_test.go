package auth_test

import (
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
)

// Cookies ignore the port: every server on this host that the browser visits
// receives them.
func TestEnter_CookieWithoutPageSecret_IsRefused(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{Tries: 1000})
	c := e.caller(nil)
	browser, other := e.login(c), e.login(c)
	cookie := browser.Cookie.Value
	_, secret, _ := strings.Cut(strings.TrimPrefix(cookie, "bc_"), "_")
	if _, err := e.with(cookie, ""); !errors.Is(err, auth.ErrNoPage) || !isBad(err) || !strings.Contains(err.Error(), "bellcord open") {
		t.Errorf("the cookie alone: %v", err)
	}
	for _, page := range []string{
		"x", cookie, secret, other.Page, strings.ToUpper(browser.Page), browser.Page[1:], browser.Page + "0", browser.Page + "," + browser.Page,
		strings.Repeat("0", 64), string(e.stored(cookie[3:15]).Hash), strings.Repeat("x", 1<<17),
	} {
		if c, err := e.with(cookie, page); !isBad(err) || c.Owner != "" {
			t.Errorf("with %.80q: %+v, %v", page, c, err)
		}
	}
	for _, bearer := range []string{cookie, browser.Page, "bc_" + cookie[3:15] + "_" + browser.Page, cookie + browser.Page, cookie + "\x00" + browser.Page} {
		if _, err := e.bearer(bearer, home); !isBad(err) {
			t.Errorf("%.80q in the header: %v", bearer, err)
		}
	}
	if _, err := e.with(other.Cookie.Value, browser.Page); !isBad(err) {
		t.Errorf("another login's cookie: %v", err)
	}
	if b, err := e.browse(browser); err != nil || b.Owner != "anna" || !b.Browser {
		t.Errorf("both: %+v, %v", b, err)
	}
}

// The store has one hash of both secrets together, so it does not reveal which
// of them is right.
func TestLogin_StoredHash_IsOfBothSecretsTogether(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	browser := e.login(e.caller(nil))
	_, secret, _ := strings.Cut(strings.TrimPrefix(browser.Cookie.Value, "bc_"), "_")
	stored := e.stored(browser.Cookie.Value[3:15])
	for what, text := range map[string]string{"cookie": secret, "page": browser.Page} {
		if sum := sha256.Sum256([]byte(text)); slices.Equal(stored.Hash, sum[:]) {
			t.Errorf("the hash is that of the %s alone", what)
		}
	}
}

// Logins from versions without a page secret have ended.
func TestEnter_LoginStoredWithoutPageSecret_IsRefused(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	const secret = "0123456789abcdef"
	hash := sha256.Sum256([]byte(secret))
	old := bellcord.Token{
		ID: "0123456789ab", Owner: "anna", Scopes: []bellcord.Scope{bellcord.ScopeAdmin}, Cookie: true,
		Hash: hash[:], Created: time.Now(), Expires: in(time.Hour),
	}
	if err := e.store.PutToken(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	cookie := "bc_" + old.ID + "_" + secret
	for _, page := range []string{"", "x", secret} {
		if _, err := e.with(cookie, page); !isBad(err) {
			t.Errorf("with %q: %v", page, err)
		}
	}
	if _, err := e.bearer(cookie, home); !isBad(err) {
		t.Errorf("in the header: %v", err)
	}
}

// Even while the store is down, a cookie alone cannot stop a turn.
func TestEnter_StoreDown_CookieAloneIsRefused(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	store := &downStore{TokenStore: e.store}
	e.Door = auth.NewDoor(store, auth.Options{})
	browser := e.login(e.caller(nil))
	store.down = true
	for _, page := range []string{"", "x"} {
		if c, err := e.with(browser.Cookie.Value, page); err == nil {
			t.Errorf("with %q: %+v", page, c)
		}
	}
	if c, err := e.browse(browser); err != nil || !c.May(bellcord.ScopeStop) || c.May(bellcord.ScopeRead) {
		t.Errorf("both: %+v, %v", c, err)
	}
}

func TestLogin_UnusedForTwelveHours_Expires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, auth.Options{})
		c := e.caller(nil)
		unused, used := e.login(c), e.login(c)
		pass(12*time.Hour - time.Second)
		if _, err := e.browse(used); err != nil {
			t.Fatalf("before twelve hours: %v", err)
		}
		e.Close() // its use is recorded
		pass(time.Second)
		if _, err := e.browse(unused); !isBad(err) || !strings.Contains(err.Error(), "log in again") {
			t.Errorf("unused for twelve hours: %v", err)
		}
		if state := auth.State(e.stored(unused.Cookie.Value[3:15]), time.Now()); state != auth.Expired {
			t.Errorf("its state is %s", state)
		}
		pass(12*time.Hour - 2*time.Second)
		if _, err := e.browse(used); err != nil {
			t.Errorf("within twelve hours of its use: %v", err)
		}
		e.Close()
		pass(12 * time.Hour)
		if _, err := e.browse(used); !isBad(err) {
			t.Errorf("twelve hours after its last use: %v", err)
		}
		text, _ := e.mint(nil)
		pass(48 * time.Hour)
		if _, err := e.bearer(text, home); err != nil {
			t.Errorf("a token does not idle out: %v", err)
		}
	})
}

func TestCode_OfAnAdmin_GrantsAdminOnlyWhenNamed(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	admin := e.caller(func(t *bellcord.Token) { t.Scopes = []bellcord.Scope{bellcord.ScopeAdmin} })
	anna := e.caller(nil)
	everyday := []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopePrompt, bellcord.ScopeStop, bellcord.ScopeUndo}
	for _, test := range []struct {
		name        string
		caller      auth.Caller
		named, lent []bellcord.Scope
	}{
		{"an admin", admin, nil, everyday},
		{"an admin who names it", admin, auth.Scopes, auth.Scopes},
		{"an admin who names one", admin, []bellcord.Scope{bellcord.ScopeStop}, []bellcord.Scope{bellcord.ScopeStop}},
		{"another", anna, nil, []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopeStop}},
		{"another who names admin", anna, auth.Scopes, []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopeStop}},
	} {
		code, _ := e.Code(test.caller, test.named...)
		browser, err := e.Login(t.Context(), home, code)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := e.browse(browser); err != nil || !slices.Equal(b.Scopes, test.lent) {
			t.Errorf("%s: %v, %v", test.name, b.Scopes, err)
		}
	}
}
