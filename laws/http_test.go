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
)

// prompt sends a prompt of anna's over HTTP and expects it to be accepted.
func (w *served) prompt(body api.NewTurn) bellcord.TurnID {
	w.s.t.Helper()
	r := w.ask(http.MethodPost, "/v1/sessions/"+string(w.s.session)+"/turns", body)
	var turn api.Turn
	if err := json.Unmarshal(r.body, &turn); err != nil || r.status != http.StatusAccepted {
		w.s.t.Fatalf("the prompt was answered %d %s, %v", r.status, r.body, err)
	}
	return turn.ID
}

// watch opens the session's stream of events; leave ends it.
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
		synctest.Wait() // the server knows
	}
	w.s.t.Cleanup(leave)
	lines = bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 16<<20)
	return lines, leave
}

// look watches as a person does, who reads all that comes and keeps nothing.
func (w *served) look() (leave func()) {
	w.s.t.Helper()
	lines, leave := w.watch()
	go func() {
		for lines.Scan() {
			continue
		}
	}()
	return leave
}

// Law 5: nothing that a stop over HTTP passes through waits for the disk, who
// asks is found out all the same, and who waits is told the truth: stopping.
func TestLaw05_AStopOverHTTPIsDeliveredWhileTheStoreIsStuck(t *testing.T) {
	t.Parallel()
	for _, from := range origins {
		if !from.http {
			continue
		}
		t.Run(from.name, func(t *testing.T) {
			t.Parallel()
			onStage(t, func(s *stage) {
				s.serve().token(by.By) // never used yet: its first use is to be written, too
				turn := s.send("", "[slow 1000]")
				s.await(turn.ID, saidSo("word3"))
				s.web.writes.stick()
				held := s.store.shut(func(bellcord.Op) bool { return true })
				<-held // from here on nothing is committed
				asked := time.Now()
				answered := from.stop(s, turn.ID)
				s.aborted(1)
				if took := time.Since(asked); took != 0 {
					s.t.Errorf("the model was let go after %v", took)
				}
				as := answered()
				if took := time.Since(asked); as.status != http.StatusAccepted || as.answer.State != bellcord.StopStateInProgress || took > time.Minute {
					s.t.Errorf("after %v answered %d %+v", took, as.status, as.answer)
				}
				s.store.open()
				if r := s.ended(turn.ID); r.End != bellcord.EndStopped || !r.Times.StopRequested.Equal(asked) {
					s.t.Errorf("on record: %+v", r)
				}
			})
		})
	}
}

// Law 28: what comes over the stream is in the store at the moment it is seen,
// to the byte.
func TestLaw28_NothingIsShownOverHTTPBeforeItIsDurable(t *testing.T) {
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
			if said, is := stored[0].Body.(bellcord.TextDelta); is && shown > 24 && strings.Contains(said.Text, "word5") {
				w.ask(http.MethodPost, "/v1/turns/"+string(turn)+"/stop", nil)
			}
			ended = stored[0].Turn == turn && kind[bellcord.TurnEnded](stored[0].Body)
		}
		if tail, err := s.Tail(s.t.Context(), s.session); err != nil || int64(shown) != tail || shown < 30 {
			s.t.Errorf("%d events were shown, there are %d; %v, %v", shown, tail, err, lines.Err())
		}
		leave()
	})
}

// Law 35: bert finds none of anna's turns, wherever they are and however he asks,
// and what he asked leaves no trace in them.
func TestLaw35_AnothersTurnCannotBeStoppedOverHTTPAtAnyCutPoint(t *testing.T) {
	t.Parallel()
	for _, on := range grounds(t) {
		for _, annas := range on.ways(1) {
			for _, c := range cuts {
				from := annas
				from.stop = func(s *stage, id bellcord.TurnID) func() told {
					s.bertTries(id, c)
					return annas.stop(s, id)
				}
				atCut(t, on.name+"/"+from.name, c, setting{ground: on, format: formats[0], from: from}, func(t *testing.T, sc scene) {
					if r := sc.receipt; r.End != sc.end || r.Cause != nil && r.Cause.By != by.By {
						t.Errorf("ended %s by %+v", r.End, r.Cause)
					}
					for _, b := range sc.bodies(sc.id) {
						if asked, is := b.(bellcord.StopRequested); is && asked.Cause.By != by.By {
							t.Errorf("on record: %+v", asked.Cause)
						}
					}
				})
			}
		}
	}
}

// bertTries stops somebody else's turn in all the ways there are.
func (s *stage) bertTries(id bellcord.TurnID, c cut) {
	s.t.Helper()
	turn, everything := http.StatusNotFound, http.StatusOK
	if c.reach == nil {
		turn = http.StatusAccepted // one that has not come is nobody's yet: it is kept, for one of his own
	}
	if s.store.isShut() && len(s.nodes) == 1 { // another node has its own way to the store
		everything = http.StatusAccepted // no answer about other processes' turns; there are none of his
	}
	before := len(s.Running())
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
	if after := len(s.Running()); after != before {
		s.t.Errorf("%d turns ran, now %d", before, after)
	}
}
