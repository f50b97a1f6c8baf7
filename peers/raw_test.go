package peers_test

import (
	"fmt"
	"testing"
	"time"
)

// each is the number of prompts with a cancel for each way of using sessions.
const each = 1000

// The race that other agents lose: the cancel arrives in the same write as its
// prompt, before anything has started. There is no client library and no
// wiretap in between that could delay the cancel.
func TestCancel_InOneWriteWithItsPrompt_IsNeverLost(t *testing.T) {
	t.Parallel()
	r := bareRig(t)
	agent := r.wire()
	agent.roundTrip("initialize", map[string]any{"protocolVersion": 1})
	var tally stops
	session := agent.session()
	for i := range each {
		tally.add(agent.promptAndCancel(session, fmt.Sprintf("[slow 20 5ms] same %d.", i)))
	}
	for i := range each {
		tally.add(agent.promptAndCancel(agent.session(), fmt.Sprintf("[slow 20 5ms] fresh %d.", i)))
	}
	// A session that was stopped a thousand times still works.
	last := agent.roundTrip("session/prompt", promptOf(session, andNow))
	if last.params.StopReason != "end_turn" {
		t.Errorf("then a prompt ended so: %v", last)
	}
	agent.close() // after this, no request can be open
	requests := tally.countRequests(r)
	t.Logf("requests that came before the answer, and were broken off: %d", requests)
	fmt.Printf("prompt+cancel in one write: %d times, %d lost, %d errors, %d model requests\n",
		len(tally.answers), tally.lost, tally.errors, tally.late)
	if tally.lost+tally.errors+tally.late > 0 || len(tally.answers) != 2*each {
		t.Errorf("it has to be %d times, 0 lost, 0 errors, 0 model requests", 2*each)
	}
	if refused := r.model.Rejections(); len(refused) > 0 {
		t.Errorf("the model refused: %q", refused)
	}
}

// stops counts the results of the cancels.
type stops struct {
	answers            map[string]time.Time // the time of each prompt's answer
	lost, errors, late int
}

func (s *stops) add(prompt string, answer message) {
	if s.answers == nil {
		s.answers = map[string]time.Time{}
	}
	s.answers[prompt] = answer.At
	switch {
	case answer.Error != nil:
		s.errors++
	case answer.params.StopReason != "cancelled":
		s.lost++
	}
}

// countRequests counts the model's requests that came after the answer, and returns how many came
// before it.
func (s *stops) countRequests(r *rig) (before int) {
	for _, q := range r.model.Requests() {
		switch answered, stopped := s.answers[q.Prompt]; {
		case !stopped:
		case q.At.After(answered):
			s.late++
		default:
			before++
		}
	}
	return before
}

func (w *wire) promptAndCancel(session, text string) (string, message) {
	w.Helper()
	cancel := asJSON(w.T, map[string]any{"jsonrpc": "2.0", "method": "session/cancel", "params": map[string]string{"sessionId": session}})
	w.send(w.request("session/prompt", promptOf(session, text)) + cancel + "\n")
	return text, w.answer()
}

// A close must not be answered before the prompt that it ends.
func TestClose_RightAfterAPrompt_IsAnsweredAfterThePrompt(t *testing.T) {
	t.Parallel()
	const times = 300
	r := bareRig(t)
	agent := r.wire()
	agent.roundTrip("initialize", map[string]any{"protocolVersion": 1})
	early := 0
	for range times {
		session := agent.session()
		prompt := agent.request("session/prompt", promptOf(session, long))
		id := fmt.Sprint(agent.lastID)
		closing := agent.request("session/close", map[string]any{"sessionId": session})
		agent.send(prompt + closing)
		first, second := agent.answer(), agent.answer()
		if string(first.ID) != id {
			early++
			first, second = second, first
		}
		if first.params.StopReason != "cancelled" || second.Error != nil {
			t.Errorf("prompt and close were answered %v, %v", first, second)
		}
	}
	agent.close()
	if early > 0 {
		t.Errorf("%d of %d closes were answered before their prompts", early, times)
	}
}
