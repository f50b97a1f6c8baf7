package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/serverstore"
)

// DefaultRate and DefaultBurst are the default request limit per owner.
const (
	DefaultRate  = 200
	DefaultBurst = 1000
)

// Options configures a Door.
type Options struct {
	OIDC   []Issuer
	Secure bool // browsers send the cookie over TLS only

	// ChallengeKey lets several nodes accept the same challenges; nil: each its own.
	ChallengeKey []byte

	Tries  int           // bad credentials that a client may present in a burst; 0 means 20
	Refill time.Duration // time until a client may present another; 0 means one second

	// CheckTime limits the check of credentials that were valid within the last hour;
	// 0 means one second.
	CheckTime time.Duration

	Rate  int // requests per second and owner (see Allow); 0 means no limit
	Burst int // requests in a burst; 0 means five times the rate

	Logger *slog.Logger // nil means no logging
}

// Door authenticates requests. It is safe for concurrent use.
type Door struct {
	store   serverstore.TokenStore
	opts    Options
	issuers []*issuer

	challenges challenges

	bad    *limiter      // per client, for bad credentials
	logins *limiter      // per client, for wrong codes
	rate   *limiter      // per owner; nil means no limit
	unseen chan struct{} // semaphore for checks of credentials that are not in good

	good    *shelf[[sha256.Size]byte, Caller] // callers of the last hour, by hash of their credentials
	touched *shelf[string, struct{}]          // tokens with a recent last-use time in the store
	codes   *shelf[[sha256.Size]byte, Caller] // unused login codes, by hash
	touches sync.WaitGroup
}

const (
	goodFor    = time.Hour
	touchEvery = time.Minute
	mostGood   = 10_000
	mostCodes  = 1000
	// mostUnseen limits the concurrent lookups that a flood of bad credentials
	// causes.
	mostUnseen = 8
)

