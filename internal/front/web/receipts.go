package web

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

func (s *Server) receipts(ctx context.Context, in *struct {
	Session string `query:"session" doc:"only turns of this session"`
	Turn    string `query:"turn" maxLength:"100" doc:"only turns whose id begins or ends with this text"`
	Limit   int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"maximum number of receipts"`
},
) (*struct{ Body api.Receipts }, error) {
	query := store.ReceiptQuery{Owner: caller(ctx).Reach(), Turn: in.Turn, Limit: in.Limit}
	if in.Session != "" {
		found, err := s.session(ctx, in.Session)
		if err != nil {
			return nil, s.fail(err)
		}
		query.Session = found.ID
	}
	found, err := s.Hub.Receipts(ctx, query)
	if err != nil {
		return nil, s.fail(err)
	}
	return &struct{ Body api.Receipts }{api.Receipts{Receipts: append([]bellcord.Receipt{}, found...)}}, nil
}
