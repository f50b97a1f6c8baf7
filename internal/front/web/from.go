package web

import (
	"context"
	"net/http"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/auth"
)

type fromKey struct{}

// as returns the request with the caller and the name of its source in the
// context. A browser login always counts as the page, whatever its User-Agent.
func as(r *http.Request, user auth.Caller) *http.Request {
	from := api.Surface(r.UserAgent())
	if user.Browser {
		from = api.FromPage
	}
	return r.WithContext(context.WithValue(auth.NewContext(r.Context(), user), fromKey{}, from))
}

// from returns the source of a request, for receipts.
func from(ctx context.Context) string {
	word, _ := ctx.Value(fromKey{}).(string)
	return word
}

// caller returns the authenticated caller. On routes without credentials it
// returns the zero Caller.
func caller(ctx context.Context) auth.Caller {
	c, _ := auth.From(ctx)
	return c
}

// cause returns the cause of a stop by the caller.
func cause(ctx context.Context, why string) bellcord.Cause {
	return bellcord.Cause{Kind: bellcord.CausePerson, By: caller(ctx).Owner, Source: from(ctx), Reason: why}
}
