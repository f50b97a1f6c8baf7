package auth_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
)

func TestEnter_JWTClaimsScopes_HasTheConfiguredScopes(t *testing.T) {
	t.Parallel()
	i := newTestIssuer(t)
	e := newEntrance(t, i.trusted(func(is *auth.Issuer) { is.Admins = []string{"root"} }))
	wishes := claims{"scope": "admin", "scopes": []string{"admin"}, "roles": []string{"admin"}, "owner": "root", "aud": []string{"x", audience}}
	c, err := e.bearer(i.jwt(wishes), home)
	if err != nil || c.Owner != "oidc:anna" || c.Token != "" || c.May(bellcord.ScopeAdmin) || !slices.Equal(c.Scopes, auth.DefaultScopes) {
		t.Errorf("anna is %+v, %v", c, err)
	}
	root, err := e.bearer(i.jwt(claims{"sub": "root"}), home)
	if err != nil || !root.May(bellcord.ScopeAdmin) || root.Reach() != "" {
		t.Errorf("root is %+v, %v", root, err)
	}
	less := newEntrance(t, i.trusted(func(is *auth.Issuer) { is.Scopes = []bellcord.Scope{bellcord.ScopeStop} }))
	c, err = less.bearer(i.jwt(nil), home)
	if err != nil || !slices.Equal(c.Scopes, []bellcord.Scope{bellcord.ScopeStop}) {
		t.Errorf("with fewer scopes %+v, %v", c, err)
	}
}

func TestEnter_InvalidJWT_IsRefused(t *testing.T) {
	t.Parallel()
	i, other := newTestIssuer(t), newTestIssuer(t)
	e := newEntrance(t, i.trusted(nil))
	good := i.jwt(nil)
	hmac := func(key []byte) string {
		return i.signed(jose.SigningKey{Algorithm: jose.HS256, Key: key}, "one", nil)
	}
	for what, bad := range map[string]string{
		"another audience":            i.jwt(claims{"aud": "another"}),
		"no audience":                 i.jwt(claims{"aud": nil}),
		"an issuer we do not know":    other.jwt(nil),
		"another's key in our name":   other.jwt(claims{"iss": i.URL}),
		"our key in another's name":   i.jwt(claims{"iss": other.URL}),
		"no issuer":                   i.jwt(claims{"iss": nil}),
		"expired":                     i.jwt(claims{"exp": in(-time.Minute).Unix()}),
		"no end":                      i.jwt(claims{"exp": nil}),
		"not yet good":                i.jwt(claims{"nbf": in(time.Hour).Unix()}),
		"no algorithm":                i.unsigned("none", ""),
		"no algorithm, otherwise":     i.unsigned("None", "AA"),
		"no signature":                i.unsigned("ES256", ""),
		"a secret, the public key":    hmac(i.publicPEM()),
		"a signature of another text": good[:strings.LastIndex(good, ".")] + other.jwt(nil)[strings.LastIndex(other.jwt(nil), "."):],
		"no subject":                  i.jwt(claims{"sub": nil}),
		"an empty subject":            i.jwt(claims{"sub": ""}),
		"a subject with a newline":    i.jwt(claims{"sub": "anna\nroot"}),
		"a subject of no string":      i.jwt(claims{"sub": 7}),
		"a very long subject":         i.jwt(claims{"sub": strings.Repeat("a", 256)}),
		"garbage":                     "a.b.c",
	} {
		if c, err := e.bearer(bad, home); !isBad(err) || c.Owner != "" {
			t.Errorf("%s: %+v, %v", what, c, err)
		}
	}
	if _, err := e.bearer(good, home); err != nil {
		t.Errorf("the good one: %v", err)
	}
	if _, err := e.with(good, "x"); !isBad(err) {
		t.Errorf("a good one in a cookie: %v", err)
	}
}

