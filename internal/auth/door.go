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

	"github.com/bellcord/bellcord"
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
	store   bellcord.TokenStore
	opts    Options
	issuers []*issuer

	bad    *limiter      // of clients, for bad credentials
	logins *limiter      // of clients, for wrong codes
	rate   *limiter      // of owners; nil: no limit
	unseen chan struct{} // held while credentials are checked that were not good lately

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
	// mostUnseen bounds how many lookups a flood of bad credentials makes at once.
	mostUnseen = 8
)

// NewDoor returns a door to what the store's tokens are for. Issuers that do not
// pass Options.Check are not trusted.
func NewDoor(store bellcord.TokenStore, opts Options) *Door {
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

// Close waits until the last uses of tokens are on record. Nobody may enter any
// more.
func (d *Door) Close() { d.touches.Wait() }

// Enter says who makes the request. client is the address it comes from, as the
// server sees it.
//
// Credentials are checked first and counted afterwards, and only bad ones are
// counted: a client that shows bad credentials, or none, too often gets a
// TooManyError, and good credentials never do, also not from the same address or
// right after a start. Secrets of 256 bits need no limit against guessing; codes,
// which are shorter, have one of their own (BeginLogin). A store that does not
// answer keeps nobody from stopping who was good within the last hour (see
// Caller.Unsure).
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
	lately, known := d.good.look(shown.hash())
	caller, err := d.checkSoon(r.Context(), shown, known)
	switch {
	case errors.Is(err, ErrBadCredentials):
		d.good.removeKey(shown.hash()) // it may have been good until now
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

// refuse counts bad credentials of a client. It returns why they are refused, or a
// TooManyError where there were too many; only the former is worth a line in the
// log.
func (d *Door) refuse(key string, err error) error {
	if wait := d.bad.takeToken(key); wait > 0 {
		return &TooManyError{RetryAfter: wait}
	}
	var jwt *refusedJWT
	if errors.As(err, &jwt) {
		// The reason is the operator's to know: it says how the server is set up.
		d.opts.Logger.Info("JWT refused", "issuer", jwt.issuer, "err", jwt.reason)
	}
	return err
}

// checkSoon is check with a bound. Credentials that were good lately are checked
// within checkTime; of the others only so many are checked at once, so that a
// flood of them leaves the store to everybody else.
func (d *Door) checkSoon(ctx context.Context, shown credential, known bool) (Caller, error) {
	if known {
		soon, done := context.WithTimeout(ctx, checkTime)
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
	var t bellcord.Token
	if shaped {
		var err error
		if t, err = d.store.Token(ctx, id); err != nil && !errors.Is(err, bellcord.ErrNoToken) {
			return Caller{}, fmt.Errorf("look up token: %w", err)
		}
	}
	if !fits(t, secret, shown.page) {
		if shown.cookie {
			return Caller{}, errNotOneLogin
		}
		return Caller{}, errNoSuchToken
	}
	// From here on it is the owner who is told why. Logins that were made before
	// there was a secret of the page have a hash that fits without one.
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

// errNoSuchToken answers an unknown id and a wrong secret alike.
var errNoSuchToken = fmt.Errorf("%w: no such token; check it, or create one with bellcord token create", ErrBadCredentials)

var errNotOneLogin = fmt.Errorf("%w: the cookie and the header %s do not belong to the same login; log in again with bellcord open", ErrBadCredentials, PageHeader)

func callerOf(t bellcord.Token) Caller {
	return Caller{Owner: t.Owner, Scopes: t.Scopes, Token: t.ID, Name: t.Name, Browser: t.Cookie}
}

// touch has the use put on record, beside: no request waits for the disk, least
// of all a stop.
func (d *Door) touch(ctx context.Context, t bellcord.Token, now time.Time) {
	if now.Sub(t.Used) < touchEvery || !d.touched.putNew(t.ID, struct{}{}, now.Add(touchEvery)) {
		return
	}
	d.touches.Go(func() {
		if err := d.store.TouchToken(context.WithoutCancel(ctx), t.ID, now); err != nil {
			d.opts.Logger.Warn("use of token not recorded", "token", t.ID, "err", err)
		}
	})
}

// Allow counts a request of the caller's. It is for what costs something; a stop
// should not be asked about.
func (d *Door) Allow(c Caller) error {
	if d.rate == nil {
		return nil
	}
	if wait := d.rate.takeToken(c.Owner); wait > 0 {
		return &TooManyError{RetryAfter: wait}
	}
	return nil
}
