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
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/internal/testkit/authtest"
)

// Cookies ignore the port: every server on this host that the browser visits
// receives them.
func TestEnter_CookieWithoutSignature_IsRefused(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{Tries: 1000})
	c := e.caller(nil)
	browser, other := e.login(c), e.login(c)
	cookie := browser.Cookie.Value
	_, secret, _ := strings.Cut(strings.TrimPrefix(cookie, "bc_"), "_")
	if _, err := e.with(cookie, ""); !errors.Is(err, auth.ErrNoPage) || !isBad(err) || !strings.Contains(err.Error(), "bellcord open") {
		t.Errorf("the cookie alone: %v", err)
	}
	challenge, _ := e.Challenge()
	page := e.page(browser)
	public, signature := browser.Public+".", page[strings.LastIndex(page, "."):]
	for _, page := range []string{
		"x", cookie, secret, browser.Public, public + challenge, public + challenge + ".", public + challenge + signature[:20], public + signature, "." + challenge + signature,
		page + "A", page + "." + signature, page + "," + page, other.Public + "." + challenge + signature, other.Sign(challenge),
		public + challenge + "." + strings.Repeat("A", 86), string(e.stored(cookie[3:15]).Hash), strings.Repeat("x", 1<<17), strings.Repeat(".", 1<<13),
	} {
		if c, err := e.with(cookie, page); !isBad(err) || c.Owner != "" {
			t.Errorf("with %.80q: %+v, %v", page, c, err)
		}
	}
	for _, bearer := range []string{cookie, page, browser.Public, "bc_" + cookie[3:15] + "_" + browser.Public, cookie + page, cookie + "\x00" + browser.Public} {
		if _, err := e.bearer(bearer, home); !isBad(err) {
			t.Errorf("%.80q in the header: %v", bearer, err)
		}
	}
	if _, err := e.with(other.Cookie.Value, page); !isBad(err) {
		t.Errorf("another login's cookie: %v", err)
	}
	if b, err := e.browse(browser); err != nil || b.Owner != "anna" || !b.Browser {
		t.Errorf("both: %+v, %v", b, err)
	}
}

// A server that takes the address while this one is down receives the cookie and the
// signatures of open pages. A page can reveal nothing else.
func TestEnter_SignatureOfAnEarlierProcess_IsRefused(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{Tries: 3, Refill: time.Hour})
	b := e.login(e.caller(nil))
	stolen := e.page(b)
	if _, err := e.with(b.Cookie.Value, stolen); err != nil {
		t.Fatal(err)
	}
	e.Door = auth.NewDoor(e.store, auth.Options{Tries: 3, Refill: time.Hour})
	for range 10 { // the pages of a restarted server are not made to wait
		if c, err := e.with(b.Cookie.Value, stolen); !errors.Is(err, auth.ErrOldSignature) || isBad(err) || c.Owner != "" {
			t.Fatalf("%+v, %v", c, err)
		}
	}
	if _, err := e.browse(b); err != nil {
		t.Errorf("a new signature: %v", err)
	}
}

func TestEnter_SignatureOfAnotherNodeWithTheSameKey_IsAccepted(t *testing.T) {
	t.Parallel()
	key := auth.Options{ChallengeKey: []byte("0123456789abcdef0123456789abcdef")}
	e := newEntrance(t, key)
	b := e.login(e.caller(nil))
	page := e.page(b)
	e.Door = auth.NewDoor(e.store, key)
	if _, err := e.with(b.Cookie.Value, page); err != nil {
		t.Error(err)
	}
}

func TestEnter_Challenge_IsValidForTenMinutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, auth.Options{})
		b := e.login(e.caller(nil))
		page := e.page(b)
		challenge, valid := e.Challenge()
		changed := "A" + challenge[1:]
		pass(valid - time.Second)
		if _, err := e.with(b.Cookie.Value, page); err != nil {
			t.Errorf("before: %v", err)
		}
		pass(time.Second)
		if _, err := e.with(b.Cookie.Value, page); !errors.Is(err, auth.ErrOldSignature) {
			t.Errorf("after: %v", err)
		}
		for _, challenge := range []string{"", "A", changed, challenge + "AAAA", challenge[:11], strings.Repeat("_", 54)} {
			if _, err := e.with(b.Cookie.Value, b.Sign(challenge)); err == nil {
				t.Errorf("a challenge that the server did not create, %q, is accepted", challenge)
			}
		}
	})
}

func TestLogin_KeyThatIsNone_KeepsTheCode(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	code, _ := e.Code(e.caller(nil))
	good := authtest.NewPageKey().Public
	for _, key := range []string{"", "x", good[1:], good + "A", "A" + good[1:], good[:86] + "=", strings.Repeat("A", 87), strings.Repeat("f", 64), "\x00", "\xff"} {
		if _, err := e.Login(t.Context(), home, code, key); !errors.Is(err, auth.ErrPageKey) {
			t.Errorf("%q: %v", key, err)
		}
	}
	if _, err := e.Login(t.Context(), home, code, good); err != nil {
		t.Errorf("the code: %v", err)
	}
}

// The store has one hash of the secret and the key together.
func TestLogin_StoredHash_IsOfSecretAndKeyTogether(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	browser := e.login(e.caller(nil))
	_, secret, _ := strings.Cut(strings.TrimPrefix(browser.Cookie.Value, "bc_"), "_")
	stored := e.stored(browser.Cookie.Value[3:15])
	for what, text := range map[string]string{"cookie": secret, "key": browser.Public} {
		if sum := sha256.Sum256([]byte(text)); slices.Equal(stored.Hash, sum[:]) {
			t.Errorf("the hash is that of the %s alone", what)
		}
	}
}

// Logins from versions without a page's key have ended.
func TestEnter_LoginStoredWithoutKey_IsRefused(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	const secret = "0123456789abcdef"
	hash := sha256.Sum256([]byte(secret))
	old := serverstore.Token{
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
	admin := e.caller(func(t *serverstore.Token) { t.Scopes = []bellcord.Scope{bellcord.ScopeAdmin} })
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
		browser, err := e.enter(home, code)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := e.browse(browser); err != nil || !slices.Equal(b.Scopes, test.lent) {
			t.Errorf("%s: %v, %v", test.name, b.Scopes, err)
		}
	}
}
