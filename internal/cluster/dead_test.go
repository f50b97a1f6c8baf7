package cluster_test

import (
	"errors"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

func TestLaw33_NodeWithExpiredLease_EndsItsTurnsAndIsFenced(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	often := func(with *setup) { with.hub.Sweep, with.quiet = 50*time.Millisecond, true }
	a, b := s.join(often), s.join(often)
	session := b.session()
	turn := b.runs(session, "hang")
	waiting := b.prompt(session, "say hello")
	viewer := a.watch(session)
	defer viewer.Close()
	select {
	case <-b.Fenced():
		t.Fatal("it is taken for dead while it lives")
	default:
	}
	query(t, s.place, `UPDATE nodes SET lease_until = 1 WHERE id = $1`, b.id)
	select {
	case <-b.Fenced():
	case <-inTime(t).Done():
		t.Fatal("it is not told that it was taken for dead")
	}
	until(t, "its agent ends", func() bool { return b.causeOf(turn) != nil })
	if why := b.causeOf(turn); !errors.Is(why, store.ErrFenced) {
		t.Errorf("its agent ended by %v", why)
	}
	for _, id := range []bellcord.TurnID{turn, waiting} {
		if r := a.record(id).Receipt; r.End != bellcord.EndLost {
			t.Errorf("%+v", r)
		}
	}
	if _, ran := b.ran(waiting); ran {
		t.Error("a node that was taken for dead started a turn")
	}
	if seen := read(t, viewer, turn); len(seen) == 0 {
		t.Error("a viewer saw nothing")
	}
	if id, err := b.Accept(inTime(t), b.session(), bellcord.Prompt{Text: "say hello"}); err == nil {
		t.Errorf("a node that was taken for dead accepts %s", id)
	}
	if r := a.record(a.prompt(session, "say hello")); r.Node != a.id || r.Receipt.End != bellcord.EndDone {
		t.Errorf("the session goes on with %+v at %s", r.Receipt, r.Node)
	}
}
