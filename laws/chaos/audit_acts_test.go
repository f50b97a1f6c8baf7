//go:build linux

package chaos_test

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// accepted reports whether the response to a prompt was a turn.
func (a act) accepted() bool { return a.verb == prompted && a.answered && a.status/100 == 2 }

// unknown reports whether it cannot be determined if the act took effect.
func (a act) unknown() bool {
	return !a.answered || a.status >= 500 && !strings.Contains(a.problem, bellcord.ErrDraining.Error())
}

// auditPrompts checks that accepted prompts are stored and refused ones are
// not.
func (s *stage) auditPrompts(r *record) {
	may := map[bellcord.TurnID]bool{}
	for _, a := range s.book.acts {
		if a.verb != prompted {
			continue
		}
		may[a.turn] = may[a.turn] || a.accepted() || a.unknown()
		if l := r.lives[a.turn]; a.accepted() && (l == nil || l.session != a.session || l.text != a.text) {
			s.accuse("an accepted turn is missing", "turn %s of %s was accepted by %s-%d at %v as %q; the store has %s", a.turn, a.session, s.nodes[a.node].name, a.life, a.returned, a.text, l)
		}
	}
	for id, l := range r.lives {
		if !may[id] {
			s.accuse("a refused turn runs", "turn %s of %s was refused by all who answered, and ended %s", id, l.session, l.end())
		}
	}
}

// auditStops checks that every stop answered as recorded or kept took effect.
func (s *stage) auditStops(r *record) {
	early := map[bellcord.TurnID]time.Duration{} // time of the first answered stop
	for _, a := range s.book.acts {
		if a.stop == nil || !a.answered || a.status/100 != 2 {
			continue
		}
		for _, one := range a.stop.Turns {
			s.auditStop(r, a, one)
		}
		if at, had := early[a.turn]; a.verb == stopped && a.stop.Recorded && (!had || a.returned < at) {
			early[a.turn] = a.returned
		}
	}
	for id, called := range s.firstPrompts() {
		l, at := r.lives[id], early[id]
		if at == 0 || l == nil || called < at {
			continue
		}
		if l.end() != bellcord.EndStopped || l.started > 0 {
			s.accuse("an early stop is lost", "turn %s of %s was stopped at %v and prompted at %v; it started %d times and ended %s", id, l.session, at, called, l.started, l.end())
		}
	}
}

// firstPrompts returns when each turn was first prompted.
func (s *stage) firstPrompts() map[bellcord.TurnID]time.Duration {
	first := map[bellcord.TurnID]time.Duration{}
	for _, a := range s.book.acts {
		if at, had := first[a.turn]; a.verb == prompted && (!had || a.called < at) {
			first[a.turn] = a.called
		}
	}
	return first
}

// auditStop checks that a recorded stop is followed by the end "stopped",
// unless the turn had ended before, and that a receipt did not change.
func (s *stage) auditStop(r *record, a act, one bellcord.StopAnswer) {
	l := r.lives[one.Turn]
	where := s.nodes[a.node].name
	if l == nil {
		if one.State != bellcord.StopStateWaitingForTurn && one.State != bellcord.StopStateInProgress { // with a short wait the result cannot be determined yet
			s.accuse("an accepted turn is missing", "a stop of %s at %s was answered %s; there is no such turn", one.Turn, where, one.State)
		}
		return
	}
	ended := l.endAt.Sub(s.began)
	if a.stop.Recorded && l.end() != bellcord.EndStopped && ended > a.returned {
		s.accuse("a stop is lost", "a stop of turn %s of %s was answered %s by %s-%d at %v, recorded; the turn ended %s at %v, stops in its log: %v",
			one.Turn, l.session, one.State, where, a.life, a.returned, l.end(), ended, l.stops)
	}
	if one.Receipt != nil && !one.Receipt.EndNotDurable && (one.State == bellcord.StopStateSettled || one.State == bellcord.StopStateAlreadyEnded) {
		if returned, same := compareReceipt(*one.Receipt, l.receipt); !same {
			s.accuse("a receipt changed", "a stop of turn %s was answered by %s-%d %s with\n%s\nand on record is\n%s",
				one.Turn, where, a.life, one.State, returned, l.receipt)
		}
	}
}

// compareReceipt returns a receipt as JSON, and whether it is the one on record. The
// processes of a lost turn are not known yet in the recorded one: an answer also has
// those that a recovery has found since.
func compareReceipt(returned bellcord.Receipt, recorded string) (string, bool) {
	var known bellcord.Receipt
	if json.Unmarshal([]byte(recorded), &known) == nil && known.Processes.Unknown != "" {
		returned.Processes = known.Processes
	}
	text, err := json.Marshal(returned)
	return string(text), err == nil && string(text) == recorded
}

// auditCauses checks that every stopped turn was stopped by a client (law 1).
// Each stop has a unique reason, which is stored.
func (s *stage) auditCauses(r *record) {
	acts := map[string]act{}
	for _, a := range s.book.acts {
		if a.why != "" {
			acts[a.why] = a
		}
	}
	for _, l := range r.lives {
		if l.end() != bellcord.EndStopped {
			continue
		}
		cause := l.ends[0].Cause
		if cause == nil {
			s.accuse("a stop of nobody's", "turn %s of %s ended stopped without a cause", l.id, l.session)
			continue
		}
		switch cause.Kind {
		case bellcord.CausePerson:
			if a, known := acts[cause.Reason]; !known || !s.covers(r, a, l) {
				s.accuse("a stop of nobody's", "turn %s of %s was stopped by %+v, which was %+v", l.id, l.session, cause, a)
			}
		case bellcord.CauseReplaced, bellcord.CauseShutdown:
		case bellcord.CauseDeadline, bellcord.CauseBudget, bellcord.CauseStepLimit, bellcord.CauseDisconnect: // nothing in this run causes these
			fallthrough
		default:
			s.accuse("a stop of nobody's", "turn %s of %s was stopped by %+v", l.id, l.session, cause)
		}
	}
}

// covers reports whether the turn may be in the scope of the stop.
func (s *stage) covers(r *record, a act, l *life) bool {
	switch {
	case a.verb == cleared:
		return a.session == "" || a.session == l.session
	case a.turn == l.id:
		return true
	}
	named := r.lives[a.turn] // with drop, the turns queued behind it are in the scope, too
	return a.drops && named != nil && named.session == l.session
}

// stateOf returns the turn's state in a response.
func stateOf(t *api.Turn) string {
	if t == nil {
		return ""
	}
	return string(t.State)
}
