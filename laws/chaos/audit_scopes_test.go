//go:build linux

package chaos_test

import (
	"time"

	"github.com/bellcord/bellcord"
)

// scopeSlack is the largest difference between the times in the log and the times
// of the clients at which the audit does not rely on their order.
const scopeSlack = 500 * time.Millisecond

// auditScopes checks the stops of sessions that were answered as recorded (law 1):
// they ended the turns whose prompts were answered before the stop was sent, and no
// turn whose prompt was sent after the stop was answered.
func (s *stage) auditScopes(r *record) {
	answered, sent := map[bellcord.TurnID]time.Duration{}, s.firstPrompts()
	for _, a := range s.book.acts {
		if at, had := answered[a.turn]; a.accepted() && (!had || a.returned < at) {
			answered[a.turn] = a.returned
		}
	}
	for _, a := range s.book.acts {
		if a.verb != cleared || !a.answered || a.status/100 != 2 || !a.stop.Recorded {
			continue
		}
		for id, l := range r.lives {
			if a.session != "" && a.session != l.session || len(l.ends) == 0 {
				continue
			}
			if at := answered[id]; at > 0 && at < a.called && s.mustEnd(a, l) && l.end() != bellcord.EndStopped {
				s.accuse("a stop of a session is lost", "turn %s of %s was accepted at %v; a stop of the session was sent to %s-%d at %v and answered %s; the turn ended %s at %v",
					id, l.session, at, s.nodes[a.node].name, a.life, a.called, a.stop.State, l.end(), l.endAt.Sub(s.began))
			}
			if cause := l.ends[0].Cause; cause != nil && cause.Reason == a.why && sent[id] > a.returned {
				s.accuse("a stop took a later turn", "turn %s of %s was prompted at %v; the stop was answered by %s-%d at %v", id, l.session, sent[id], s.nodes[a.node].name, a.life, a.returned)
			}
		}
	}
}

// mustEnd reports whether the turn was certainly running when the stop was sent, or
// queued if the stop drops the queue, and had not ended when it was answered.
func (s *stage) mustEnd(a act, l *life) bool {
	running := l.started > 0 && l.startAt.Sub(s.began) < a.called-scopeSlack
	return (running || a.drops) && l.endAt.Sub(s.began) > a.returned+scopeSlack
}
