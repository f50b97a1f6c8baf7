package bellcord

import (
	"fmt"
	"time"
)

// StopRequest is the one way to stop anything. It names a turn, or a scope that
// is resolved to a fixed set of turns when the hub receives it (law 1).
type StopRequest struct {
	Turn    TurnID    // this turn; or else
	Session SessionID // what this session runs (and, with Drop, what waits in it); or else everything
	Owner   string    // only of sessions that are this one's; anybody's where empty (law 35)
	// Everywhere widens a session or everything to what other processes on the
	// same store run.
	Everywhere bool

	Cause Cause
	Mode  Mode
	Queue QueueFate

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

// thenNext is for a turn's own limits: they say nothing about the turns behind it.
func (r StopRequest) thenNext() StopRequest {
	r.Queue = Next
	return r
}

// Mode says how soon a stop takes effect.
type Mode string

// The modes. Force is for the second Ctrl-C: as Now, without the grace.
const (
	Now       Mode = "now" // the default
	AfterStep Mode = "after_step"
	Force     Mode = "force"
)

// QueueFate says what becomes of the turns that wait behind a stopped one.
type QueueFate string

// The fates (law 29). Held turns wait until they are released, stopped or
// replaced; later prompts do not wait for them.
const (
	Hold QueueFate = "hold" // the default
	Drop QueueFate = "drop" // stopped too, never started; their prompts come back on their receipts
	Next QueueFate = "next" // the next one starts once the stopped one has settled
)

// CauseKind says what sort of thing stopped a turn.
type CauseKind string

// The causes.
const (
	Person     CauseKind = "person"
	Deadline   CauseKind = "deadline"
	Budget     CauseKind = "budget"
	StepLimit  CauseKind = "step_limit"
	Shutdown   CauseKind = "shutdown"
	Replaced   CauseKind = "replaced"
	Disconnect CauseKind = "disconnect"
)

// Cause is who stopped a turn, from where, why and when. It is the cause of the
// turn's context, and it is recorded. It is not a failure (law 11).
type Cause struct {
	Kind CauseKind `json:"kind"`
	By   string    `json:"by,omitempty"`   // who
	From string    `json:"from,omitempty"` // through which front
	Why  string    `json:"why,omitempty"`
	At   time.Time `json:"at"`             // when a hub received it
	Mode Mode      `json:"mode,omitempty"` // where it is not the usual one
	// Queue is the fate that the stop declared for those that wait, where it is
	// not the usual one: the process that has the turn may hear it from the record.
	Queue QueueFate `json:"queue,omitempty"`
}

func (c *Cause) Error() string {
	s := "stopped: " + string(c.Kind)
	if c.By != "" {
		s += " " + c.By
	}
	if c.From != "" {
		s += " from " + c.From
	}
	if c.Why != "" {
		s += fmt.Sprintf(" (%s)", c.Why)
	}
	return s
}

// Overrules reports whether a later stop replaces an earlier one on record: of
// several the first stays, except that one that cuts now overrules one that
// waits for a step.
func Overrules(later, earlier Cause) bool {
	return earlier.Mode == AfterStep && later.Mode != AfterStep
}

// Hurries reports whether a later stop only takes the grace from an earlier one
// on record, which stays in all else.
func Hurries(later, earlier Cause) bool {
	return later.Mode == Force && earlier.Mode != Force && !Overrules(later, earlier)
}

// Prevailing is the one of two stops for a turn that counts, where they came to
// be known together: the earlier one, unless it is overruled. Either may be nil.
func Prevailing(a, b *Cause) *Cause {
	switch {
	case a == nil:
		return b
	case b == nil || Overrules(*a, *b):
		return a
	case Overrules(*b, *a) || b.At.Before(a.At):
		return b
	}
	return a
}

// fate is what the stop declared for those that wait.
func (c *Cause) fate() QueueFate {
	if c.Queue == "" {
		return Hold
	}
	return c.Queue
}

// cutsNow reports whether a turn with this cause may no longer end as done.
func (c *Cause) cutsNow() bool { return c != nil && c.Mode != AfterStep }
