package web

import (
	"context"
	"net/http"

	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/auth"
)

type fromKey struct{}

// as returns the request as the caller's, with the word for where it comes from.
// A browser that is logged in is the page, whatever it calls itself.
func as(r *http.Request, who auth.Caller) *http.Request {
	from := api.Surface(r.UserAgent())
	if who.Browser {
		from = api.FromPage
	}
	return r.WithContext(context.WithValue(auth.NewContext(r.Context(), who), fromKey{}, from))
}

// from is where a request comes from, for receipts.
func from(ctx context.Context) string {
	word, _ := ctx.Value(fromKey{}).(string)
	return word
}
