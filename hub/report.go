package hub

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Report is what the agents of Bellcord add to a turn's receipt and log, beside the
// events. Another agent needs none of it.
type Report struct{ w *Work }

// Report returns the report of the turn.
func (w *Work) Report() Report { return Report{w} }

// Emit is Work.Emit.
func (r Report) Emit(b bellcord.Body) error { return r.w.Emit(b) }

// AddSandbox adds the sandbox of a command to the turn's receipt, which describes
// the weakest one.
func (r Report) AddSandbox(s bellcord.Sandbox) {
	r.w.turn.mu.Lock()
	r.w.turn.tally.AddSandbox(s)
	r.w.turn.mu.Unlock()
}

// Background sets the list of running processes that were declared to outlive the
// turn. The receipt contains the last list.
func (r Report) Background(running []bellcord.Process) {
	r.w.turn.mu.Lock()
	r.w.turn.tally.SetBackground(running)
	r.w.turn.mu.Unlock()
}

// Confirm records that a process has ended that the turn's receipt lists as
// unconfirmed. It blocks until the turn has settled, so that the event follows
// the receipt.
func (r Report) Confirm(call string, p bellcord.Process) {
	<-r.w.turn.settled
	confirmed := bellcord.ProcessConfirmed{Turn: r.w.Turn, Call: bellcord.ValidName(call), Process: p}
	r.w.hub.loose.Put(store.AppendEvents{Session: r.w.Session.ID, Bodies: []bellcord.Body{confirmed}, At: r.w.hub.now()})
}

// Mark sets a moment to the current time. A later Mark of the same moment
// replaces it.
func (r Report) Mark(m Moment) {
	r.w.turn.mu.Lock()
	defer r.w.turn.mu.Unlock()
	switch times := &r.w.turn.tally.Times; m {
	case MomentStreamClosed:
		times.StreamClosed = r.w.hub.now()
	case MomentProcessEnded:
		times.LastProcessEnded = r.w.hub.now()
	}
}

// AgentSession returns the hosted agent's session, see Hub.AgentSession.
func (r Report) AgentSession(ctx context.Context) (bellcord.AgentSessionOpened, error) {
	return r.w.line.conversation.AgentSession(ctx, r.w.hub.store, r.w.Session.ID)
}

// Moment is an instant that the receipt contains.
type Moment int

// Moments that an agent reports with Mark.
const (
	MomentStreamClosed Moment = iota // the connection to the model is closed
	MomentProcessEnded               // the last process of a call has ended
)

// SetChanges sets the changes to files that the turn's receipt contains.
func (r Report) SetChanges(c bellcord.Changes) {
	r.w.turn.mu.Lock()
	r.w.turn.tally.SetChanges(c)
	r.w.turn.mu.Unlock()
}

// FollowChanges sets the receipt's changes to pending. When the turn has settled
// and wait has returned, the hub records the result of wait as an event of the
// session. FollowChanges does not block. Hub.Close waits for the event as long as
// its context allows, and then cancels the context of wait.
func (r Report) FollowChanges(wait func(context.Context) (bellcord.Changes, error)) {
	r.SetChanges(bellcord.Changes{Pending: true})
	r.w.hub.following.run(func(ctx context.Context) {
		changes, err := wait(ctx)
		if err != nil {
			return // the changes are found by the next start
		}
		select {
		case <-r.w.turn.settled:
		case <-ctx.Done():
			return
		}
		if err := r.w.hub.RecordChanges(ctx, r.w.Session.ID, bellcord.ChangesRecorded{Turn: r.w.Turn, Changes: changes}); err != nil {
			r.w.hub.logger.Error("the changes of a turn are not recorded", "session", r.w.Session.ID, "turn", r.w.Turn, "err", err)
		}
	})
}

// Followed returns a channel that is closed when a prompt is accepted while the
// turn runs.
func (r Report) Followed() <-chan struct{} { return r.w.turn.next }
