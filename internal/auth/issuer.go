package auth

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
)

// Issuer is an OpenID Connect issuer that the server trusts. The permissions of
// its JWTs are defined here only.
type Issuer struct {
	Issuer   string           // its URL, equal to the iss claim of its JWTs
	Audience string           // required aud claim
	Name     string           // part of its owners' names; required when there are several issuers
	Claim    string           // claim with the owner's name; "" means sub. With email, email_verified must be true
	Admins   []string         // claim values of the admins
	Scopes   []bellcord.Scope // scopes of all others; empty means read, prompt, stop
}

// owner returns the owner name for a value of the claim.
func (i Issuer) owner(subject string) string {
	if i.Name != "" {
		return oidcPrefix + i.Name + ":" + subject
	}
	return oidcPrefix + subject
}

// Check returns an error if an issuer is invalid. Two issuers never share an
// owner name; otherwise an account with one would give access to the sessions
// of the other.
func (o Options) Check() error {
	seen := map[string]bool{}
	for _, i := range o.OIDC {
		if err := i.validate(); err != nil {
			return fmt.Errorf("issuer %q: %w", i.Issuer, err)
		}
		if len(o.OIDC) > 1 && i.Name == "" {
			return fmt.Errorf("issuer %q: needs a name, because there are several issuers", i.Issuer)
		}
		if seen[i.Issuer] || seen[i.Name] {
			return fmt.Errorf("issuer %q: another issuer has the same address or name", i.Issuer)
		}
		seen[i.Issuer], seen[i.Name] = true, true
	}
	return nil
}

func (i Issuer) validate() error {
	u, err := url.Parse(i.Issuer)
	if err != nil {
		return err
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())) || u.Host == "" {
		return fmt.Errorf("must be an https URL, because its keys are fetched from there")
	}
	if i.Audience == "" {
		return fmt.Errorf("audience is missing; without it, JWTs issued for other applications would be accepted")
	}
	if i.Name != "" {
		if err := checkName("name", i.Name, ""); err != nil {
			return err
		}
		if strings.Contains(i.Name, ":") {
			return fmt.Errorf("name %q: must not contain a colon", i.Name)
		}
	}
	if len(i.Scopes) == 0 {
		return nil
	}
	if slices.Contains(i.Scopes, bellcord.ScopeAdmin) {
		return fmt.Errorf("the admin scope cannot be given to everyone: list the admins in admins")
	}
	_, err = orderly(i.Scopes)
	return err
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

const longestSubject = 255 // the limit of OpenID Connect

// isSubject reports whether the claim value may become an owner name. It
// accepts more characters than checkName.
func isSubject(subject string) bool {
	return subject != "" && len(subject) <= longestSubject &&
		!strings.ContainsFunc(subject, func(r rune) bool { return r <= ' ' || r > '~' })
}

const (
	issuerPatience = 10 * time.Second
	longestAnswer  = 1 << 20
)

// boundedClient returns a client with a limit on time, response size and rate.
// The rate matters because every JWT with an unknown key ID, even a forged one,
// triggers a request for the issuer's keys.
func boundedClient() *http.Client {
	return &http.Client{Timeout: issuerPatience, Transport: bounded{http.DefaultTransport, newLimiter(time.Second, mostQuestions)}}
}

// mostQuestions is the burst of requests to an issuer; then one per second.
const mostQuestions = 20

var errAskedLately = errors.New("too many requests for the issuer's keys")

type bounded struct {
	http.RoundTripper
	limit *limiter
}

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.limit.takeToken("") > 0 {
		return nil, errAskedLately
	}
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = http.MaxBytesReader(nil, answer.Body, longestAnswer)
	}
	return answer, err
}
