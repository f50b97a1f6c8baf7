package web

import (
	"context"
	"net/http"

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
