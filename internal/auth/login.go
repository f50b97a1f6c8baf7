package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"
)

// ErrNotLoggedIn means that a request about browser logins does not come from
// one.
var ErrNotLoggedIn = errors.New("only a browser login can log itself or other logins out; revoke a token with bellcord token revoke")

const (
	codeFor   = time.Minute
	cookieFor = 30 * 24 * time.Hour
	// idleFor is how long an unused browser login stays valid.
	idleFor = 12 * time.Hour

	// codeLetters has 32 characters that are hard to confuse, so that the last
	// five bits of a byte select one uniformly: 50 bits in a code.
	codeLetters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
	codeLength  = 10
)

// Code returns a code with which a browser can log in as the caller, once,
// within a minute, without a token in a URL or typed by hand. The login gets
// the given scopes as far as the caller has them. Without given scopes it gets
// all of the caller's except admin.
func (d *Door) Code(c Caller, scopes ...bellcord.Scope) (code string, expires time.Time) {
	c.Scopes = c.lend(scopes)
	b := make([]byte, codeLength)
	_, _ = rand.Read(b) // never fails: the program exits instead
	for i := range b {
		b[i] = codeLetters[b[i]%byte(len(codeLetters))]
	}
	expires = time.Now().Add(codeFor)
	d.codes.put(codeHash(string(b)), c, expires)
	return string(b[:codeLength/2]) + "-" + string(b[codeLength/2:]), expires
}

// lend returns the scopes that a login on behalf of the caller gets.
func (c Caller) lend(requested []bellcord.Scope) (lent []bellcord.Scope) {
	for _, s := range Scopes {
		named := slices.Contains(requested, s) || len(requested) == 0 && s != bellcord.ScopeAdmin
		if named && c.May(s) {
			lent = append(lent, s)
		}
	}
	return lent
}

// codeHash returns the hash of a code, ignoring case, dashes and spaces.
func codeHash(code string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))))
}

// Login exchanges a code for the cookie of a login, which is accepted only together with
// signatures of the page's key (see PageHeader). Of several concurrent calls with the same
// code, one succeeds. The login ends with the token that created the code, when
// that is revoked or expires, and after twelve hours without use.
//
// The code is checked first, and only a refused one counts against the client's
// limit: a client that sends wrong codes too often gets a TooManyError. A right
// code never gets one, because the flood may come from its own address. Guessing
// stays hopeless: a code has 50 bits and is valid for a minute.
func (d *Door) Login(ctx context.Context, client, code, key string) (*http.Cookie, error) {
	if _, err := pageKey(key); err != nil {
		return nil, err
	}
	shown, t, err := d.redeem(ctx, code, key)
	if errors.Is(err, ErrBadCredentials) {
		if wait := d.logins.takeToken(clientKey(client)); wait > 0 {
			err = &TooManyError{RetryAfter: wait}
		}
	}
	if err != nil {
		return nil, err
	}
	d.good.put(shown.hash(), callerOf(t), time.Now().Add(goodFor))
	return d.cookie(shown.text, int(t.Expires.Sub(t.Created).Seconds())), nil
}

// redeem consumes the code and stores a browser token for it and the page's key.
func (d *Door) redeem(ctx context.Context, code, key string) (shown credential, t serverstore.Token, err error) {
	c, ok := d.codes.removeKey(codeHash(code))
	if !ok {
		return credential{}, serverstore.Token{}, fmt.Errorf("%w: the code is wrong, already used or expired", ErrBadCredentials)
	}
	now := time.Now()
	t = serverstore.Token{Owner: c.Owner, Name: "browser", Scopes: c.Scopes, Cookie: true, Created: now, Expires: now.Add(cookieFor)}
	if c.Token != "" {
		from, err := d.store.Token(ctx, c.Token)
		if err != nil && !errors.Is(err, serverstore.ErrNoToken) {
			return credential{}, serverstore.Token{}, fmt.Errorf("look up token: %w", err)
		}
		if err != nil || State(from, now) != Active {
			return credential{}, serverstore.Token{}, errCodeVoid
		}
		if !from.Expires.IsZero() && from.Expires.Before(t.Expires) {
			t.Expires = from.Expires
		}
		t.Parent = from.ID
		if from.Cookie { // logins created from a login are its siblings
			t.Parent = from.Parent
		}
	}
	shown = credential{page: key, cookie: true}
	if shown.text, t, err = draw(t, shown.page); err != nil {
		return credential{}, serverstore.Token{}, err
	}
	err = d.store.PutToken(ctx, t)
	if errors.Is(err, serverstore.ErrNoToken) { // revoked since the lookup
		err = errCodeVoid
	}
	return shown, t, err
}

var errCodeVoid = fmt.Errorf("%w: the token that created the code is no longer valid", ErrBadCredentials)

// Logout revokes the caller's cookie and returns a cookie that removes it from
// the browser.
func (d *Door) Logout(ctx context.Context, c Caller) (*http.Cookie, error) {
	if c.Token == "" {
		return nil, ErrNotLoggedIn
	}
	t, err := d.store.Token(ctx, c.Token)
	if err != nil {
		return nil, err
	}
	if !t.Cookie {
		return nil, ErrNotLoggedIn
	}
	if err := d.store.RevokeToken(ctx, t.ID, time.Now()); err != nil {
		return nil, err
	}
	return d.cookie("", -1), nil
}

func (d *Door) cookie(text string, seconds int) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure is a setting: there is no TLS on loopback
		Name: CookieName, Value: text, Path: "/", MaxAge: seconds,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: d.opts.Secure,
	}
}
