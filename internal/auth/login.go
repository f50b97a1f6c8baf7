package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// ErrNotLoggedIn answers a logout by one who came with no cookie.
var ErrNotLoggedIn = errors.New("only a browser's login is logged out; a token is revoked with bellcord token revoke")

const (
	codeFor   = time.Minute
	cookieFor = 30 * 24 * time.Hour

	// 32 characters that nobody takes for one another, so that a byte's last five
	// bits choose one evenly: 50 bits in a code.
	codeLetters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
	codeLength  = 10
)

// Code returns a code with which a browser logs in as the caller, once, within
// a minute. No token has to be put into an address or typed for it.
func (d *Door) Code(c Caller) (code string, expires time.Time) {
	b := make([]byte, codeLength)
	_, _ = rand.Read(b) // never fails: the program ends instead
	for i := range b {
		b[i] = codeLetters[b[i]%byte(len(codeLetters))]
	}
	expires = time.Now().Add(codeFor)
	d.codes.put(codeHash(string(b)), c, expires)
	return string(b[:codeLength/2]) + "-" + string(b[codeLength/2:]), expires
}

// codeHash is the same however people write the code.
func codeHash(code string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))))
}

// Login takes a code and returns the cookie for it. A wrong code counts as bad
// credentials; of several who show the same one gets in. The cookie does not
// outlive the token that the code was asked for with, neither its revocation nor
// its end.
func (d *Door) Login(ctx context.Context, client, code string) (*http.Cookie, error) {
	key := clientKey(client)
	if wait := d.bad.take(key); wait > 0 {
		return nil, &TooManyError{RetryAfter: wait}
	}
	text, t, err := d.redeem(ctx, code)
	if errors.Is(err, ErrBadCredentials) {
		return nil, err
	}
	d.bad.give(key)
	if err != nil {
		return nil, err
	}
	d.good.put(credential{text: text}.hash(), t.caller(), time.Now().Add(goodFor))
	return d.cookie(text, int(t.Expires.Sub(t.Created).Seconds())), nil
}

// redeem makes a browser's token of a code.
func (d *Door) redeem(ctx context.Context, code string) (text string, t Token, err error) {
	c, ok := d.codes.take(codeHash(code))
	if !ok {
		return "", Token{}, fmt.Errorf("%w: the code is wrong, was used or is too old", ErrBadCredentials)
	}
	now := time.Now()
	t = Token{Owner: c.Owner, Name: "browser", Scopes: c.Scopes, Cookie: true, Created: now, Expires: now.Add(cookieFor)}
	if c.Token != "" {
		from, err := d.store.Token(ctx, c.Token)
		if err != nil && !errors.Is(err, ErrNoToken) {
			return "", Token{}, fmt.Errorf("looking up a token: %w", err)
		}
		if err != nil || from.State(now) != Active {
			return "", Token{}, errCodeVoid
		}
		if !from.Expires.IsZero() && from.Expires.Before(t.Expires) {
			t.Expires = from.Expires
		}
		t.Parent = from.ID
		if from.Cookie { // a browser that lets in another is its sibling
			t.Parent = from.Parent
		}
	}
	if text, t, err = draw(t); err != nil {
		return "", Token{}, err
	}
	err = d.store.PutToken(ctx, t)
	if errors.Is(err, ErrNoToken) { // revoked since we looked
		err = errCodeVoid
	}
	return text, t, err
}

var errCodeVoid = fmt.Errorf("%w: the code was made with a token that is no longer good", ErrBadCredentials)

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
