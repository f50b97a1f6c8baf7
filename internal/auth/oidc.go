package auth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/bellcord/bellcord"
)

// ErrUnavailable means that an issuer cannot be reached, so that its JWTs can
// be neither accepted nor refused.
var ErrUnavailable = errors.New("the issuer of the token cannot be reached")

// oidcPrefix starts the owner names of all issuers, and no others.
const oidcPrefix = "oidc:"

// issuer checks the JWTs of one Issuer. Its keys are fetched with the first
// JWT, so that a server starts while its issuer is down.
type issuer struct {
	is     Issuer
	client *http.Client
	logger *slog.Logger

	verifier    atomic.Pointer[oidc.IDTokenVerifier]
	discovering chan struct{} // held during discovery
	failedAt    time.Time     // time of the last failed discovery
}

// retryDiscoveryAfter is the minimum time between attempts to reach an issuer that is
// down.
const retryDiscoveryAfter = 5 * time.Second

// DefaultClaim is the claim that names the owner if the settings of an issuer name none.
const DefaultClaim = "sub"

// DefaultScopes are the scopes of owners that are not admins of their issuer, if the
// settings of the issuer list none.
var DefaultScopes = []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopePrompt, bellcord.ScopeStop, bellcord.ScopeUndo}

func newIssuers(from []Issuer, logger *slog.Logger) []*issuer {
	var all []*issuer
	for _, i := range from {
		if i.Claim == "" {
			i.Claim = DefaultClaim
		}
		if len(i.Scopes) == 0 {
			i.Scopes = DefaultScopes
		}
		all = append(all, &issuer{is: i, client: boundedClient(), logger: logger, discovering: make(chan struct{}, 1)})
	}
	return all
}

// checkJWT returns the caller of a JWT. Scopes in its claims are ignored.
func (d *Door) checkJWT(ctx context.Context, text string) (Caller, error) {
	from := issuerOf(text)
	i := slices.IndexFunc(d.issuers, func(i *issuer) bool { return i.is.Issuer == from })
	if i < 0 {
		return Caller{}, fmt.Errorf("%w: the JWT is not from a trusted issuer", ErrBadCredentials)
	}
	verifier, err := d.issuers[i].discover(ctx)
	if err != nil {
		return Caller{}, err
	}
	caller, err := d.issuers[i].verifyToken(ctx, verifier, text)
	if err != nil {
		return Caller{}, &refusedJWT{from, err}
	}
	caller.jwt = &text
	return caller, nil
}

// refusedJWT means that a JWT is invalid. The error text does not contain the
// reason.
type refusedJWT struct {
	issuer string
	reason error
}

// Error implements error.
func (e *refusedJWT) Error() string { return e.Unwrap().Error() + ": the JWT was refused" }

// Unwrap returns ErrBadCredentials.
func (e *refusedJWT) Unwrap() error { return ErrBadCredentials }

// issuerOf returns the iss claim of a JWT without verifying it.
func issuerOf(text string) string {
	var claims struct {
		Issuer string `json:"iss"`
	}
	parts := strings.Split(text, ".")
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(payload, &claims) != nil {
		return ""
	}
	return claims.Issuer
}

// verifyToken verifies signature, issuer, audience and times, then takes the
// owner from the claim.
func (i *issuer) verifyToken(ctx context.Context, verifier *oidc.IDTokenVerifier, text string) (Caller, error) {
	token, err := verifier.Verify(ctx, text)
	if err != nil {
		return Caller{}, err
	}
	var claims map[string]any
	if err := token.Claims(&claims); err != nil {
		return Caller{}, err
	}
	subject, _ := claims[i.is.Claim].(string)
	if !isSubject(subject) {
		return Caller{}, fmt.Errorf("owner_claim %s is %q, which is not a valid owner name", i.is.Claim, subject)
	}
	if i.is.Claim == "email" && claims["email_verified"] != true {
		return Caller{}, fmt.Errorf("the email address %s is not verified", subject)
	}
	scopes := i.is.Scopes
	if slices.Contains(i.is.Admins, subject) {
		scopes = Scopes
	}
	return Caller{Owner: i.is.owner(subject), Scopes: slices.Clone(scopes), Name: subject}, nil
}

// discover fetches the issuer's configuration once. Only one request is in
// flight; it continues after its caller has gone, because other callers need
// the result too.
func (i *issuer) discover(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	if v := i.verifier.Load(); v != nil {
		return v, nil
	}
	select {
	case i.discovering <- struct{}{}:
		defer func() { <-i.discovering }()
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	}
	if v := i.verifier.Load(); v != nil {
		return v, nil
	}
	if time.Since(i.failedAt) < retryDiscoveryAfter {
		return nil, ErrUnavailable
	}
	provider, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), i.client), i.is.Issuer)
	if err != nil {
		i.failedAt = time.Now()
		i.logger.Warn("issuer unreachable", "issuer", i.is.Issuer, "err", err)
		return nil, ErrUnavailable
	}
	// The accepted algorithms are those that the issuer announces, without
	// symmetric ones and "none". The keys outlive the request.
	keys := oidc.ClientContext(context.Background(), i.client)
	v := provider.VerifierContext(keys, &oidc.Config{ClientID: i.is.Audience})
	i.verifier.Store(v)
	return v, nil
}
