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

	"github.com/bellcord/bellcord/internal/front/web/page"
)

// What a request is refused for before it is looked at.
var (
	errHost     = errors.New("unrecognized Host header")
	errOrigin   = errors.New("request from another site refused; allow the site with --allow-origin")
	errNotJSON  = errors.New("the request body must be application/json")
	errTooLarge = errors.New("the request body is too large")
	errTooSlow  = errors.New("the request body arrived too slowly")
	errNowhere  = errors.New("nothing exists at this path; see /v1/openapi.json")
)

// answerTime bounds the time of an answer.
const answerTime = mostWait + 15*time.Second

// Handler is the door to the network: nobody comes in without credentials, from
// this machine neither.
func (s *Server) Handler() http.Handler {
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.writeProblem(w, r, errOrigin) }))
	for _, origin := range s.Origins {
		_ = cross.AddTrustedOrigin(origin) // checked when the server was set up
	}
	inside := cross.Handler(s.identify(s.mux))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.hurry(w)
		plainHeaders(w.Header())
		if s.Secure {
			w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		}
		switch {
		case !s.isOurs(r.Host):
			s.writeProblem(w, r, fmt.Errorf("%w %q; if it is a name of this server, add it with --allow-host", errHost, clip(r.Host, mostPlace)))
		case !s.isFromUs(r):
			s.writeProblem(w, r, errOrigin)
		default:
			inside.ServeHTTP(w, r)
		}
	})
}

// plainHeaders make sure that no answer of ours is taken for a page.
func plainHeaders(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// isOurs holds the Host against our names: a name of somebody else's that leads
// to us is an attack on who follows it.
func (s *Server) isOurs(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	return slices.ContainsFunc(s.Hosts, func(ours string) bool {
		if _, _, err := net.SplitHostPort(ours); err == nil {
			return strings.EqualFold(ours, host)
		}
		return strings.EqualFold(strings.Trim(ours, "[]"), strings.Trim(name, "[]"))
	})
}

// isFromUs looks at the Origin of every request that has one, reading ones too:
// nobody else's page has anything to ask here.
func (s *Server) isFromUs(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(s.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// open are the paths that need no credentials: they tell nothing, or give some.
// So do the page's files.
var open = []string{"/healthz", "/readyz", "/v1/openapi.json", "/v1/openapi.yaml", "/v1/login"}

// identify finds out who asks, and from where.
func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client := s.client(r)
		r = r.WithContext(context.WithValue(r.Context(), clientKey{}, client))
		if slices.Contains(open, r.URL.Path) || page.Holds(r) {
			next.ServeHTTP(w, r)
			return
		}
		who, err := s.Door.Enter(r, client)
		if err != nil {
			s.writeProblem(w, r, s.fail(err))
			return
		}
		next.ServeHTTP(w, as(r, who))
	})
}

type clientKey struct{}

// clientFrom is where a request is from, for who logs in.
func clientFrom(ctx context.Context) string {
	client, _ := ctx.Value(clientKey{}).(string)
	return client
}

// client is the address that a request is from.
func (s *Server) client(r *http.Request) string {
	if s.BehindProxy {
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

// hurry bounds the time of the body and of the answer. It comes before all else:
// a body is also waited for behind a refusal.
func (s *Server) hurry(w http.ResponseWriter) {
	control, now := http.NewResponseController(w), time.Now()
	_ = control.SetReadDeadline(now.Add(s.BodyTime)) // where it cannot be set there is no socket
	_ = control.SetWriteDeadline(now.Add(answerTime))
}
