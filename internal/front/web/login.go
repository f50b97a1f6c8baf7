package web

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord/internal/api"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/front/web/page"
)

func (s *Server) loginRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/v1/me", "get-me", "Who the server takes you for", auth.Read), s.me)
	code := route(http.MethodPost, "/v1/codes", "create-code", "A code with which a browser logs in as you, once, within a minute", auth.Read)
	code.DefaultStatus = http.StatusCreated
	huma.Register(s.api, code, s.code)
	login := route(http.MethodPost, "/v1/login", "login", "Log a browser in with a code: the answer sets its cookie", "")
	login.Security = []map[string][]string{}
	login.DefaultStatus = http.StatusNoContent
	huma.Register(s.api, login, s.login)
	logout := route(http.MethodPost, "/v1/logout", "logout", "Log this browser out", auth.Read)
	logout.DefaultStatus = http.StatusNoContent
	huma.Register(s.api, logout, s.logout)
}

type withCookie struct {
	Cookie http.Cookie `header:"Set-Cookie"`
}

func (s *Server) me(ctx context.Context, _ *struct{}) (*struct{ Body api.Me }, error) {
	who := caller(ctx)
	return &struct{ Body api.Me }{api.Me{Owner: who.Owner, Scopes: auth.Names(who.Scopes)}}, nil
}

func (s *Server) code(ctx context.Context, _ *struct{}) (*struct{ Body api.Code }, error) {
	code, expires := s.Door.Code(caller(ctx))
	return &struct{ Body api.Code }{api.Code{Code: code, Expires: expires, URL: s.URL()}}, nil
}

type loginRequest struct{ Body api.Login }

func (s *Server) login(ctx context.Context, in *loginRequest) (*withCookie, error) {
	cookie, err := s.Door.Login(ctx, clientFrom(ctx), in.Body.Code)
	if err != nil {
		return nil, s.fail(err)
	}
	return &withCookie{*cookie}, nil
}

func (s *Server) logout(ctx context.Context, _ *struct{}) (*withCookie, error) {
	cookie, err := s.Door.Logout(ctx, caller(ctx))
	if err != nil {
		return nil, s.fail(err)
	}
	return &withCookie{*cookie}, nil
}

// healthRoutes need nobody's credentials, and tell nobody anything but that.
func (s *Server) healthRoutes() {
	tell := func(w http.ResponseWriter, status int, word string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(api.Health{Status: word, Version: s.Version}) // whoever asked may have gone
	}
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { tell(w, http.StatusOK, "ok") })
	s.mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		switch err := s.Ready(r.Context()); {
		case err != nil:
			tell(w, http.StatusServiceUnavailable, err.Error())
		default:
			tell(w, http.StatusOK, "ready")
		}
	})
	if s.Metrics != nil {
		s.mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
			if !caller(r.Context()).May(auth.Read) {
				writeProblem(w, r, errScope{auth.Read})
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
		writeProblem(w, r, errNowhere)
	})
}

// Ready says why no turn would be accepted now; nil when one would.
func (s *Server) Ready(ctx context.Context) error {
	if s.Hub.Stats().Draining {
		return errClosing
	}
	if _, err := s.Hub.Tail(ctx, "none"); err != nil {
		s.Logger.Error("the store does not answer", "err", err)
		return errStore
	}
	return nil
}
