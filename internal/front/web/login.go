package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/front/web/page"
)

func (s *Server) loginRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/v1/me", "get-me", "Get the owner and the scopes of your credentials", bellcord.ScopeRead), s.me)
	code := route(http.MethodPost, "/v1/codes", "create-code", "Create a code that logs a browser in as you, once, within a minute", bellcord.ScopeRead)
	code.DefaultStatus = http.StatusCreated
	huma.Register(s.api, code, s.code)
	login := route(http.MethodPost, "/v1/login", "login", "Log a browser in with a code: sets its cookie, which is valid with signatures of the page's key", "")
	login.DefaultStatus = http.StatusNoContent
	login.Security = []map[string][]string{}
	login.MaxBodyBytes = mostLogin
	huma.Register(s.api, login, s.login)
	challenge := route(http.MethodGet, "/v1/challenge", "get-challenge", "Get a text that the page signs for its requests", "")
	challenge.Security = []map[string][]string{}
	huma.Register(s.api, challenge, s.challenge)
	logout := route(http.MethodPost, "/v1/logout", "logout", "Log this browser out", bellcord.ScopeRead)
	logout.DefaultStatus = http.StatusNoContent
	huma.Register(s.api, logout, s.logout)
	huma.Register(s.api, route(http.MethodGet, "/v1/logins", "list-logins", "List your other browser logins, without those that have a scope which this login lacks", bellcord.ScopeRead), s.logins)
	huma.Register(s.api, route(http.MethodPost, "/v1/logins/revoke-others", "revoke-other-logins", "Log out your other browsers: the logins that GET /v1/logins lists", bellcord.ScopeRead), s.revokeOthers)
}

type (
	withCookie struct {
		Cookie http.Cookie `header:"Set-Cookie"`
	}
	codeRequest struct{ Body *api.NewCode }
)

func (s *Server) me(ctx context.Context, _ *struct{}) (*struct{ Body api.Me }, error) {
	user := caller(ctx)
	return &struct{ Body api.Me }{api.Me{Owner: user.Owner, Scopes: bellcord.ScopeNames(user.Scopes)}}, nil
}

func (s *Server) code(ctx context.Context, in *codeRequest) (*struct{ Body api.Code }, error) {
	user := caller(ctx)
	var scopes []bellcord.Scope
	if in.Body != nil {
		for _, name := range in.Body.Scopes {
			if !user.May(bellcord.Scope(name)) {
				return nil, s.fail(errScope{bellcord.Scope(name)})
			}
			scopes = append(scopes, bellcord.Scope(name))
		}
	}
	code, expires := s.Door.Code(user, scopes...)
	return &struct{ Body api.Code }{api.Code{Code: code, Expires: expires, URL: s.URL()}}, nil
}

func (s *Server) login(ctx context.Context, in *struct{ Body api.Login }) (*withCookie, error) {
	cookie, err := s.Door.Login(ctx, clientFrom(ctx), in.Body.Code, in.Body.Key)
	if err != nil {
		return nil, s.fail(err)
	}
	return &withCookie{*cookie}, nil
}

func (s *Server) challenge(context.Context, *struct{}) (*struct{ Body api.Challenge }, error) {
	text, valid := s.Door.Challenge()
	return &struct{ Body api.Challenge }{api.Challenge{Challenge: text, ValidSeconds: int(valid.Seconds())}}, nil
}

func (s *Server) logout(ctx context.Context, _ *struct{}) (*withCookie, error) {
	cookie, err := s.Door.Logout(ctx, caller(ctx))
	if err != nil {
		return nil, s.fail(err)
	}
	return &withCookie{*cookie}, nil
}

func (s *Server) logins(ctx context.Context, _ *struct{}) (*struct{ Body api.Logins }, error) {
	others, err := s.Door.OtherLogins(ctx, caller(ctx))
	if err != nil {
		return nil, s.fail(err)
	}
	body := api.Logins{Others: make([]api.OtherLogin, len(others))}
	for i, t := range others {
		body.Others[i] = api.OtherLogin{Created: t.Created, Used: t.Used}
	}
	return &struct{ Body api.Logins }{body}, nil
}

func (s *Server) revokeOthers(ctx context.Context, _ *struct{}) (*struct{ Body api.RevokedLogins }, error) {
	n, err := s.Door.RevokeOtherLogins(ctx, caller(ctx))
	if err != nil {
		return nil, s.fail(err)
	}
	return &struct{ Body api.RevokedLogins }{api.RevokedLogins{Revoked: n}}, nil
}

// healthRoutes registers the routes for health, readiness, metrics and the
// page. The health routes need no credentials and reveal only the status and
// the version.
func (s *Server) healthRoutes() {
	tell := func(w http.ResponseWriter, status int, word string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(api.Health{Status: word, Version: s.Version}) // the client may have disconnected
	}
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { tell(w, http.StatusOK, "ok") })
	s.mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		switch err := s.Ready(r.Context()); {
		case err != nil:
			tell(w, http.StatusServiceUnavailable, s.Hide(err.Error()))
		default:
			tell(w, http.StatusOK, "ready")
		}
	})
	if s.Metrics != nil {
		s.mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
			if !caller(r.Context()).May(bellcord.ScopeRead) {
				s.writeProblem(w, r, errScope{bellcord.ScopeRead})
				return
			}
			s.Metrics.ServeHTTP(w, r)
		})
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if page.Holds(r) {
			page.ServeHTTP(w, r)
			return
		}
		s.writeProblem(w, r, errNowhere)
	})
}

// Ready returns the reason why a turn would not be accepted now, or nil.
func (s *Server) Ready(ctx context.Context) error {
	if s.Hub.Stats().Draining {
		if err := s.Leaving(); err != nil {
			return fmt.Errorf("%w: %w", errClosing, err)
		}
		return errClosing
	}
	if s.Hub.Failing() != nil {
		return bellcord.ErrStoreDown // the reason is in the log
	}
	if err := s.probeStore(ctx); err != nil {
		return err
	}
	if s.overloaded() {
		return errOverloaded
	}
	return nil
}