// NewDoor returns a Door that checks tokens against the store. If Options.Check
// fails, no issuer is trusted.
func NewDoor(store serverstore.TokenStore, opts Options) *Door {
	if opts.Tries <= 0 {
		opts.Tries = 20
	}
	if opts.Refill <= 0 {
		opts.Refill = time.Second
	}
	if opts.CheckTime <= 0 {
		opts.CheckTime = time.Second
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	d := &Door{
		store: store, opts: opts, challenges: newChallenges(opts.ChallengeKey),
		bad:     newLimiter(opts.Refill, opts.Tries),
		logins:  newLimiter(opts.Refill, opts.Tries),
		unseen:  make(chan struct{}, mostUnseen),
		good:    newShelf[[sha256.Size]byte, Caller](mostGood),
		touched: newShelf[string, struct{}](mostGood),
		codes:   newShelf[[sha256.Size]byte, Caller](mostCodes),
	}
	if opts.Rate > 0 {
		if opts.Burst <= 0 {
			opts.Burst = opts.Rate * (DefaultBurst / DefaultRate)
		}
		d.rate = newLimiter(time.Second/time.Duration(opts.Rate), opts.Burst)
	}
	if err := opts.Check(); err != nil {
		opts.Logger.Error("invalid issuers; no JWT is accepted", "err", err)
	} else {
		d.issuers = newIssuers(opts.OIDC, opts.Logger)
	}
	return d
}

// Close waits until pending last-use times of tokens are written to the store.
// It must not run concurrently with Enter.
func (d *Door) Close() { d.touches.Wait() }

// Enter authenticates the request and returns its caller. client is the remote
// address as the server sees it.
//
// Credentials are checked first, and only bad ones count against a limit: a
// client that presents bad credentials, or none, too often gets a TooManyError.
// Valid credentials never get one, not even from the same address or right
// after a start. Secrets of 256 bits need no limit against guessing; login codes
// have a separate limit (see Login). While the store does not respond, callers
// that were valid within the last hour can still stop turns (see Caller.Unsure).
func (d *Door) Enter(r *http.Request, client string) (Caller, error) {
	key := clientKey(client)
	if inAddress(r.URL) {
		d.bad.takeToken(key)
		return Caller{}, ErrInAddress
	}
	shown, err := credentialOf(r)
	if err != nil {
		return Caller{}, d.refuse(key, err)
	}
	if shown.cookie {
		switch err := d.challenges.check(shown); {
		case errors.Is(err, ErrOldSignature): // after a restart, every page has one
			return Caller{}, err
		case err != nil:
			return Caller{}, d.refuse(key, err)
		}
	}
	lately, known := d.good.peek(shown.hash())
	caller, err := d.checkSoon(r.Context(), shown, known)
	switch {
	case errors.Is(err, ErrBadCredentials):
		d.good.removeKey(shown.hash()) // it may have been valid until now
		return Caller{}, d.refuse(key, err)
	case err != nil && known:
		lately.Unsure = err
		return lately, nil
	case err != nil:
		return Caller{}, err
	}
	d.good.put(shown.hash(), caller, time.Now().Add(goodFor))
	return caller, nil
}

// refuse counts bad credentials against the client's limit. It returns err, or
// a TooManyError above the limit. Refusals above the limit are not logged.
func (d *Door) refuse(key string, err error) error {
	if wait := d.bad.takeToken(key); wait > 0 {
		return &TooManyError{RetryAfter: wait}
	}
	var jwt *refusedJWT
	if errors.As(err, &jwt) {
		// The reason is logged and not returned: it reveals how the server is
		// configured.
		d.opts.Logger.Info("JWT refused", "issuer", jwt.issuer, "err", jwt.reason)
	}
	return err
}

// checkSoon calls checkCredential within a limit. Credentials that were valid
// within the last hour are checked within CheckTime. Of all others at most
// mostUnseen are checked concurrently, so that a flood of them does not
// overload the store.
func (d *Door) checkSoon(ctx context.Context, shown credential, known bool) (Caller, error) {
	if known {
		soon, done := context.WithTimeout(ctx, d.opts.CheckTime)
		defer done()
		return d.checkCredential(soon, shown)
	}
	select {
	case d.unseen <- struct{}{}:
		defer func() { <-d.unseen }()
	case <-ctx.Done():
		return Caller{}, ctx.Err()
	}
	return d.checkCredential(ctx, shown)
}

func (d *Door) checkCredential(ctx context.Context, shown credential) (Caller, error) {
	if shown.isJWT() {
		return d.checkJWT(ctx, shown.text)
	}
	id, secret, shaped := splitToken(shown.text)
	var t serverstore.Token
	if shaped {
		var err error
		if t, err = d.store.Token(ctx, id); err != nil && !errors.Is(err, serverstore.ErrNoToken) {
			return Caller{}, fmt.Errorf("look up token: %w", err)
		}
	}
	if !fits(t, secret, shown.page) {
		if shown.cookie {
			return Caller{}, errNotOneLogin
		}
		return Caller{}, errNoSuchToken
	}
	// The caller has proved ownership, so the errors below may give the reason.
	if t.Cookie != shown.cookie {
		return Caller{}, fmt.Errorf("%w: a browser's token works only in its cookie, any other token only in the Authorization header", ErrBadCredentials)
	}
	now := time.Now()
	if state := State(t, now); state != Active {
		if t.Cookie {
			return Caller{}, fmt.Errorf("%w: the login is %s; log in again with bellcord open", ErrBadCredentials, state)
		}
		return Caller{}, fmt.Errorf("%w: the token is %s", ErrBadCredentials, state)
	}
	d.touch(ctx, t, now)
	return callerOf(t), nil
}

// errNoSuchToken is returned for an unknown ID and for a wrong secret alike.
var errNoSuchToken = fmt.Errorf("%w: no such token; check it, or create one with bellcord token create", ErrBadCredentials)

var errNotOneLogin = fmt.Errorf("%w: the cookie and the header %s do not belong to the same login; log in again with bellcord open", ErrBadCredentials, PageHeader)

func callerOf(t serverstore.Token) Caller {
	return Caller{Owner: t.Owner, Scopes: t.Scopes, Token: t.ID, Name: t.Name, Browser: t.Cookie}
}

// touch records the use of the token in the background: no request waits for
// the disk, least of all a stop.
func (d *Door) touch(ctx context.Context, t serverstore.Token, now time.Time) {
	if now.Sub(t.Used) < touchEvery || !d.touched.putNew(t.ID, struct{}{}, now.Add(touchEvery)) {
		return
	}
	d.touches.Go(func() {
		if err := d.store.TouchToken(context.WithoutCancel(ctx), t.ID, now); err != nil {
			d.opts.Logger.Warn("use of token not recorded", "token", t.ID, "err", err)
		}
	})
}

// Allow counts a request against the owner's rate and returns a TooManyError
// above it. Call it for expensive requests, but not for stops.
func (d *Door) Allow(c Caller) error {
	if d.rate == nil {
		return nil
	}
	if wait := d.rate.takeToken(c.Owner); wait > 0 {
		return &TooManyError{RetryAfter: wait}
	}
	return nil
}
