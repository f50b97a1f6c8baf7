package bellcord

import (
	"context"
	"fmt"
	"time"
)

// StopRequest is a request to stop one turn or a set of turns. All stops, of
// every origin, are made by it. A scope is resolved to a fixed set of turns
// when the hub receives the request (law 1).
type StopRequest struct {
	Turn    TurnID    // the turn to stop; empty for a scope
	Call    string    // stops only this running call of Turn, and the turn continues; the turn must be in this process
	Session SessionID // scope: the running turn of this session, with QueueDrop also its queued turns; empty for all sessions
	Owner   string    // restricts the request to sessions of this owner; empty for any owner (law 35)
	// Everywhere extends a stop of a session or of all sessions to turns of
	// other processes that share the store.
	Everywhere bool

	Cause Cause
	Mode  StopMode
	Queue QueueAction

	// Relayed means that another process received the request, at Cause.At, and
	// records it. This process only cancels its turns.
	Relayed bool
}

// StopTurn returns a request to stop one turn.
func StopTurn(id TurnID, cause Cause) StopRequest { return StopRequest{Turn: id, Cause: cause} }

// StopSession returns a request to stop the running turn of a session.
func StopSession(id SessionID, cause Cause) StopRequest {
	return StopRequest{Session: id, Cause: cause}
}

// StopAll returns a request to stop all running turns of the hub.
func StopAll(cause Cause) StopRequest { return StopRequest{Cause: cause} }

// StopMode determines when a stop takes effect.
type StopMode string

// The modes. StopAfterStep lets the current step finish; a turn that has not
// started has none, and is stopped now. StopForce is StopNow
// without a grace period, as for a second Ctrl-C.
const (
	StopNow       StopMode = "now" // the default
	StopAfterStep StopMode = "after_step"
	StopForce     StopMode = "force"
)

// QueueAction determines what happens to the turns queued behind a stopped one.
type QueueAction string

// The actions (law 29). Held turns wait until they are released, stopped or
// replaced; later prompts do not wait for them.
const (
	QueueHold QueueAction = "hold" // the default
	QueueDrop QueueAction = "drop" // they are stopped without having started; their receipts contain their prompts
	QueueNext QueueAction = "next" // the next one starts when the stopped one has settled
)

// CauseKind is the kind of event that stopped a turn.
type CauseKind string

// The kinds of causes.
const (
	CausePerson     CauseKind = "person"
	CauseDeadline   CauseKind = "deadline"
	CauseBudget     CauseKind = "budget"
	CauseStepLimit  CauseKind = "step_limit"
	CauseShutdown   CauseKind = "shutdown"
	CauseReplaced   CauseKind = "replaced"
	CauseDisconnect CauseKind = "disconnect"
)

// Cause describes a stop: its kind, who or what requested it, from where, why
// and when. It is recorded with the turn, and context.Cause of the turn's
// canceled context returns it. A stop is not a failure (law 11).
type Cause struct {
	Kind   CauseKind `json:"kind"`
	By     string    `json:"by,omitempty"`     // user or component that requested the stop
	Source string    `json:"source,omitempty"` // frontend that received the stop
	Reason string    `json:"reason,omitempty"` // text given with the stop
	At     time.Time `json:"at"`               // time at which a hub received the stop
	Mode   StopMode  `json:"mode,omitempty"`   // empty for StopNow
	// Queue is the requested action for queued turns; empty for QueueHold. The
	// process that runs the turn may read it from the store.
	Queue QueueAction `json:"queue,omitempty"`
}

// Error implements error, so that a Cause can be the cause of a canceled
// context.
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

// QueueAction returns the requested action for queued turns, QueueHold by
// default.
func (c *Cause) QueueAction() QueueAction {
	if c.Queue == "" {
		return QueueHold
	}
	return c.Queue
}

// StopState is the progress of a stop for one turn.
type StopState string

// The states of a stop. StopStateWaitingForTurn means that the turn does not
// exist yet; if it arrives within EarlyStopLifetime, it ends without starting.
// StopStateWorkEnded means that no work of the turn remains, but its end is not
// durable yet.
const (
	StopStateWaitingForTurn StopState = "waiting_for_turn"
	StopStateInProgress     StopState = "stopping"
	StopStateWorkEnded      StopState = "work_ended"
	StopStateSettled        StopState = "settled"
	StopStateAlreadyEnded   StopState = "already_ended"
)

// UnderWay reports whether the turn is being stopped and has not settled yet.
func (s StopState) UnderWay() bool { return s == StopStateInProgress || s == StopStateWorkEnded }

// StopAnswer is the result of a stop for one turn. The receipt is set once the
// turn has settled; before, it may be set with EndNotDurable.
type StopAnswer struct {
	Turn    TurnID    `json:"turn"`
	State   StopState `json:"state"`
	Receipt *Receipt  `json:"receipt,omitempty"`
}

type forcedKey struct{}

// WithForced returns a copy of ctx for which Forced returns the given channel.
func WithForced(ctx context.Context, forced <-chan struct{}) context.Context {
	return context.WithValue(ctx, forcedKey{}, forced)
}

// Forced returns the channel that is closed when a stop must skip its grace
// period. It returns nil if ctx does not belong to a turn.
func Forced(ctx context.Context) <-chan struct{} {
	forced, _ := ctx.Value(forcedKey{}).(<-chan struct{})
	return forced
}
