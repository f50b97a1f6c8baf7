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
)

// ErrNotLoggedIn answers a logout by one who came with no cookie.
var ErrNotLoggedIn = errors.New("only a browser login can be logged out; revoke a token with bellcord token revoke")

const (
	codeFor   = time.Minute
	cookieFor = 30 * 24 * time.Hour
	// idleFor is how long a browser's login stays good without being used.
	idleFor = 12 * time.Hour

	// 32 characters that nobody takes for one another, so that a byte's last five
	// bits choose one evenly: 50 bits in a code.
	codeLetters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
	codeLength  = 10
)

// Code returns a code with which a browser logs in as the caller, once, within
// a minute. No token has to be put into an address or typed for it. The login has
// the scopes that are named, as far as the caller has them; where none is named
// it has all of the caller's but admin.
func (d *Door) Code(c Caller, scopes ...bellcord.Scope) (code string, expires time.Time) {
	c.Scopes = c.lend(scopes)
	b := make([]byte, codeLength)
	_, _ = rand.Read(b) // never fails: the program ends instead
	for i := range b {
		b[i] = codeLetters[b[i]%byte(len(codeLetters))]
	}
	expires = time.Now().Add(codeFor)
	d.codes.put(codeHash(string(b)), c, expires)
	return string(b[:codeLength/2]) + "-" + string(b[codeLength/2:]), expires
}

// lend returns the scopes that the caller gives to a browser.
func (c Caller) lend(wanted []bellcord.Scope) (lent []bellcord.Scope) {
	for _, s := range Scopes {
		named := slices.Contains(wanted, s) || len(wanted) == 0 && s != bellcord.ScopeAdmin
		if named && c.May(s) {
			lent = append(lent, s)
		}
	}
	return lent
}

// codeHash is the same however people write the code.
func codeHash(code string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))))
}

// Browser is what a login gives a browser. Each request needs both.
type Browser struct {
	Cookie *http.Cookie
	Page   string // for the storage of the origin; sent as PageHeader
}

// LoginAttempt is a try that BeginLogin has taken from a client's limit.
type LoginAttempt struct {
	door *Door
	key  string
}

// BeginLogin takes one of the client's tries, or returns a TooManyError. A server
// calls it before it reads the code, so that a client without a try costs nothing.
func (d *Door) BeginLogin(client string) (*LoginAttempt, error) {
	key := clientKey(client)
	if wait := d.logins.takeToken(key); wait > 0 {
		return nil, &TooManyError{RetryAfter: wait}
	}
	return &LoginAttempt{d, key}, nil
}

// Login is BeginLogin and Redeem in one call.
func (d *Door) Login(ctx context.Context, client, code string) (Browser, error) {
	attempt, err := d.BeginLogin(client)
	if err != nil {
		return Browser{}, err
	}
	return attempt.Redeem(ctx, code)
}

// Redeem takes a code and returns the login for it, and gives the try back. A
// wrong code keeps it; of several who show the same one gets in. The login does
// not outlive the token that the code was asked for with, neither its revocation
// nor its end, and it ends when it is not used for twelve hours.
func (a *LoginAttempt) Redeem(ctx context.Context, code string) (Browser, error) {
	d := a.door
	shown, t, err := d.redeem(ctx, code)
	if errors.Is(err, ErrBadCredentials) {
		return Browser{}, err
	}
	d.logins.give(a.key)
	if err != nil {
		return Browser{}, err
	}
	d.good.put(shown.hash(), callerOf(t), time.Now().Add(goodFor))
	return Browser{Cookie: d.cookie(shown.text, int(t.Expires.Sub(t.Created).Seconds())), Page: shown.page}, nil
}

// redeem makes a browser's token of a code.
func (d *Door) redeem(ctx context.Context, code string) (shown credential, t bellcord.Token, err error) {
	c, ok := d.codes.removeKey(codeHash(code))
	if !ok {
		return credential{}, bellcord.Token{}, fmt.Errorf("%w: the code is wrong, already used or expired", ErrBadCredentials)
	}
	now := time.Now()
	t = bellcord.Token{Owner: c.Owner, Name: "browser", Scopes: c.Scopes, Cookie: true, Created: now, Expires: now.Add(cookieFor)}
	if c.Token != "" {
		from, err := d.store.Token(ctx, c.Token)
		if err != nil && !errors.Is(err, bellcord.ErrNoToken) {
			return credential{}, bellcord.Token{}, fmt.Errorf("look up token: %w", err)
		}
		if err != nil || State(from, now) != Active {
			return credential{}, bellcord.Token{}, errCodeVoid
		}
		if !from.Expires.IsZero() && from.Expires.Before(t.Expires) {
			t.Expires = from.Expires
		}
		t.Parent = from.ID
		if from.Cookie { // a browser that lets in another is its sibling
			t.Parent = from.Parent
		}
	}
	shown = credential{page: randomHex(32), cookie: true}
	if shown.text, t, err = draw(t, shown.page); err != nil {
		return credential{}, bellcord.Token{}, err
	}
	err = d.store.PutToken(ctx, t)
	if errors.Is(err, bellcord.ErrNoToken) { // revoked since we looked
		err = errCodeVoid
	}
	return shown, t, err
}

var errCodeVoid = fmt.Errorf("%w: the token that created the code is no longer valid", ErrBadCredentials)

// Logout revokes the cookie that the caller came with and returns the one that
// has the browser forget it.
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