func TestEnter_ForgedJWTs_AreLimited(t *testing.T) {
	t.Parallel()
	i := newTestIssuer(t)
	opts := i.trusted(nil)
	opts.Tries, opts.Refill = 0, time.Hour
	e := newEntrance(t, opts)
	good := i.jwt(nil)
	if _, err := e.bearer(good, home); err != nil {
		t.Fatal(err)
	}
	_, before := i.counts()
	forger := newTestIssuer(t)
	for range 100 {
		_, _ = e.bearer(forger.jwt(claims{"iss": i.URL}), home)
	}
	if _, after := i.counts(); after-before > 20 || after == before {
		t.Errorf("the issuer was asked %d times for the sake of forgeries", after-before)
	}
	if _, err := e.bearer(forger.jwt(claims{"iss": i.URL}), home); !isTooMany(err) {
		t.Errorf("the next: %v", err)
	}
	if _, err := e.bearer(good, home); err != nil {
		t.Errorf("one that was good before: %v", err)
	}
}

func TestEnter_KeysRotate_FetchesThemAgain(t *testing.T) {
	t.Parallel()
	i := newTestIssuer(t)
	e := newEntrance(t, i.trusted(nil))
	old := i.jwt(nil)
	for range 5 {
		if _, err := e.bearer(old, home); err != nil {
			t.Fatal(err)
		}
	}
	if requested, fetched := i.counts(); fetched != 1 || requested != 1 {
		t.Errorf("fetched %d times, asked %d times", fetched, requested)
	}
	before := i.key
	unknown := i.signed(jose.SigningKey{Algorithm: jose.ES256, Key: newTestIssuer(t).key}, "two", nil)
	if _, err := e.bearer(unknown, home); !isBad(err) {
		t.Errorf("a key nobody knows: %v", err)
	}
	i.rotate("two")
	if _, err := e.bearer(i.jwt(nil), home); err != nil {
		t.Errorf("after the rotation: %v", err)
	}
	if _, err := e.bearer(unknown, home); !isBad(err) {
		t.Errorf("the name of the new key on another: %v", err)
	}
	if _, err := e.bearer(i.signed(jose.SigningKey{Algorithm: jose.ES256, Key: before}, "one", nil), home); !isBad(err) {
		t.Errorf("the old key: %v", err)
	}
}

func TestEnter_IssuerDown_StillAcceptsTokens(t *testing.T) {
	t.Parallel()
	i := newTestIssuer(t)
	i.setDown(true)
	opts := i.trusted(nil)
	opts.Tries = 3
	e := newEntrance(t, opts)
	for range 10 {
		if c, err := e.bearer(i.jwt(nil), home); !errors.Is(err, auth.ErrUnavailable) || isBad(err) || c.Owner != "" {
			t.Fatalf("while it is down: %+v, %v", c, err)
		}
	}
	if requested, _ := i.counts(); requested != 1 {
		t.Errorf("it was asked %d times in a moment", requested)
	}
	text, _ := e.mint(nil)
	if _, err := e.bearer(text, home); err != nil {
		t.Errorf("a token of ours meanwhile: %v", err)
	}
}

