package cluster_test

import (
	"slices"
	"testing"

	"github.com/bellcord/bellcord/hub"

	"github.com/bellcord/bellcord"
)

// read returns the events that a viewer receives until the end of a turn.
func read(t *testing.T, c *hub.Cursor, turn bellcord.TurnID) (all []bellcord.Event) {
	t.Helper()
	for {
		events, err := c.Next(inTime(t))
		if err != nil {
			t.Fatalf("after %d events: %v", len(all), err)
		}
		all = append(all, events...)
		if slices.ContainsFunc(events, func(ev bellcord.Event) bool { return ev.Turn == turn && ev.Body.Kind() == "turn_ended" }) {
			return all
		}
	}
}

// inOrder checks that a viewer received all stored events, once and in order.
func inOrder(t *testing.T, seen, stored []bellcord.Event) {
	t.Helper()
	if len(seen) != len(stored) {
		t.Errorf("%d of %d events were seen", len(seen), len(stored))
	}
	for i, ev := range seen {
		if ev.Seq != int64(i)+1 || i < len(stored) && !same(t, ev.Body, stored[i].Body) {
			t.Fatalf("event %d is %d: %+v", i+1, ev.Seq, ev.Body)
		}
	}
}

func TestViewer_TurnOfAnotherNode_ReceivesEventsLiveOnceInOrder(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := b.session()
	turn := b.runs(session, "stream 200")
	voice := s.voice()
	cursor, err := a.Events(inTime(t), session, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close()
	until(t, "b knows that a watches", func() bool { return b.bus.Elsewhere(session) })
	b.release()
	seen := read(t, cursor, turn)
	inOrder(t, seen, b.events(session))
	voice.flush()
	until(t, "it came over the bus", func() bool { _, events := voice.frames(session); return events >= 401 })
	messages, events := voice.frames(session)
	t.Logf("%d events were seen live; %d came in %d messages", len(seen), events, messages)
}

func TestCommitted_SessionNotWatchedElsewhere_PublishesNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	watched, unwatched := b.session(), b.session()
	cursor, err := a.Events(inTime(t), watched, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close()
	local, err := b.Events(inTime(t), unwatched, 0) // a viewer at the same node needs no message
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	until(t, "b knows that a watches", func() bool { return b.bus.Elsewhere(watched) })
	voice := s.voice()
	b.release()
	b.record(b.prompt(unwatched, "stream 50"))
	b.record(b.prompt(watched, "stream 50"))
	until(t, "what is watched is published", func() bool { _, events := voice.frames(watched); return events >= 100 })
	if messages, events := voice.frames(unwatched); messages > 0 {
		t.Errorf("%d events of a session that nobody watches were published", events)
	}
}

func TestViewer_EventLargerThanAFrame_IsReadFromTheStore(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	database := newStuck()
	a, b := s.join(), s.join(func(with *setup) { with.store = database.around })
	session := b.session()
	turn := b.runs(session, "large 150000")
	cursor, err := a.Events(inTime(t), session, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close()
	until(t, "b knows that a watches", func() bool { return b.bus.Elsewhere(session) })
	database.hang() // so that the events before and after it are in the same commit
	b.release()
	until(t, "all is on its way", func() bool { text, _ := b.ran(turn); return text == "emitted" })
	database.goOn()
	inOrder(t, read(t, cursor, turn), b.events(session))
}
