package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/proc"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

// recovery records which processes of lost turns were found and ended. The keeper
// ends them: when it opens, and when this process has taken over the turns of one
// that has died. A result stays in the keeper's ledger until it is recorded.
type recovery struct {
	app  *App
	wake chan struct{}
	done sync.WaitGroup

	mu   sync.Mutex
	lost map[bellcord.TurnID]lostTurn // whose processes are unknown
	sum  Recovered
}

// lostTurn is a turn whose process has died.
type lostTurn struct {
	session bellcord.SessionID
	ours    bool // that process used this data directory
}

// Recovered counts what this process has found of lost turns.
type Recovered struct {
	Turns     int // with processes
	Ended     int // processes
	Survivors int
}

// Text describes the processes for people, for example "processes of lost turns:
// 3 ended". It is empty if no turn had processes.
func (r Recovered) Text() string {
	if r.Turns == 0 {
		return ""
	}
	text := fmt.Sprintf("processes of lost turns: %d ended", r.Ended)
	if r.Survivors > 0 {
		text += fmt.Sprintf(", %d STILL RUNNING", r.Survivors)
	}
	return text
}

// Recovered returns what this process has found of lost turns so far.
func (a *App) Recovered() Recovered {
	a.recovery.mu.Lock()
	defer a.recovery.mu.Unlock()
	return a.recovery.sum
}

func newRecovery(a *App) *recovery {
	return &recovery{app: a, wake: make(chan struct{}, 1), lost: map[bellcord.TurnID]lostTurn{}}
}

// watch implements hub.Options.Watch: it notes the turns that this process has
// declared lost.
func (r *recovery) watch(c store.Commit) {
	for _, ev := range c.Events {
		ended, is := ev.Body.(bellcord.TurnEnded)
		if !is || ended.Receipt.Processes.Unknown == "" {
			continue
		}
		r.note(ev.Turn, lostTurn{session: ev.Session})
	}
}

// note adds a lost turn whose processes are unknown, and wakes the recovery.
func (r *recovery) note(turn bellcord.TurnID, lost lostTurn) {
	r.mu.Lock()
	lost.ours = lost.ours || r.lost[turn].ours
	r.lost[turn] = lost
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// recoverAgain is the pause before another attempt.
const recoverAgain = time.Second

// start makes one attempt, and continues in the background if that was not
// enough and whenever turns are lost later. There it also finds the turns that other
// processes have declared lost. It is called after the hub has opened.
func (r *recovery) start(ctx context.Context) {
	r.attempt(ctx)
	s := r.newSearch()
	r.done.Go(func() {
		for reaped := true; ; {
			searched, recorded := s.run(), r.attemptInTime()
			var again <-chan time.Time
			if !reaped || !searched || !recorded {
				again = time.After(recoverAgain)
			}
			select {
			case <-r.app.closing:
				return
			case <-r.wake:
				r.reap()
				reaped = false // a process that is just dying can still hold some of its locks
			case <-again:
				reaped = r.reap()
			}
		}
	})
}

// reap ends the processes of those that have died, and recovers the changes of their
// calls. It returns false if it must be called again: another process ends some of
// them.
func (r *recovery) reap() (complete bool) {
	interrupted := r.app.undo.Interrupted() // only of these, the keeper ends all processes
	if complete = r.app.keeper.Reap(); complete {
		r.app.undo.Recover(interrupted)
	}
	return complete
}

func (r *recovery) attemptInTime() (complete bool) {
	ctx, done := context.WithTimeout(context.Background(), CloseTimeout)
	defer done()
	return r.attempt(ctx)
}

// attempt records all results of the keeper, and for the other lost turns that
// nothing of them was left. It reports whether nothing remains to be recorded.
func (r *recovery) attempt(ctx context.Context) (complete bool) {
	complete = true
	var recorded []proc.Recovery
	for _, found := range r.app.keeper.Recovered() {
		if r.record(ctx, found) {
			recorded = append(recorded, found)
		} else {
			complete = false
		}
	}
	r.app.keeper.Forget(recorded)
	return r.recordOthers(ctx) && complete
}

// record records a result for each turn that it is about. It returns false if it
// must be called again: the turn has no end yet, or the store fails.
func (r *recovery) record(ctx context.Context, found proc.Recovery) bool {
	ok := true
	for _, owner := range found.Owners {
		turn := bellcord.TurnID(owner)
		record, err := r.app.Store.Turn(ctx, turn)
		switch {
		case errors.Is(err, bellcord.ErrNoTurn): // an agent, a server, a session, or a deleted turn
			continue
		case err == nil && record.Receipt != nil && record.Receipt.Processes.Unknown == "":
			continue // it ended before its process died
		case err == nil && record.Receipt == nil:
			ok = false
			continue
		}
		if err == nil {
			b := bellcord.ProcessesRecovered{Turn: turn, Recovery: found.ID, Processes: recoveredProcesses(found)}
			err = r.app.Hub.RecordProcesses(ctx, record.Session, b)
		}
		if err != nil && !errors.Is(err, bellcord.ErrNoSession) {
			r.app.logger.Warn("the processes of a lost turn are not recorded", "turn", turn, "err", err)
			ok = false
			continue
		}
		r.recorded(turn, found)
	}
	return ok
}

func (r *recovery) recorded(turn bellcord.TurnID, found proc.Recovery) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.lost, turn)
	if n := len(found.Ended) + len(found.Survivors); n > 0 {
		r.sum.Turns++
		r.sum.Ended += len(found.Ended)
		r.sum.Survivors += len(found.Survivors)
	}
}

