package web_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

func TestEvents_RecordedThenLive_HaveNoGap(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	s.ended("anna", s.prompt("anna", path, "say one").ID)
	v := s.watch("anna", path, "")
	v.until("turn_ended")
	second := s.prompt("anna", path, "say two").ID
	if last := v.until("turn_ended"); last.Turn != second || last.Session != id {
		t.Errorf("%+v", last)
	}
	for i, ev := range v.seen {
		if ev.ID != int64(i+1) || ev.Seq != ev.ID {
			t.Errorf("event %d has the id %d and the sequence number %d", i, ev.ID, ev.Seq)
		}
	}
	if v.retry != "1000" || v.header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("retry %q, header %v", v.retry, v.header)
	}
}

func TestHeld_EventsAfterSequenceNumber_ContinueThereAndBadOnesAreRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	s.ended("anna", s.prompt("anna", path, "say one").ID)
	tail, err := s.hub.Tail(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	first := func(query string, changes ...func(*http.Request)) int64 {
		t.Helper()
		v := s.watch("anna", path, query, changes...)
		defer v.leave()
		ev, _ := v.next()
		return ev.ID
	}
	if got := first("?after=2"); got != 3 {
		t.Errorf("behind 2 comes %d", got)
	}
	if got := first("?after=1", header("Last-Event-ID", "3")); got != 4 {
		t.Errorf("the header wins: behind 3 comes %d", got)
	}
	s.roundTrip("anna", "GET", fmt.Sprintf("%s/events?after=%d", path, tail+1), nil).isA(422, "bad-input")
	s.roundTrip("anna", "GET", path+"/events", nil, header("Last-Event-ID", fmt.Sprint(tail+1))).isA(422, "bad-input")
	for _, bad := range []string{"x", "-1", "1.5", "99999999999999999999"} {
		s.roundTrip("anna", "GET", path+"/events", nil, header("Last-Event-ID", bad)).isA(422, "bad-input")
		s.roundTrip("anna", "GET", path+"/events?after="+bad, nil).is(422)
	}
}

func TestEvents_SeveralViewers_ReceiveTheSame(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	viewers := make([]*viewer, 5)
	for i := range viewers {
		viewers[i] = s.watch("anna", path, "")
	}
	s.prompt("anna", path, "stream 50")
	var all sync.WaitGroup
	for _, v := range viewers {
		all.Go(func() { v.until("turn_ended") })
	}
	all.Wait()
	late := s.watch("admin", path, "")
	late.until("turn_ended")
	for i, v := range viewers {
		if len(v.seen) != len(late.seen) {
			t.Fatalf("viewer %d saw %d events of %d", i, len(v.seen), len(late.seen))
		}
		for n, ev := range v.seen {
			if want := late.seen[n]; ev.ID != want.ID || ev.Kind != want.Kind || string(ev.Body) != string(want.Body) {
				t.Errorf("viewer %d saw %+v, not %+v", i, ev, want)
			}
		}
	}
}

func TestEvents_IdleStream_SendsAHeartbeatEveryFifteenSeconds(t *testing.T) {
	t.Parallel()
	inABubble(t, func(s *stage) {
		path, _ := s.session("anna")
		began := time.Now()
		v := s.watch("anna", path, "")
		go func() {
			<-time.After(time.Minute + time.Second)
			s.server.Close()
		}()
		v.rest()
		if len(v.beats) != 4 {
			s.t.Fatalf("signs of life at %v", v.beats)
		}
		for i, at := range v.beats {
			if want := time.Duration(i+1) * 15 * time.Second; at.Sub(began) != want {
				s.t.Errorf("number %d came after %v", i, at.Sub(began))
			}
		}
	})
}

func TestEvents_SessionDeletedOrServerClosed_EndsTheStream(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	other, _ := s.session("anna")
	s.prompt("anna", path, "hang on")
	v, w := s.watch("anna", path, ""), s.watch("anna", other, "")
	s.until(id, "text_delta")
	s.roundTrip("anna", "DELETE", path, nil).is(204)
	v.rest()
	s.roundTrip("anna", "GET", path+"/events", nil).isA(404, "session-not-found")
	s.server.Close()
	w.rest()
	s.roundTrip("anna", "GET", other+"/events", nil).isA(503, "shutting-down")
}

func TestEvents_ViewerDoesNotRead_IsDisconnectedWithoutDelayingTheTurn(t *testing.T) {
	t.Parallel()
	left := make(chan struct{}, 1)
	s := newStage(t, func(with *setup) {
		with.Patience = 3 * time.Second
		with.Viewers = func(delta int) {
			if delta < 0 {
				left <- struct{}{}
			}
		}
	})
	run := func(path string) time.Duration {
		began := time.Now()
		if r := s.ended("anna", s.prompt("anna", path, "stream 8000").ID); r.End != bellcord.EndDone || r.Kept.TextBytes != 8_000_000 {
			t.Fatalf("%+v", r)
		}
		return time.Since(began)
	}
	alone, _ := s.session("anna")
	without := run(alone)
	path, _ := s.session("anna")
	conn := s.dial()
	if err := conn.SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET %s/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n", path, s.tokens["anna"])
	with := run(path)
	t.Logf("8 MB: %v alone, %v beside a viewer that does not read", without, with)
	if with > 2*without+2*time.Second {
		t.Errorf("the turn took %v instead of %v", with, without)
	}
	select {
	case <-left:
	case <-time.After(patient):
		t.Error("the viewer is still there")
	}
}
