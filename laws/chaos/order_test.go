//go:build linux

package chaos_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// history is the list of operations of one turn.
type history struct {
	ops     []porcupine.Operation
	horizon time.Duration // end of the run: an operation without a response is open until then
	near    bool          // nodes query each other for the state of turns
	maker   string        // otherwise: the process that accepted the turn
}

func (h *history) add(client int, d deed, out outcome, from, to time.Duration) {
	if !out.certain {
		to = h.horizon
	}
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: d, Output: out, Call: int64(from), Return: int64(to)})
}

// auditOrder searches, for each turn, for an order of its operations in which
// all responses are correct.
func (s *stage) auditOrder(r *record) string {
	horizon := s.since()
	all := map[bellcord.TurnID]*history{}
	of := func(id bellcord.TurnID) *history {
		if all[id] == nil {
			all[id] = &history{horizon: horizon, near: withNATS}
		}
		return all[id]
	}
	for _, a := range s.book.acts {
		if a.accepted() && a.status == http.StatusAccepted {
			of(a.turn).maker = fmt.Sprint(a.node, a.life)
		}
	}
	for _, a := range s.book.acts {
		if a.turn != "" {
			of(a.turn).addAct(a)
		}
		if a.stop != nil && a.answered && a.status/100 == 2 {
			for _, one := range a.stop.Turns {
				of(one.Turn).addAnswer(a, one)
			}
		}
	}
	sessions := map[bellcord.TurnID]bellcord.SessionID{}
	for _, a := range s.book.acts {
		if a.verb == prompted {
			sessions[a.turn] = a.session
		}
	}
	ops := 0
	for id, h := range all {
		ended := horizon
		if l := r.lives[id]; l != nil && len(l.ends) > 0 {
			ended = l.endAt.Sub(s.began)
		}
		h.addUnnamed(s.book.acts, sessions, sessions[id], ended)
		h.addRecord(s, r.lives[id])
		ops += len(h.ops)
		s.checkOrder(id, h)
	}
	return fmt.Sprintf("%d operations on %d turns have an order", ops, len(all))
}

func (s *stage) checkOrder(id bellcord.TurnID, h *history) {
	result := porcupine.CheckOperationsTimeout(turnModel, h.ops, 10*time.Second)
	if result == porcupine.Ok {
		return
	}
	if s.disorders++; s.disorders > mostShown {
		s.accuse("answers have no order", "turn %s (%s)", id, result)
		return
	}
	_, info := porcupine.CheckOperationsVerbose(turnModel, h.ops, 10*time.Second)
	path := filepath.Join(s.evidence, "turn-"+string(id)+".html")
	if err := porcupine.VisualizePath(turnModel, info, path); err != nil {
		s.t.Error(err)
	}
	var lines []string
	for _, op := range h.ops {
		lines = append(lines, fmt.Sprintf("%v–%v node %d %s", time.Duration(op.Call), time.Duration(op.Return), op.ClientId, turnModel.DescribeOperation(op.Input, op.Output)))
	}
	s.accuse("answers have no order", "turn %s (%s): see %s\n%s", id, result, filepath.Base(path), strings.Join(lines, "\n"))
}

// addAct adds an act that names the turn.
func (h *history) addAct(a act) {
	near := h.near || h.maker == "" || h.maker == fmt.Sprint(a.node, a.life)
	switch a.verb {
	case prompted:
		switch { // a refusal because the turn exists may refer to a turn that is still being accepted, so it proves nothing
		case a.accepted():
			h.add(a.node, accepts, outcome{certain: true}, a.called, a.returned)
			h.add(a.node, reads, outcome{certain: true, state: stateOf(a.found), near: near}, a.called, a.returned)
		case a.unknown():
			h.add(a.node, accepts, outcome{}, a.called, 0)
		}
	case stopped:
		h.add(a.node, delivers, outcome{}, a.called, 0)
		if !a.answered || a.status/100 != 2 || !a.stop.Recorded {
			h.add(a.node, records, outcome{}, a.called, 0)
		}
	case gotTurn:
		switch {
		case a.answered && a.status == http.StatusOK:
			h.add(a.node, reads, outcome{certain: true, state: stateOf(a.found), near: near}, a.called, a.returned)
		case a.answered && a.status == http.StatusNotFound:
			h.add(a.node, reads, outcome{certain: true}, a.called, a.returned)
		}
	case cleared, drained: // name no turn: see addUnnamed
	}
}

