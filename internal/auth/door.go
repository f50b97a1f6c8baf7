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
)

// The rate of one owner's requests that a server should allow if it is not told
// otherwise.
const (
	DefaultRate  = 200
	DefaultBurst = 1000
)

// Options of a Door.
type Options struct {
	OIDC   []Issuer
	Secure bool // browsers send the cookie over TLS only

	Tries  int           // bad credentials that a client may show at once; 0 for 20
	Refill time.Duration // after which it may show one more; 0 for a second

	Rate  int // requests of one owner in a second (see Allow); 0 for no limit
	Burst int // at once; 0 for five times the rate

	Logger *slog.Logger // nil: nothing is logged
}

// Door lets callers in. It is safe for use by many at once.
type Door struct {
	store   Store
	opts    Options
	issuers []*issuer

	bad  *limiter // of clients, for bad credentials
	rate *limiter // of owners; nil: no limit

	good    *shelf[[sha256.Size]byte, Caller] // who came lately, by hash of their credentials
	touched *shelf[string, struct{}]          // tokens whose use is on record
	codes   *shelf[[sha256.Size]byte, Caller] // by hash
	touches sync.WaitGroup
}

const (
	goodFor    = time.Hour
	touchEvery = time.Minute
	mostGood   = 10_000
	// checkTime is how long the store may take to say that credentials still hold.
	checkTime = time.Second
	mostCodes = 1000
)

// NewDoor returns a door to what the store's tokens are for. Issuers that do not
// pass Options.Check are not trusted.
func NewDoor(store Store, opts Options) *Door {
	if opts.Tries <= 0 {
		opts.Tries = 20
	}
	if opts.Refill <= 0 {
		opts.Refill = time.Second
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	d := &Door{
		store: store, opts: opts,
		bad:     newLimiter(opts.Refill, opts.Tries),
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
		opts.Logger.Error("no issuer is trusted", "error", err)
	} else {
		d.issuers = newIssuers(opts.OIDC, opts.Logger)
	}
	return d
}

// Close waits until the last uses of tokens are on record. Nobody may enter any
// more.
func (d *Door) Close() { d.touches.Wait() }

// Enter says who makes the request. client is the address it comes from, as the
// server sees it.
//
// A client that shows bad credentials, or none, too often is made to wait, from
// the same machine as from anywhere. Meanwhile credentials are still checked if
// they were good within the last hour: a flood of bad ones cannot keep a person
// from stopping a turn. Neither can a store that does not answer: who was good
// then may stop (see Caller.Unsure).
func (d *Door) Enter(r *http.Request, client string) (Caller, error) {
	key := clientKey(client)
	if inAddress(r.URL) {
		d.bad.take(key)
		return Caller{}, ErrInAddress
	}
	shown, err := credentialOf(r)
	var lately Caller
	known := false
	if err == nil {
		lately, known = d.good.look(shown.hash())
	}
	if !known {
		// It is taken before the check and given back after a good one: of many
		// who try at the same moment no more are checked than have a try.
		if wait := d.bad.take(key); wait > 0 {
			return Caller{}, &TooManyError{RetryAfter: wait}
		}
	}
	if err != nil {
		return Caller{}, err
	}
	ctx := r.Context()
	if known {
		soon, done := context.WithTimeout(ctx, checkTime)
		defer done()
		ctx = soon
	}
	caller, err := d.check(ctx, shown)
	d.settle(key, shown, caller, known, err)
	if known && err != nil && !errors.Is(err, ErrBadCredentials) {
		lately.Unsure = err
		return lately, nil
	}
	return caller, err
}

// settle remembers how a check went. That it could not be made is nobody's fault.
func (d *Door) settle(key string, shown credential, caller Caller, known bool, err error) {
	bad := errors.Is(err, ErrBadCredentials)
	switch {
	case bad && known: // it was good until now
		d.good.take(shown.hash())
		d.bad.take(key)
	case !bad && !known:
		d.bad.give(key)
	}
	if err == nil {
		d.good.put(shown.hash(), caller, time.Now().Add(goodFor))
	}
}

func (d *Door) check(ctx context.Context, shown credential) (Caller, error) {
	if shown.isJWT() {
		return d.checkJWT(ctx, shown.text)
	}
	id, secret, shaped := splitToken(shown.text)
	var t Token
	if shaped {
		var err error
		if t, err = d.store.Token(ctx, id); err != nil && !errors.Is(err, ErrNoToken) {
			return Caller{}, fmt.Errorf("looking up a token: %w", err)
		}
	}
	if !t.fits(secret) {
		return Caller{}, ErrBadCredentials
	}
	// From here on it is the owner who is told why.
	if t.Cookie != shown.cookie {
		return Caller{}, fmt.Errorf("%w: a browser's token is good in its cookie only, another in the header only", ErrBadCredentials)
	}
	now := time.Now()
	if state := t.State(now); state != Active {
		return Caller{}, fmt.Errorf("%w: the token is %s", ErrBadCredentials, state)
	}
	d.touch(ctx, t, now)
	return t.caller(), nil
}

func (t Token) caller() Caller {
	return Caller{Owner: t.Owner, Scopes: t.Scopes, Token: t.ID, Name: t.Name, Browser: t.Cookie}
}

// touch has the use put on record, beside: no request waits for the disk, least
// of all a stop.
func (d *Door) touch(ctx context.Context, t Token, now time.Time) {
	if now.Sub(t.Used) < touchEvery || !d.touched.add(t.ID, struct{}{}, now.Add(touchEvery)) {
		return
	}
	d.touches.Go(func() {
		if err := d.store.TouchToken(context.WithoutCancel(ctx), t.ID, now); err != nil {
			d.opts.Logger.Warn("a token's use was not recorded", "token", t.ID, "error", err)
		}
	})
}

// Allow counts a request of the caller's. It is for what costs something; a stop
// should not be asked about.
func (d *Door) Allow(c Caller) error {
	if d.rate == nil {
		return nil
	}
	if wait := d.rate.take(c.Owner); wait > 0 {
		return &TooManyError{RetryAfter: wait}
	}
	return nil
}
