//go:build linux

package chaos_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
)

// audit compares the database with the responses that clients received and
// returns a summary of what was compared.
func (s *stage) audit() string {
	s.t.Helper()
	ctx, done := within(time.Minute)
	defer done()
	conn, err := s.connect(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(ctx)
	r, err := readRecord(ctx, conn)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.readWitness(ctx, conn); err != nil {
		s.t.Fatal(err)
	}
	for session, log := range r.logs {
		s.auditLog(r, session, log)
	}
	for _, l := range r.lives {
		s.auditTurn(l)
	}
	for id, room := range s.book.rooms {
		s.auditShown(r, id, room)
	}
	s.auditPrompts(r)
	s.auditStops(r)
	s.auditCauses(r)
	if *clocks {
		s.auditScopes(r)
	}
	s.auditModel(r)
	linear := s.auditOrder(r)
	return s.sumUp(r) + "; " + linear
}

// auditLog checks a session's log: sequence numbers without gaps, turns that do
// not overlap, no event of a turn outside of it.
func (s *stage) auditLog(r *record, session bellcord.SessionID, log []bellcord.Event) {
	if last := log[len(log)-1].Seq; int64(len(log)) != last || last != r.tails[session] {
		s.accuse("a log with holes", "%s has %d events, the last is %d, its tail says %d", session, len(log), last, r.tails[session])
	}
	var running bellcord.TurnID
	for _, ev := range log {
		l := r.lives[ev.Turn]
		if l == nil {
			if ev.Turn != "" {
				s.accuse("an event of no turn", "event %d of %s is of turn %s, which has no row", ev.Seq, session, ev.Turn)
			}
			continue
		}
		if len(l.ends) > 0 {
			s.accuse("an event behind the end", "%s event %d of turn %s of %s, which ended with %d", ev.Body.Kind(), ev.Seq, ev.Turn, session, l.endSeq)
		}
		switch body := ev.Body.(type) {
		case bellcord.TurnAccepted:
			l.prompted++
		case bellcord.StopRequested:
			if l.stops = append(l.stops, body.Cause); l.stopSeq == 0 {
				l.stopSeq = ev.Seq
			}
		case bellcord.PromptEdited:
		case bellcord.TurnStarted:
			l.startAt = ev.Time
			if l.started++; running != "" {
				s.accuse("turns overlap", "turn %s of %s starts with event %d while %s runs", ev.Turn, session, ev.Seq, running)
			}
			running = ev.Turn
		case bellcord.TurnEnded:
			l.ends, l.endSeq, l.endAt = append(l.ends, body.Receipt), ev.Seq, ev.Time
			if running == ev.Turn {
				running = ""
			}
		default:
			if running != ev.Turn {
				s.accuse("an event outside of its turn", "%s event %d of turn %s of %s, while %q runs", ev.Body.Kind(), ev.Seq, ev.Turn, session, running)
			}
			if delta, is := ev.Body.(bellcord.TextDelta); is {
				l.output += delta.Text
			}
		}
	}
}

// auditTurn checks one turn: accepted once, started at most once, ended once,
// and a row that matches the log.
func (s *stage) auditTurn(l *life) {
	if l.prompted != 1 || l.started > 1 {
		s.accuse("a turn began twice", "turn %s of %s was prompted %d times and started %d times", l.id, l.session, l.prompted, l.started)
	}
	if len(l.ends) > 1 {
		s.accuse("two ends", "turn %s of %s ended %d times: %+v", l.id, l.session, len(l.ends), l.ends)
	}
	if len(l.ends) == 0 || l.state != "ended" {
		s.accuse("no end", "turn %s of %s is %s, with %d ends in the log", l.id, l.session, l.state, len(l.ends))
		return
	}
	if receipt, err := json.Marshal(l.ends[0]); err != nil || string(receipt) != l.receipt {
		s.accuse("two ends", "turn %s ended in the log with\n%s\nand on its row with\n%s", l.id, receipt, l.receipt)
	}
	if l.stop != nil && l.end() != bellcord.EndStopped {
		s.accuse("a stop is lost", "turn %s of %s has a stop on its row and ended %s: stop %v, end %v", l.id, l.session, l.end(), l.stop, l.endAt)
	}
	if l.stopSeq > 0 && l.end() != bellcord.EndStopped {
		s.accuse("a stop is lost", "a stop of turn %s of %s is event %d; the turn ended %s with %d", l.id, l.session, l.stopSeq, l.end(), l.endSeq)
	}
}

// auditShown checks that every event shown to a viewer is stored, byte for
// byte.
func (s *stage) auditShown(r *record, id bellcord.SessionID, room *sessionLog) {
	for i, data := range room.shown {
		if i >= len(r.raw[id]) || r.raw[id][i] != data {
			stored := "nothing"
			if i < len(r.raw[id]) {
				stored = r.raw[id][i]
			}
			s.accuse("a lost event", "event %d of %s was shown as\n%s\nand the store has\n%s", i+1, id, data, stored)
			return
		}
	}
}

// auditModel checks that the logged answers are exactly what the model sent,
// without gaps or repetitions, and that no request was sent for a turn that was
// stopped before it arrived.
func (s *stage) auditModel(r *record) {
	sent, requests := map[bellcord.TurnID]string{}, map[bellcord.TurnID]int{}
	for _, q := range s.modelRequests() {
		id := bellcord.TurnID(q.Prompt[strings.LastIndex(q.Prompt, " ")+1:])
		sent[id] += q.Sent
		requests[id]++
		if l := r.lives[id]; l != nil && len(l.ends) > 0 && q.At.Sub(l.endAt) > 100*time.Millisecond {
			s.late++
			s.logf("a model request %v behind the end of its turn: %s", q.At.Sub(l.endAt), l)
		}
	}
	for id, l := range r.lives {
		logged := l.output
		if l.end() == bellcord.EndDone && logged != sent[id] || !strings.HasPrefix(sent[id], logged) {
			s.accuse("words lost or doubled", "turn %s of %s ended %s: the model said %q, the log has %q", id, l.session, l.end(), sent[id], logged)
		}
		if l.started == 0 && requests[id] > 0 {
			s.accuse("a turn ran that never started", "turn %s of %s ended %s, the model was asked %d times", id, l.session, l.end(), requests[id])
		}
	}
	for _, q := range s.modelRequests() {
		if q.Rejected != "" {
			s.accuse("the model refuses a history", "at %v, for %q: %s\n%s", q.At.Sub(s.began), q.Prompt, q.Rejected, q.Raw)
		}
	}
}

// sumUp returns a summary of what the audit compared.
func (s *stage) sumUp(r *record) string {
	ends := map[bellcord.End]int{}
	for _, l := range r.lives {
		ends[l.end()]++
	}
	var parts []string
	for _, end := range slices.Sorted(maps.Keys(ends)) {
		parts = append(parts, fmt.Sprintf("%d %s", ends[end], end))
	}
	verbs, refused, unknown := map[verb]int{}, map[string]int{}, 0
	for _, a := range s.book.acts {
		verbs[a.verb]++
		switch {
		case !a.answered:
			unknown++
		case a.verb != gotTurn && a.status/100 != 2:
			refused[fmt.Sprintf("%s: %d %s", a.verb, a.status, strings.TrimPrefix(strings.Fields(a.problem + " -")[0], "urn:bellcord:"))]++
		}
	}
	s.logf("refused: %v; exits: %v", refused, s.exits)
	return fmt.Sprintf("%d turns (%s), %d events stored, %d shown, %d prompts, %d stops, %d reads, %d without an answer, %d samples (a turn outlived its lease by %v at most), %d model requests behind their turn's end",
		len(r.lives), strings.Join(parts, ", "), r.events, s.book.shown, verbs[prompted], verbs[stopped]+verbs[cleared], verbs[gotTurn], unknown,
		s.watch.samples, s.watch.longest.Round(time.Millisecond), s.late)
}
