package web

import (
	"context"

	"github.com/bellcord/bellcord"
)

// Hub is what the front needs of the core. In a cluster it is a node, which
// passes on what concerns the turns of another one, and waits for it a bounded
// time.
type Hub interface {
	NewSession(ctx context.Context, s bellcord.Session) (bellcord.Session, error)
	OpenSession(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error)
	Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error)
	Sessions(ctx context.Context, q bellcord.SessionQuery) ([]bellcord.Session, error)
	Configure(id bellcord.SessionID, change bellcord.Configured) (bellcord.Session, error)
	Clear(id bellcord.SessionID, cause bellcord.Cause) (*bellcord.Stopping, error)
	DeleteSession(ctx context.Context, id bellcord.SessionID, cause bellcord.Cause) error

	Accept(ctx context.Context, session bellcord.SessionID, p bellcord.Prompt) (bellcord.TurnID, error)
	Stop(req bellcord.StopRequest) *bellcord.Stopping
	Answer(turn bellcord.TurnID, question, choice, by string) error
	Edit(id bellcord.TurnID, text string) error
	Send(id bellcord.TurnID) error
	Release(session bellcord.SessionID)

	Turn(ctx context.Context, id bellcord.TurnID) (bellcord.TurnRecord, error)
	Unended(ctx context.Context, session bellcord.SessionID) ([]bellcord.TurnRecord, error)
	Standings(turns []bellcord.TurnRecord) map[bellcord.TurnID]bellcord.Standing
	Await(ctx context.Context, id bellcord.TurnID) error
	Events(ctx context.Context, id bellcord.SessionID, after int64) (*bellcord.Cursor, error)
	Tail(ctx context.Context, id bellcord.SessionID) (int64, error)
	Spending(ctx context.Context, q bellcord.SpendingQuery) ([]bellcord.Spending, error)
	Stats() bellcord.Stats
}
