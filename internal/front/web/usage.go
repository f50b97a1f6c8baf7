package web

import (
	"context"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// usage has the operations for the usage and the receipts of ended turns.
type usage struct {
	views
	hub usageReader
}

func (u *usage) register(o *operations) {
	add(o, route("GET /v1/usage", "get-usage", bellcord.ScopeRead, "Get the usage of your ended turns, by model"), u.sum)
	add(o, route("GET /v1/receipts", "list-receipts", bellcord.ScopeRead,
		"List the receipts of your ended turns, the last accepted first"), u.receipts)
}

func (u *usage) sum(ctx context.Context, in *struct {
	Session string    `query:"session" doc:"only turns of this session"`
	Since   time.Time `query:"since" doc:"only turns that ended since this time (RFC 3339)"`
},
) (api.Usage, error) {
	session, err := u.filter(ctx, in.Session)
	if err != nil {
		return api.Usage{}, err
	}
	sum, err := u.hub.SumUsage(ctx, store.SpendingQuery{Owner: caller(ctx).Reach(), Since: in.Since, Session: session})
	return api.Usage{Turns: sum.Turns, Models: append([]bellcord.ModelUsage{}, sum.Models...)}, err
}

func (u *usage) receipts(ctx context.Context, in *struct {
	Session string `query:"session" doc:"only turns of this session"`
	Turn    string `query:"turn" maxLength:"100" doc:"only turns whose id begins or ends with this text"`
	Limit   int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"maximum number of receipts"`
},
) (api.Receipts, error) {
	session, err := u.filter(ctx, in.Session)
	if err != nil {
		return api.Receipts{}, err
	}
	found, err := u.hub.Receipts(ctx, store.ReceiptQuery{
		Owner: caller(ctx).Reach(), Session: session, Turn: in.Turn, Limit: in.Limit,
	})
	return api.Receipts{Receipts: append([]bellcord.Receipt{}, found...)}, err
}

// filter returns the id of a session that the caller reaches, or "" for "",
// which means all of them.
func (u *usage) filter(ctx context.Context, id string) (bellcord.SessionID, error) {
	if id == "" {
		return "", nil
	}
	found, err := u.session(ctx, id)
	return found.ID, err
}