// addUnnamed adds the stops that name no turn, or another one, and that may have
// reached the turn without a record of it. One of them is enough for every order,
// the earliest.
func (h *history) addUnnamed(acts []act, sessions map[bellcord.TurnID]bellcord.SessionID, session bellcord.SessionID, ended time.Duration) {
	earliest, node := min(ended+endDurable, h.horizon), -1
	sent, accepted := h.accepting()
	for _, a := range acts {
		target := a.session
		switch {
		case a.verb == drained && a.returned < sent:
			continue
		case a.verb == drained:
			target = session
		case a.verb == stopped && a.drops:
			target = sessions[a.turn]
		case a.verb != cleared:
			continue
		}
		if from, may := a.reachesUnrecorded(sent, accepted, ended); may && target == session && from < earliest {
			earliest, node = from, a.node
		}
	}
	if node >= 0 {
		h.add(node, delivers, outcome{}, earliest, 0)
		h.add(node, records, outcome{}, earliest, 0)
	}
}

// endDurable is the time limit of a node for making an end durable. Until then, a
// stop can reach a turn whose end has the time of its request.
const endDurable = 10 * time.Second

// reachesUnrecorded reports whether a stop that does not name the turn may have
// reached it without a record of it, and from when: a stop of a node that shuts down,
// and one without an answer, always; one that was answered as recorded only if the
// turn was being accepted, because the stop then ends the turn without listing it, or
// if the turn's end was being written. The node of the turn then shows it as stopping
// although the end came first.
func (a act) reachesUnrecorded(sent, accepted, ended time.Duration) (from time.Duration, may bool) {
	recorded := a.verb != drained && a.answered && a.status/100 == 2 && a.stop.Recorded
	switch {
	case !recorded:
		return a.called, true
	case a.returned < sent:
		return 0, false
	case a.called <= accepted:
		return a.called, true
	}
	return max(a.called, ended-scopeSlack), a.returned > ended-scopeSlack
}

// accepting returns when the turn was first sent, and when it was accepted at the
// latest.
func (h *history) accepting() (sent, accepted time.Duration) {
	sent = h.horizon
	for _, op := range h.ops {
		if op.Input == accepts {
			sent, accepted = min(sent, time.Duration(op.Call)), max(accepted, time.Duration(op.Return))
		}
	}
	return sent, accepted
}

// addAnswer adds the answer of a stop for a turn in its scope.
func (h *history) addAnswer(a act, one bellcord.StopAnswer) {
	if a.turn != one.Turn {
		h.add(a.node, delivers, outcome{}, a.called, 0)
	}
	if a.stop.Recorded {
		h.add(a.node, records, outcome{certain: true, state: string(one.State)}, a.called, a.returned)
	} else if a.turn != one.Turn {
		h.add(a.node, records, outcome{}, a.called, 0)
	}
	if one.Receipt != nil && !one.Receipt.EndNotDurable {
		h.add(a.node, reads, outcome{certain: true, state: string(one.Receipt.End)}, a.called, a.returned)
	}
}

// addRecord adds the content of the database: the final state, and stops that
// no response mentioned, such as those of a shutdown, from the time at which
// they were requested.
func (h *history) addRecord(s *stage, l *life) {
	if l == nil {
		h.add(len(s.nodes), reads, outcome{certain: true}, h.horizon, h.horizon)
		return
	}
	causes := l.stops
	if len(l.ends) > 0 && l.ends[0].Cause != nil {
		causes = append(causes, *l.ends[0].Cause)
	}
	for _, cause := range causes {
		at := max(0, cause.At.Sub(s.began)-5*time.Millisecond)
		h.add(len(s.nodes), delivers, outcome{}, at, 0)
		h.add(len(s.nodes), records, outcome{}, at, 0)
	}
	h.add(len(s.nodes), reads, outcome{certain: true, state: string(l.end())}, h.horizon, h.horizon)
}

