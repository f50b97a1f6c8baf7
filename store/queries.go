package store

import (
	"time"

	"github.com/bellcord/bellcord"
)

// SessionQuery selects sessions. Dir and Owner select all if empty. Before and
// BeforeID are the position of the last session of the previous page, zero for
// the first page. Limit 0 means no limit.
type SessionQuery struct {
	Dir      string
	Owner    string
	Before   time.Time          // that session's Updated time
	BeforeID bellcord.SessionID // that session's id, for sessions with the same Updated time
	Limit    int
}

// ReceiptQuery selects the receipts of ended turns. Session, Owner and Turn
// select all if empty. Limit 0 means no limit.
type ReceiptQuery struct {
	Session bellcord.SessionID
	Owner   string
	Turn    string // beginning or end of the turn's id, in any case
	Limit   int
}

// TurnRecord is a turn as it is stored.
type TurnRecord struct {
	ID       bellcord.TurnID
	Session  bellcord.SessionID
	State    bellcord.TurnState
	Fence    int64
	FirstSeq int64 // sequence number of its TurnAccepted event
	Accepted time.Time
	Node     string            // id of the process that has the turn
	Prompt   bellcord.Prompt   // without its images, which are in the event
	Stop     *bellcord.Cause   // the recorded stop, if any
	Receipt  *bellcord.Receipt // set once the turn has ended
	RanOn    string            // set by TakeOver: the name of the dead node that ran the turn, if the store has it
}

// Spending is the usage of one model in one turn. It is kept when the session
// is deleted.
type Spending struct {
	At      time.Time // end of the turn
	Turn    bellcord.TurnID
	Session bellcord.SessionID
	bellcord.ModelUsage
}

// SpendingQuery selects spending. Session and Owner select all if empty, Since
// if zero.
type SpendingQuery struct {
	Session bellcord.SessionID
	Owner   string
	Since   time.Time
}