// recordOthers records that nothing of a lost turn was left, if its processes
// were those of a keeper in this data directory.
func (r *recovery) recordOthers(ctx context.Context) (complete bool) {
	r.mu.Lock()
	lost := maps.Clone(r.lost)
	r.mu.Unlock()
	if len(lost) == 0 {
		return true
	}
	if !r.app.keeper.Reap() {
		return false // another process ends and records them
	}
	if len(r.app.keeper.Recovered()) > 0 {
		return false // the turns are among them
	}
	complete = true
	for turn, of := range lost {
		err := r.recordNone(ctx, turn, of)
		if errors.Is(err, errNotEnded) {
			complete = false
			continue
		}
		if err != nil {
			r.app.logger.Warn("the processes of a lost turn are not recorded", "turn", turn, "err", err)
			complete = false
			continue
		}
		r.mu.Lock()
		delete(r.lost, turn)
		r.mu.Unlock()
	}
	return complete
}

// errNotEnded means that no process has written the end of a lost turn yet.
var errNotEnded = errors.New("the turn has not ended")

func (r *recovery) recordNone(ctx context.Context, turn bellcord.TurnID, lost lostTurn) error {
	if shared, is := r.app.Store.(*postgres.Store); is && !lost.ours {
		if node, _ := shared.TakenFrom(turn); node == "" || !r.app.keeper.Died(node) {
			return nil // on another machine: it stays unknown
		}
	}
	record, err := r.app.Hub.Turn(ctx, turn)
	if err == nil && record.Receipt == nil {
		return errNotEnded
	}
	if err == nil && record.Receipt.Processes.Unknown != "" {
		none := bellcord.ProcessesRecovered{Turn: turn, Recovery: string(turn), Processes: bellcord.Processes{Proof: "process_scan"}}
		err = r.app.Hub.RecordProcesses(ctx, lost.session, none)
	}
	if errors.Is(err, bellcord.ErrNoTurn) || errors.Is(err, bellcord.ErrNoSession) {
		return nil
	}
	return err
}

// recoveredProcesses converts a result for a receipt.
func recoveredProcesses(found proc.Recovery) bellcord.Processes {
	p := bellcord.Processes{Ended: processesOf(found.Ended), Survivors: processesOf(found.Survivors), Proof: found.Proof}
	switch found.Gone {
	case proc.GoneWithBoot:
		p.Proof = "machine_restarted"
	case proc.GoneWithContainer:
		p.Unknown = bellcord.ProcessesContainerGone
	}
	return p
}

func processesOf(list []proc.Ended) []bellcord.Process {
	var all []bellcord.Process
	for _, e := range list {
		all = append(all, bellcord.Process{PID: e.PID, Name: e.Name, How: string(e.How)})
	}
	return all
}