// No request names the turn, it reads as stopping, and its node dies before the stop is
// recorded.
func TestOrder_StopOfShutdownIsNotRecorded_IsAllowedOnlyWithShutdown(t *testing.T) {
	turn, session := bellcord.NewTurnID(), bellcord.SessionID("s")
	sessions := map[bellcord.TurnID]bellcord.SessionID{turn: session}
	recorded := func(called, returned time.Duration) act {
		return act{verb: cleared, session: session, called: called, returned: returned, answered: true, status: http.StatusOK, stop: &api.Stopped{Recorded: true}}
	}
	for name, c := range map[string]struct {
		acts []act
		want porcupine.CheckResult
	}{
		"no shutdown":                                    {nil, porcupine.Illegal},
		"shutdown during the turn":                       {[]act{{verb: drained, called: 3 * time.Second, returned: 6 * time.Second}}, porcupine.Ok},
		"shutdown before the turn":                       {[]act{{verb: drained, called: 0, returned: time.Second / 2}}, porcupine.Illegal},
		"shutdown after the turn":                        {[]act{{verb: drained, called: 9 * time.Second, returned: 9 * time.Second}}, porcupine.Illegal},
		"unanswered stop of the session":                 {[]act{{verb: cleared, session: session, called: 3 * time.Second}}, porcupine.Ok},
		"recorded stop of the session before the prompt": {[]act{recorded(0, time.Second/2)}, porcupine.Illegal},
		"recorded stop of the session during the prompt": {[]act{recorded(time.Second/2, 3*time.Second/2)}, porcupine.Ok},
		"recorded stop of the session after the prompt":  {[]act{recorded(3*time.Second, 4*time.Second)}, porcupine.Illegal},
		"stop of another session":                        {[]act{{verb: cleared, session: "other", called: 3 * time.Second}}, porcupine.Illegal},
	} {
		t.Run(name, func(t *testing.T) {
			h := &history{horizon: 10 * time.Second, near: true}
			h.add(0, accepts, outcome{certain: true}, time.Second, 2*time.Second)
			h.add(0, reads, outcome{certain: true, state: "running", near: true}, 2*time.Second, 3*time.Second)
			h.add(1, reads, outcome{certain: true, state: "stopping", near: true}, 4*time.Second, 5*time.Second)
			h.addUnnamed(c.acts, sessions, session, 8*time.Second)
			h.add(3, reads, outcome{certain: true, state: "lost"}, h.horizon, h.horizon)
			if got := porcupine.CheckOperationsTimeout(turnModel, h.ops, 10*time.Second); got != c.want {
				t.Errorf("%s instead of %s", got, c.want)
			}
		})
	}
}

// The turn's end was requested after 8 s, and it reads as stopping although no stop of
// it is recorded.
func TestOrder_RecordedStopMeetsTheEnd_TurnReadsAsStoppingOnlyWhileTheEndIsWritten(t *testing.T) {
	turn, session := bellcord.NewTurnID(), bellcord.SessionID("s")
	for name, c := range map[string]struct {
		called, returned, read time.Duration
		want                   porcupine.CheckResult
	}{
		"answered before the end":                      {3000, 4000, 4000, porcupine.Illegal},
		"answered before the end, read during the end": {3000, 4000, 8100, porcupine.Illegal},
		"answered after the end, read long before it":  {3000, 8400, 4000, porcupine.Illegal},
		"answered after the end, read during the end":  {7900, 8400, 8100, porcupine.Ok},
		"sent while the end was written":               {9000, 9400, 9100, porcupine.Ok},
		"sent when the end was durable":                {19000, 19400, 19100, porcupine.Illegal},
	} {
		t.Run(name, func(t *testing.T) {
			h := &history{horizon: 30 * time.Second, near: true}
			h.add(0, accepts, outcome{certain: true}, time.Second, 2*time.Second)
			read := c.read * time.Millisecond
			h.add(1, reads, outcome{certain: true, state: "stopping", near: true}, read, read+100*time.Millisecond)
			a := act{verb: cleared, session: session, called: c.called * time.Millisecond, returned: c.returned * time.Millisecond}
			a.answered, a.status, a.stop = true, http.StatusOK, &api.Stopped{Recorded: true}
			h.addUnnamed([]act{a}, map[bellcord.TurnID]bellcord.SessionID{turn: session}, session, 8*time.Second)
			h.add(3, reads, outcome{certain: true, state: "done"}, h.horizon, h.horizon)
			if got := porcupine.CheckOperationsTimeout(turnModel, h.ops, 10*time.Second); got != c.want {
				t.Errorf("%s instead of %s", got, c.want)
			}
		})
	}
}
