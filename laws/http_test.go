package laws_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// prompt sends a prompt as anna over HTTP and requires that it is accepted.
func (w *served) prompt(body api.NewTurn) bellcord.TurnID {
	w.s.t.Helper()
	r := w.roundTrip(http.MethodPost, "/v1/sessions/"+string(w.s.session)+"/turns", body)
	var turn api.Turn
	if err := json.Unmarshal(r.body, &turn); err != nil || r.status != http.StatusAccepted {
		w.s.t.Fatalf("the prompt was answered %d %s, %v", r.status, r.body, err)
	}
	return turn.ID
}

// watch opens the session's event stream; leave closes it.
func (w *served) watch() (lines *bufio.Scanner, leave func()) {
	w.s.t.Helper()
	ctx, cancel := context.WithCancel(w.s.t.Context())
	resp, err := w.client.Do(w.request(ctx, by.By, http.MethodGet, "/v1/sessions/"+string(w.s.session)+"/events", nil))
	if err != nil || resp.StatusCode != http.StatusOK {
		cancel()
		w.s.t.Fatalf("the stream was answered %+v, %v", resp, err)
	}
	leave = func() {
		cancel()
		_ = resp.Body.Close()
		synctest.Wait() // the server has noticed
	}
	w.s.t.Cleanup(leave)
	lines = bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 16<<20)
	return lines, leave
}

// watchSession watches the session and discards the events.
func (w *served) watchSession() (leave func()) {
	w.s.t.Helper()
	lines, leave := w.watch()
	go func() {
		for lines.Scan() {
			continue
		}
	}()
	return leave
}

// Law 5: no part of a stop over HTTP waits for the disk. The caller is still
// authenticated, and a caller that waits gets the correct state: stopping.
func TestLaw05_StopOverHTTPWhileStoreIsStuck_ClosesModelRequestImmediately(t *testing.T) {
	t.Parallel()
	for _, from := range origins {
		if !from.http {
			continue
		}
		t.Run(from.name, func(t *testing.T) {
			t.Parallel()
			onStage(t, func(s *stage) {
				s.serve().token(by.By) // not used before, so its first use must be written, too
				turn := s.send("", "[slow 1000]")
				s.await(turn.ID, emittedText("word3"))
				s.web.writes.stick()
				held := s.store.shut(func(store.Op) bool { return true })
				<-held // no commit completes from here on
				requested := time.Now()
				answered := from.stop(s, turn.ID)
				s.aborted(1)
				if took := time.Since(requested); took != 0 {
					s.t.Errorf("the model was let go after %v", took)
				}
				as := answered()
				if took := time.Since(requested); as.status != http.StatusAccepted || as.answer.State != bellcord.StopStateInProgress || took > time.Minute {
					s.t.Errorf("after %v answered %d %+v", took, as.status, as.answer)
				}
				s.store.open()
				if r := s.ended(turn.ID); r.End != bellcord.EndStopped || !r.Times.StopRequested.Equal(requested) {
					s.t.Errorf("on record: %+v", r)
				}
			})
		})
	}
}

// Law 28: an event is in the store, byte for byte, when it arrives over the
// stream.
func TestLaw28_EventOverHTTP_IsDurableWhenReceived(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		w := s.serve()
		lines, leave := w.watch()
		turn := w.prompt(api.NewTurn{Text: `[slow 20][tool quick {}][then [hang after 5]]`})
		shown, ended, id := 0, false, ""
		for !ended && lines.Scan() {
			line := lines.Text()
			if after, is := strings.CutPrefix(line, "id: "); is {
				id = after
			}
			data, is := strings.CutPrefix(line, "data: ")
			if !is {
				continue
			}
			seq, err := strconv.ParseInt(id, 10, 64)
			if err != nil {
				s.t.Fatal(err)
			}
			stored, err := s.store.Events(s.t.Context(), s.session, seq-1, 1)
			if err != nil || len(stored) != 1 || stored[0].Seq != seq {
				s.t.Fatalf("shown %s, stored %+v, %v", data, stored, err)
			}
			as, err := json.Marshal(stored[0])
			if err != nil || !bytes.Equal(as, []byte(data)) {
				s.t.Errorf("shown  %s\nstored %s, %v", data, as, err)
			}
			shown++
			if delta, is := stored[0].Body.(bellcord.TextDelta); is && shown > 24 && strings.Contains(delta.Text, "word5") {
				w.roundTrip(http.MethodPost, "/v1/turns/"+string(turn)+"/stop", nil)
			}
			ended = stored[0].Turn == turn && kind[bellcord.TurnEnded](stored[0].Body)
		}
		if tail, err := s.Tail(s.t.Context(), s.session); err != nil || int64(shown) != tail || shown < 30 {
			s.t.Errorf("%d events were shown, there are %d; %v, %v", shown, tail, err, lines.Err())
		}
		leave()
	})
}

// Law 35: bert cannot reach any of anna's turns with any kind of request, and
// his requests leave no trace in them.
func TestLaw35_StopOfAnotherOwnersTurnOverHTTP_HasNoEffectAtAnyCutPoint(t *testing.T) {
	t.Parallel()
	for _, on := range grounds(t) {
		for _, annas := range on.ways(1) {
			for _, c := range cuts {
				from := annas
				from.stop = func(s *stage, id bellcord.TurnID) func() stopAnswer {
					s.bertTries(id, c)
					return annas.stop(s, id)
				}
				atCut(t, on.name+"/"+from.name, c, setting{ground: on, format: formats[0], from: from}, func(t *testing.T, sc scene) {
					if r := sc.receipt; r.End != sc.end || r.Cause != nil && r.Cause.By != by.By {
						t.Errorf("ended %s by %+v", r.End, r.Cause)
					}
					for _, b := range sc.bodies(sc.id) {
						if stop, is := b.(bellcord.StopRequested); is && stop.Cause.By != by.By {
							t.Errorf("on record: %+v", stop.Cause)
						}
					}
				})
			}
		}
	}
}

// bertTries sends every kind of stop for a turn of another owner.
func (s *stage) bertTries(id bellcord.TurnID, c cut) {
	s.t.Helper()
	turn, everything := http.StatusNotFound, http.StatusOK
	if c.reach == nil {
		turn = http.StatusAccepted // a turn that does not exist yet has no owner: the stop is kept for a turn of bert's
	}
	if s.store.isShut() && len(s.nodes) == 1 { // another node has its own connection to the store
		everything = http.StatusAccepted // turns of other processes cannot be listed; bert has none
	}
	before := len(s.Unsettled())
	for _, try := range []struct {
		path string
		want int
	}{
		{"/v1/turns/" + string(id) + "/stop", turn},
		{"/v1/sessions/" + string(s.session) + "/stop", http.StatusNotFound},
		{"/v1/stop", everything},
	} {
		r := s.serve().begin("bert", try.path, api.Stop{Mode: "force", Queue: "drop", Wait: "1ms"})()
		if r.status != try.want || bytes.Contains(r.body, []byte("receipt")) {
			s.t.Errorf("%s was answered %d %s, want %d", try.path, r.status, r.body, try.want)
		}
	}
	if after := len(s.Unsettled()); after != before {
		s.t.Errorf("%d turns ran, now %d", before, after)
	}
}
