package web

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
)

// Hub is the part of the core that the server uses. In a cluster it is a node,
// which forwards requests for turns of other nodes and waits for them for a
// bounded time.
type Hub interface {
	reader
	sessionEditor
	prompter
	stopper
	queueEditor
	awaiter
	usageReader
	healthReader
}

type (
	reader interface {
		Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error)
		Sessions(ctx context.Context, q store.SessionQuery) ([]bellcord.Session, error)
		Turn(ctx context.Context, id bellcord.TurnID) (store.TurnRecord, error)
		TurnAnswer(ctx context.Context, id bellcord.TurnID) (bellcord.TurnAnswer, error)
		UnendedTurns(ctx context.Context, session bellcord.SessionID) ([]store.TurnRecord, error)
		QueueEntries(turns []store.TurnRecord) map[bellcord.TurnID]bellcord.QueueEntry
		Events(ctx context.Context, id bellcord.SessionID, after int64) (*hub.Cursor, error)
		Tail(ctx context.Context, id bellcord.SessionID) (int64, error)
	}
	sessionEditor interface {
		OpenSession(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error)
		NewSession(ctx context.Context, s bellcord.Session) (bellcord.Session, error)
		Configure(id bellcord.SessionID, change bellcord.SessionUpdated) (bellcord.Session, error)
		Clear(id bellcord.SessionID, cause bellcord.Cause) (*hub.Stopping, error)
		Rewind(ctx context.Context, id bellcord.SessionID, turn bellcord.TurnID) (bellcord.ConversationRewound, error)
		DeleteSession(ctx context.Context, id bellcord.SessionID, cause bellcord.Cause) error
	}
	prompter interface {
		Accept(ctx context.Context, session bellcord.SessionID, p bellcord.Prompt) (bellcord.TurnID, error)
		Answer(turn bellcord.TurnID, question string, r bellcord.Reply, by string) error
	}
	stopper interface {
		Stop(req bellcord.StopRequest) *hub.Stopping
	}
	queueEditor interface {
		Edit(id bellcord.TurnID, text string) error
		MoveToFront(id bellcord.TurnID) error
		Release(session bellcord.SessionID, turns ...bellcord.TurnID)
	}
	awaiter interface {
		Await(ctx context.Context, id bellcord.TurnID) error
	}
	usageReader interface {
		Spending(ctx context.Context, q store.SpendingQuery) ([]store.Spending, error)
		SumUsage(ctx context.Context, q store.SpendingQuery) (store.UsageSum, error)
		Receipts(ctx context.Context, q store.ReceiptQuery) ([]bellcord.Receipt, error)
	}
	healthReader interface {
		Stats() hub.Stats
		Health() error
	}
)
