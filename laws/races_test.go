package laws_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// CI runs 10,000.
var idRaces = flag.Int("idraces", 300, "how often a prompt with an id of its own races its stop, over two connections")

// Law 2 in real time with real sockets: a prompt with an id chosen by the
// caller races its stop on another connection, sent before, with or after it.
// An early stop prevents the first model request, each turn has one end, and
// the answer to the stop matches the store.
func TestLaw02_PromptRacesItsStopOverHTTP_EarlyStopPreventsModelRequest(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	states := map[bellcord.StopState]int{}
	var kept []string // texts of the turns that were stopped before they arrived
	twice := 0
	chance := rand.New(rand.NewPCG(2, 35))
	for i := range *idRaces {
		if i%20 == 0 {
			c.newSession()
		}
		id, text := bellcord.NewTurnID(), fmt.Sprintf("%s race %d.", []string{"[fast 3]", "[slow 50 5ms]"}[chance.IntN(2)], i)
		result := c.race(chance.IntN(3), time.Duration(chance.IntN(30))*time.Millisecond, id, text)
		states[result.answer.State]++
		if result.answer.State == bellcord.StopStateWaitingForTurn {
			kept = append(kept, text)
		}
		if n := c.audit(id, result); n > 1 {
			twice++
		}
	}
	if left := c.hub.Unsettled(); len(left) > 0 {
		t.Errorf("%d turns still run", len(left))
	}
	after := c.requestsFor(kept)
	t.Logf("%d races: %d kept, %d settled, %d already ended; %d model requests after an early stop, %d turns with two ends",
		*idRaces, states[bellcord.StopStateWaitingForTurn], states[bellcord.StopStateSettled], states[bellcord.StopStateAlreadyEnded], after, twice)
	if after > 0 || twice > 0 || states[bellcord.StopStateWaitingForTurn] == 0 || states[bellcord.StopStateSettled] == 0 ||
		states[bellcord.StopStateWaitingForTurn]+states[bellcord.StopStateSettled]+states[bellcord.StopStateAlreadyEnded] != *idRaces {
		t.Errorf("states %v", states)
	}
}

// The orders in which a prompt and its stop are sent.
const (
	stopBefore = iota
	stopWith
	stopBehind
)

// race sends a prompt and its stop in the given order, the stop delayed by late
// if it comes second, and returns the answer to the stop.
func (c *course) race(order int, late time.Duration, id bellcord.TurnID, text string) stopAnswer {
	c.t.Helper()
	prompt := func() reply {
		return c.one.do(c.t, http.MethodPost, "/v1/sessions/"+string(c.session)+"/turns", api.NewTurn{ID: string(id), Text: text})
	}
	stop := func() reply { return c.other.do(c.t, http.MethodPost, "/v1/turns/"+string(id)+"/stop", nil) }
	var prompted, stopped reply
	switch order {
	case stopBefore:
		stopped = stop()
		prompted = prompt()
	case stopWith:
		var both sync.WaitGroup
		start := make(chan struct{})
		both.Go(func() { <-start; prompted = prompt() })
		both.Go(func() { <-start; stopped = stop() })
		close(start)
		both.Wait()
	case stopBehind:
		prompted = prompt()
		<-time.After(late)
		stopped = stop()
	}
	as, err := stopped.stopOf(id)
	if prompted.err != nil || prompted.status != http.StatusAccepted || err != nil {
		c.t.Fatalf("prompted: %d %s %v; stopped: %d %s %v", prompted.status, prompted.body, prompted.err, stopped.status, stopped.body, err)
	}
	if order == stopBefore && as.answer.State != bellcord.StopStateWaitingForTurn {
		c.t.Errorf("a stop before its turn was answered %s", stopped.body)
	}
	return as
}

// audit waits for the turn's end, compares the answer to the stop with the
// store, and counts the ends.
func (c *course) audit(id bellcord.TurnID, as stopAnswer) (ends int) {
	c.t.Helper()
	if err := c.hub.Await(c.t.Context(), id); err != nil {
		c.t.Fatal(err)
	}
	record, err := c.store.Turn(c.t.Context(), id)
	if err != nil || record.Receipt == nil {
		c.t.Fatalf("no end on record: %+v, %v", record, err)
	}
	onRecord, err := json.Marshal(record.Receipt)
	if err != nil {
		c.t.Fatal(err)
	}
	switch as.answer.State {
	case bellcord.StopStateWaitingForTurn:
		if r := record.Receipt; r.End != bellcord.EndStopped || !r.Times.Started.IsZero() {
			c.t.Errorf("its stop was kept, and yet: %s", onRecord)
		}
	case bellcord.StopStateWorkEnded: // the answer has no receipt yet
	case bellcord.StopStateInProgress, bellcord.StopStateSettled, bellcord.StopStateAlreadyEnded:
		if !bytes.Equal(as.raw, onRecord) {
			c.t.Errorf("told      %s\non record %s", as.raw, onRecord)
		}
	}
	events, err := c.store.Events(c.t.Context(), record.Session, record.FirstSeq-1, 1<<20)
	if err != nil {
		c.t.Fatal(err)
	}
	for i, ev := range events {
		if ev.Turn != id || !kind[bellcord.TurnEnded](ev.Body) {
			continue
		}
		ends++
		for _, later := range events[i+1:] {
			if later.Turn == id {
				c.t.Errorf("after its end came %+v", later)
			}
		}
	}
	if ends == 0 {
		c.t.Error("no end in the log")
	}
	return ends
}

// requestsFor counts the model requests of the turns with the given texts. It
// fails if a request is still open.
func (c *course) requestsFor(texts []string) int {
	c.t.Helper()
	over := func(all []fakemodel.Request) bool {
		for _, r := range all {
			if r.Finished.IsZero() && r.Aborted.IsZero() {
				return false
			}
		}
		return true
	}
	bounded, done := context.WithTimeout(c.t.Context(), 10*time.Second)
	defer done()
	if err := c.model.Wait(bounded, over); err != nil {
		c.t.Errorf("a request is open: %v", err)
	}
	requests := map[string]int{}
	for _, r := range c.model.Requests() {
		requests[raceOf(r.Prompt)]++
	}
	n := 0
	for _, text := range texts {
		n += requests[raceOf(text)]
	}
	return n
}

// raceOf returns the part of a prompt that is unique.
func raceOf(text string) string { return text[max(0, strings.LastIndex(text, "race ")):] }
