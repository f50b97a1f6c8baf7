package web

import (
	"context"
	"net/http"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/auth"
)

// logins has the operations for credentials of people.
type logins struct {
	door *auth.Door
	url  func() string // of the page
}

func (l *logins) register(o *operations) {
	add(o, route("GET /v1/me", "get-me", bellcord.ScopeRead, "Get the owner and the scopes of your credentials"), l.me)
	add(o, withStatus(http.StatusCreated, route("POST /v1/codes", "create-code", bellcord.ScopeRead,
		"Create a code that logs a browser in as you, once, within a minute")), l.code)
	login := route("POST /v1/login", "login", "",
		"Log a browser in with a code: sets its cookie, which is valid with signatures of the page's key")
	login.MaxBodyBytes = mostLogin
	addResponse(o, withStatus(http.StatusNoContent, login), l.login)
	add(o, route("GET /v1/challenge", "get-challenge", "", "Get a text that the page signs for its requests"), l.challenge)
	addResponse(o, withStatus(http.StatusNoContent, route("POST /v1/logout", "logout", bellcord.ScopeRead,
		"Log this browser out")), l.logout)
	add(o, route("GET /v1/logins", "list-logins", bellcord.ScopeRead,
		"List your other browser logins, without those that have a scope which this login lacks"), l.others)
	add(o, route("POST /v1/logins/revoke-others", "revoke-other-logins", bellcord.ScopeRead,
		"Log out your other browsers: the logins that GET /v1/logins lists"), l.revokeOthers)
}

type (
	withCookie struct {
		Cookie http.Cookie `header:"Set-Cookie"`
	}
	codeRequest struct{ Body *api.NewCode }
)

func (l *logins) me(ctx context.Context, _ *struct{}) (api.Me, error) {
	user := caller(ctx)
	return api.Me{Owner: user.Owner, Scopes: bellcord.ScopeNames(user.Scopes)}, nil
}

func (l *logins) code(ctx context.Context, in *codeRequest) (api.Code, error) {
	user := caller(ctx)
	var scopes []bellcord.Scope
	if in.Body != nil {
		for _, name := range in.Body.Scopes {
			if !user.May(bellcord.Scope(name)) {
				return api.Code{}, errScope{bellcord.Scope(name)}
			}
			scopes = append(scopes, bellcord.Scope(name))
		}
	}
	code, expires := l.door.Code(user, scopes...)
	return api.Code{Code: code, Expires: expires, URL: l.url()}, nil
}

func (l *logins) login(ctx context.Context, in *struct{ Body api.Login }) (*withCookie, error) {
	cookie, err := l.door.Login(ctx, clientFrom(ctx), in.Body.Code, in.Body.Key)
	if err != nil {
		return nil, err
	}
	return &withCookie{*cookie}, nil
}

func (l *logins) challenge(context.Context, *struct{}) (api.Challenge, error) {
	text, valid := l.door.Challenge()
	return api.Challenge{Challenge: text, ValidSeconds: int(valid.Seconds())}, nil
}

func (l *logins) logout(ctx context.Context, _ *struct{}) (*withCookie, error) {
	cookie, err := l.door.Logout(ctx, caller(ctx))
	if err != nil {
		return nil, err
	}
	return &withCookie{*cookie}, nil
}

func (l *logins) others(ctx context.Context, _ *struct{}) (api.Logins, error) {
	others, err := l.door.OtherLogins(ctx, caller(ctx))
	all := api.Logins{Others: make([]api.OtherLogin, len(others))}
	for i, t := range others {
		all.Others[i] = api.OtherLogin{Created: t.Created, Used: t.Used}
	}
	return all, err
}

func (l *logins) revokeOthers(ctx context.Context, _ *struct{}) (api.RevokedLogins, error) {
	n, err := l.door.RevokeOtherLogins(ctx, caller(ctx))
	return api.RevokedLogins{Revoked: n}, err
}