func TestEnter_EmailClaim_MustBeVerified(t *testing.T) {
	t.Parallel()
	i := newTestIssuer(t)
	e := newEntrance(t, i.trusted(func(is *auth.Issuer) { is.Claim, is.Admins = "email", []string{"root@example.com"} }))
	for _, verified := range []any{nil, false, "true", 1} {
		if c, err := e.bearer(i.jwt(claims{"email": "root@example.com", "email_verified": verified}), home); !isBad(err) {
			t.Errorf("email_verified %v: %+v, %v", verified, c, err)
		}
	}
	c, err := e.bearer(i.jwt(claims{"email": "root@example.com", "email_verified": true}), home)
	if err != nil || c.Owner != "oidc:root@example.com" || !c.May(bellcord.ScopeAdmin) {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := e.bearer(i.jwt(claims{"sub": "root@example.com"}), home); !isBad(err) {
		t.Errorf("another claim: %v", err)
	}
}

func TestLogin_CodeOfJWTCaller_Works(t *testing.T) {
	t.Parallel()
	i := newTestIssuer(t)
	e := newEntrance(t, i.trusted(nil))
	c, err := e.bearer(i.jwt(claims{"sub": "auth0|" + strings.Repeat("5", 200)}), home)
	if err != nil {
		t.Fatal(err)
	}
	browser, err := e.browse(e.login(c))
	if err != nil || browser.Owner != c.Owner || !slices.Equal(browser.Scopes, c.Scopes) {
		t.Errorf("%+v, %v", browser, err)
	}
}

func TestCheck_TwoIssuers_MustHaveDistinctNames(t *testing.T) {
	t.Parallel()
	one, two := newTestIssuer(t), newTestIssuer(t)
	both := func(a, b string) auth.Options {
		return auth.Options{Tries: 1000, OIDC: []auth.Issuer{{Issuer: one.URL, Audience: audience, Name: a}, {Issuer: two.URL, Audience: audience, Name: b}}}
	}
	e := newEntrance(t, both("work", "home"))
	for i, want := range map[*testIssuer]string{one: "oidc:work:anna", two: "oidc:home:anna"} {
		if c, err := e.bearer(i.jwt(nil), home); err != nil || c.Owner != want {
			t.Errorf("%+v, %v; want %s", c, err, want)
		}
	}
	for _, bad := range []auth.Options{both("", ""), both("work", ""), both("work", "work"), both("work", "a:b")} {
		if bad.Check() == nil {
			t.Errorf("%+v passes", bad.OIDC)
		}
		if _, err := newEntrance(t, bad).bearer(one.jwt(nil), home); !isBad(err) {
			t.Errorf("%+v is trusted: %v", bad.OIDC, err)
		}
	}
}

func TestCheck_UnsafeIssuer_IsRefused(t *testing.T) {
	t.Parallel()
	for what, is := range map[string]auth.Issuer{
		"plain http":          {Issuer: "http://id.example.com", Audience: audience},
		"no address":          {Audience: audience},
		"a file":              {Issuer: "file:///etc/passwd", Audience: audience},
		"no audience":         {Issuer: "https://id.example.com"},
		"everybody an admin":  {Issuer: "https://id.example.com", Audience: audience, Scopes: []bellcord.Scope{bellcord.ScopeAdmin}},
		"a scope of its own":  {Issuer: "https://id.example.com", Audience: audience, Scopes: []bellcord.Scope{"root"}},
		"a name with a space": {Issuer: "https://id.example.com", Audience: audience, Name: "a b"},
	} {
		if (auth.Options{OIDC: []auth.Issuer{is}}).Check() == nil {
			t.Errorf("%s passes", what)
		}
	}
	if err := (auth.Options{OIDC: []auth.Issuer{{Issuer: "https://id.example.com", Audience: audience}}}).Check(); err != nil {
		t.Error(err)
	}
}

// An open stream must end with the credentials of its viewer.
func TestRecheck_JWTExpiredOrItsKeyRevoked_ReturnsBadCredentials(t *testing.T) {
	t.Parallel()
	i := newTestIssuer(t)
	e := newEntrance(t, i.trusted(nil))
	end := in(2 * time.Second).Truncate(time.Second)
	short, err := e.bearer(i.jwt(claims{"exp": end.Unix()}), home)
	if err != nil {
		t.Fatal(err)
	}
	long, err := e.bearer(i.jwt(nil), home)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []auth.Caller{short, long} {
		if err := e.Recheck(t.Context(), c); err != nil && time.Now().Before(end) {
			t.Errorf("a valid JWT: %v", err)
		}
	}
	<-time.After(time.Until(end))
	if err := e.Recheck(t.Context(), short); !isBad(err) {
		t.Errorf("the expired JWT: %v", err)
	}
	if err := e.Recheck(t.Context(), long); err != nil {
		t.Errorf("the other JWT: %v", err)
	}
	i.rotate("two")
	if _, err := e.bearer(i.jwt(nil), home); err != nil { // fetches the new keys
		t.Fatal(err)
	}
	if err := e.Recheck(t.Context(), long); !isBad(err) {
		t.Errorf("the JWT of a removed key: %v", err)
	}
	if strings.Contains(fmt.Sprintf("%+v", long), "ey") {
		t.Errorf("the JWT is printed: %+v", long)
	}
}
