package bellcord

import (
	"context"
	"fmt"
	"time"
)

// StopRequest is the one way to stop anything. It names a turn, or a scope that
// is resolved to a fixed set of turns when the hub receives it (law 1).
type StopRequest struct {
	Turn    TurnID    // this turn; or else
	Session SessionID // what this session runs (and, with QueueDrop, what waits in it); or else everything
	Owner   string    // only of sessions that are this one's; anybody's where empty (law 35)
	// Everywhere widens a session or everything to what other processes on the
	// same store run.
	Everywhere bool

	Cause Cause
	Mode  StopMode
	Queue QueueAction

	// Relayed means that another process received the request, at the time that
	// its cause says, and puts it on record: this one tells the turns it has.
	Relayed bool
}

// StopTurn asks for the stop of one turn.
func StopTurn(id TurnID, cause Cause) StopRequest { return StopRequest{Turn: id, Cause: cause} }

// StopSession asks for the stop of what a session runs.
func StopSession(id SessionID, cause Cause) StopRequest {
	return StopRequest{Session: id, Cause: cause}
}

// StopAll asks for the stop of everything this hub runs.
func StopAll(cause Cause) StopRequest { return StopRequest{Cause: cause} }

// StopMode says how soon a stop takes effect.
type StopMode string

// The modes. Force is for the second Ctrl-C: as Now, without the grace.
const (
	StopNow       StopMode = "now" // the default
	StopAfterStep StopMode = "after_step"
	StopForce     StopMode = "force"
)

// QueueAction says what becomes of the turns that wait behind a stopped one.
type QueueAction string

// The fates (law 29). Held turns wait until they are released, stopped or
// replaced; later prompts do not wait for them.
const (
	QueueHold QueueAction = "hold" // the default
	QueueDrop QueueAction = "drop" // stopped too, never started; their prompts come back on their receipts
	QueueNext QueueAction = "next" // the next one starts once the stopped one has settled
)

// CauseKind says what sort of thing stopped a turn.
type CauseKind string

// The causes.
const (
	CausePerson     CauseKind = "person"
	CauseDeadline   CauseKind = "deadline"
	CauseBudget     CauseKind = "budget"
	CauseStepLimit  CauseKind = "step_limit"
	CauseShutdown   CauseKind = "shutdown"
	CauseReplaced   CauseKind = "replaced"
	CauseDisconnect CauseKind = "disconnect"
)

// Cause is who stopped a turn, from where, why and when. It is the cause of the
// turn's context, and it is recorded. It is not a failure (law 11).
type Cause struct {
	Kind   CauseKind `json:"kind"`
	By     string    `json:"by,omitempty"`     // who
	Source string    `json:"source,omitempty"` // through which front
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`             // when a hub received it
	Mode   StopMode  `json:"mode,omitempty"` // where it is not the usual one
	// Queue is the fate that the stop declared for those that wait, where it is
	// not the usual one: the process that has the turn may hear it from the record.
	Queue QueueAction `json:"queue,omitempty"`
}

func (c *Cause) Error() string {
	s := "stopped: " + string(c.Kind)
	if c.By != "" {
		s += " " + c.By
	}
	if c.Source != "" {
		s += " from " + c.Source
	}
	if c.Reason != "" {
		s += fmt.Sprintf(" (%s)", c.Reason)
	}
	return s
}

// QueueAction is what the stop declared for those that wait.
func (c *Cause) QueueAction() QueueAction {
	if c.Queue == "" {
		return QueueHold
	}
	return c.Queue
}

// StopState says how far a stop has come.
type StopState string

// The states of a stop. StopStateWaitingForTurn: there is no such turn yet; should it come
// within EarlyStopLifetime, it is born stopped. StopStateWorkEnded: no work of the turn remains,
// and its end is on its way to the record.
const (
	StopStateWaitingForTurn StopState = "waiting_for_turn"
	StopStateInProgress     StopState = "stopping"
	StopStateWorkEnded      StopState = "work_ended"
	StopStateSettled        StopState = "settled"
	StopStateAlreadyEnded   StopState = "already_ended"
)

// UnderWay reports whether the turn's end is still to come.
func (s StopState) UnderWay() bool { return s == StopStateInProgress || s == StopStateWorkEnded }

// StopAnswer is what a stop did to one turn. The receipt is there once settled.
type StopAnswer struct {
	Turn    TurnID    `json:"turn"`
	State   StopState `json:"state"`
	Receipt *Receipt  `json:"receipt,omitempty"`
}

type forcedKey struct{}

// WithForced returns a context whose Forced channel is the given one.
func WithForced(ctx context.Context, forced <-chan struct{}) context.Context {
	return context.WithValue(ctx, forcedKey{}, forced)
}

// Forced returns a channel that is closed when a stop is to skip its grace; nil
// where ctx is not a turn's.
func Forced(ctx context.Context) <-chan struct{} {
	forced, _ := ctx.Value(forcedKey{}).(<-chan struct{})
	return forced
}
