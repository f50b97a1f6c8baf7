package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/front/web/page"
)

// Errors of requests that are refused before they are processed.
var (
	errHost     = errors.New("unrecognized Host header")
	errOrigin   = errors.New("request from another site refused; allow the site with --allow-origin")
	errNotJSON  = errors.New("the request body must be application/json")
	errTooLarge = errors.New("the request body is too large")
	errTooSlow  = errors.New("the request body arrived too slowly")
	errNowhere  = errors.New("nothing exists at this path; see /v1/openapi.json")
)

// answerTime limits the time to write a response.
const answerTime = mostWait + 15*time.Second

// guard decides whether a request is processed: by its host, origin,
// credentials, scope, rate and body.
type guard struct {
	problemWriter
	door           *auth.Door
	hosts, origins []string
	behindProxy    bool
	bodyTime       time.Duration
	inFlight       inFlight
}

// Handler returns the handler for the network. It requires credentials, also
// from the same machine, except for the paths in open and the page's files.
func (s *Server) Handler() http.Handler {
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.writeProblem(w, r, errOrigin)
	}))
	for _, origin := range s.guard.origins {
		_ = cross.AddTrustedOrigin(origin) // checked when the server was configured
	}
	inside := cross.Handler(s.guard.identify(s.mux))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.guard.hurry(w)
		plainHeaders(w.Header())
		if s.secure {
			w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		}
		switch {
		case !s.guard.isOurs(r.Host):
			s.writeProblem(w, r, fmt.Errorf("%w %q; if it is a name of this server, add it with --allow-host",
				errHost, clip(r.Host, mostPlace)))
		case !s.guard.isFromUs(r):
			s.writeProblem(w, r, errOrigin)
		default:
			inside.ServeHTTP(w, r)
		}
	})
}

// plainHeaders sets headers that keep browsers from rendering, caching or
// embedding a response.
func plainHeaders(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// isOurs reports whether the Host header is one of the server's names. Other
// names are refused to prevent DNS rebinding.
func (g *guard) isOurs(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if strings.Trim(port, "0123456789") != "" { // such as 127.0.0.1:4500.evil.example
		return false
	}
	return slices.ContainsFunc(g.hosts, func(own string) bool {
		if _, _, err := net.SplitHostPort(own); err == nil {
			return strings.EqualFold(own, host)
		}
		return strings.EqualFold(strings.Trim(own, "[]"), strings.Trim(name, "[]"))
	})
}

// isFromUs reports whether the Origin header is absent, matches the host or is
// allowed. Unlike CrossOriginProtection, it applies to read requests too.
func (g *guard) isFromUs(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(g.origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// open lists the paths that need no credentials: they reveal nothing, issue
// credentials, or check a share's token. The page's files need no credentials either.
var open = []string{"/healthz", "/readyz", "/v1/openapi.json", "/v1/openapi.yaml", "/v1/login", "/v1/challenge", "/v1/shared"}

// identify authenticates the request and adds the caller and the client's
// address to its context.
func (g *guard) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client := g.client(r)
		r = r.WithContext(context.WithValue(r.Context(), clientKey{}, client))
		if slices.Contains(open, r.URL.Path) || page.Holds(r) {
			next.ServeHTTP(w, r)
			return
		}
		user, err := g.door.Enter(r, client)
		if err != nil {
			g.Refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, as(r, user))
	})
}

type clientKey struct{}

// clientFrom returns the client's address, for the limit on logins.
func clientFrom(ctx context.Context) string {
	client, _ := ctx.Value(clientKey{}).(string)
	return client
}

// client returns the address of the client.
func (g *guard) client(r *http.Request) string {
	if g.behindProxy {
		if via := r.Header.Values("X-Forwarded-For"); len(via) > 0 {
			all := strings.Split(via[len(via)-1], ",")
			return strings.TrimSpace(all[len(all)-1])
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// hurry sets the deadlines for reading the body and writing the response. It
// must run first, because net/http also reads the body of a refused request.
func (g *guard) hurry(w http.ResponseWriter) {
	control, now := http.NewResponseController(w), time.Now()
	_ = control.SetReadDeadline(now.Add(g.bodyTime)) // fails only without a socket
	_ = control.SetWriteDeadline(now.Add(answerTime))
}

// checkScope refuses a caller that lacks the operation's scope or exceeds its
// request rate.
func (g *guard) checkScope(ctx huma.Context, next func(huma.Context)) {
	scope, _ := ctx.Operation().Metadata["scope"].(bellcord.Scope)
	if scope == "" {
		next(ctx)
		return
	}
	caller, known := auth.From(ctx.Context())
	var err error
	if caller.Local {
		r, _ := humago.Unwrap(ctx)
		if r, err = g.identified(r, scope); err == nil {
			ctx = huma.WithContext(ctx, r.Context())
			caller, _ = auth.From(ctx.Context())
		}
	}
	switch {
	case err != nil || caller.Local:
	case !known:
		err = auth.ErrNoCredentials
	default:
		err = g.allow(caller, scope)
	}
	if err == nil {
		next(ctx)
		return
	}
	r, w := humago.Unwrap(ctx)
	g.writeProblem(w, r, err)
}

// allow refuses a caller that lacks the scope or exceeds its request rate.
func (g *guard) allow(caller auth.Caller, scope bellcord.Scope) error {
	switch {
	case caller.Unsure != nil && scope != bellcord.ScopeStop:
		return fmt.Errorf("%w: %w", bellcord.ErrStoreDown, caller.Unsure)
	case !caller.May(scope):
		return errScope{scope}
	case scope != bellcord.ScopeStop: // stops are not rate-limited
		return g.door.Allow(caller)
	}
	return nil
}

// identified authenticates a request over the socket with its token, unless it
// only reads or stops.
func (g *guard) identified(r *http.Request, scope bellcord.Scope) (*http.Request, error) {
	if scope == bellcord.ScopeStop || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return r, nil
	}
	user, err := g.door.Enter(r, "")
	if err != nil {
		return r, errToken{err}
	}
	return as(r, user), nil
}
