package hub_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// ledger is a SQLite store that records its commits and can block them.
type ledger struct {
	store.Store
	mu      sync.Mutex
	commits [][]store.Op
	shut    chan struct{} // nil while commits are not blocked
}

func (l *ledger) Commit(ctx context.Context, ops []store.Op) ([]store.Result, error) {
	l.mu.Lock()
	l.commits = append(l.commits, slices.Clone(ops))
	shut := l.shut
	l.mu.Unlock()
	if shut != nil {
		<-shut
	}
	return l.Store.Commit(ctx, ops)
}

// close blocks further commits until open is called.
func (l *ledger) close() (open func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	shut := make(chan struct{})
	l.shut = shut
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.shut = nil
		close(shut)
	}
}

func (l *ledger) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.commits)
}

// onLedger returns a hub with a ledger as its store.
func onLedger(t *testing.T, agent hub.Agent) (fixture, *ledger) {
	t.Helper()
	l := &ledger{}
	h := openOver(t, t.TempDir(), agent, hub.Options{}, l.over)
	s, err := h.NewSession(t.Context(), bellcord.Session{Dir: "/", Title: "set"})
	if err != nil {
		t.Fatal(err)
	}
	h.session = s.ID
	return h, l
}

// over makes the ledger keep its commits in the given store.
func (l *ledger) over(s store.Store) store.Store {
	l.Store = s
	return l
}

func TestLog_OpsDuringACommit_FormTheNextCommit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		h, l := onLedger(t, script(func(ctx context.Context, w *hub.Work) error {
			if err := errors.Join(w.Emit(bellcord.TextDelta{Text: "ready"}), w.Sync(ctx)); err != nil {
				return err
			}
			<-goOn
			for i := range 100 {
				if err := errors.Join(w.Emit(bellcord.TextDelta{Text: fmt.Sprint(i, " ")}), w.Emit(bellcord.ThinkingDelta{Text: "hm"})); err != nil {
					return err
				}
			}
			<-ctx.Done()
			return nil
		}))
		turn := h.prompt("go")
		synctest.Wait()
		open := l.close()
		if _, err := h.Configure(h.session, bellcord.SessionUpdated{Mode: "full"}); err != nil { // this commit is now in progress
			t.Fatal(err)
		}
		synctest.Wait()
		before := l.count()
		close(goOn)
		other, err := h.Prompt(h.session, bellcord.Prompt{Text: "and this"}) // queued in the same session
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if l.count() != before {
			t.Fatal("two commits at a time")
		}
		open()
		synctest.Wait()
		l.mu.Lock()
		next := l.commits[before:]
		l.mu.Unlock()
		if len(next) != 1 || len(next[0]) != 2 {
			t.Fatalf("%d commits followed, the first of %d ops", len(next), len(next[0]))
		}
		bodies := 0
		for _, op := range next[0] {
			if a, is := op.(store.AppendEvents); is {
				bodies += len(a.Bodies)
			}
		}
		if bodies != 200 {
			t.Errorf("%d events in it", bodies)
		}
		h.Stop(bellcord.StopRequest{Session: h.session, Queue: bellcord.QueueDrop})
		<-turn.Settled()
		<-other.Settled()
	})
}

func TestEmit_StoreBlocked_BlocksAtLimitAndReturnsOnStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var emitted atomic.Int64
		word := make(chan error, 1)
		goOn := make(chan struct{})
		h, l := onLedger(t, script(func(_ context.Context, w *hub.Work) error {
			<-goOn
			piece := strings.Repeat("x", 10_000)
			for range 5_000 { // 50 MB
				if err := w.Emit(bellcord.TextDelta{Text: piece}); err != nil {
					word <- err
					return err
				}
				emitted.Add(int64(len(piece)))
			}
			word <- nil
			return nil
		}))
		turn := h.prompt("go")
		synctest.Wait()
		open := l.close()
		close(goOn)
		synctest.Wait()
		if n := emitted.Load(); n < 256<<10 || n > 1<<20 {
			t.Errorf("%d bytes are not durable", n)
		}
		requested := time.Now()
		stopping := h.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{By: "anna"}))
		var cause *bellcord.Cause
		if err := <-word; !errors.As(err, &cause) || cause.By != "anna" || time.Since(requested) != 0 {
			t.Errorf("the agent was told %v after %v", err, time.Since(requested))
		}
		open()
		answers, err := stopping.Wait(t.Context())
		if err != nil || answers[0].State != bellcord.StopStateSettled || answers[0].Receipt.Kept.TextBytes != emitted.Load() {
			t.Errorf("answered %+v, %v; emitted %d", answers, err, emitted.Load())
		}
	})
}

// Two processes append to one session. Readers of any speed receive every event
// of the store once and in order.
func TestCursor_TwoWriters_ReadersOfAnySpeedMissNoEvent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		h := openAt(t, dir, script(func(ctx context.Context, w *hub.Work) error {
			for i := range 150 {
				if err := errors.Join(w.Emit(bellcord.TextDelta{Text: fmt.Sprint(i)}), w.Sync(ctx)); err != nil {
					return err
				}
				<-time.After(10 * time.Millisecond)
			}
			return nil
		}), hub.Options{})
		other, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = other.Close() }()
		turn := h.prompt("go")

		var work sync.WaitGroup
		paces := []time.Duration{0, 15 * time.Millisecond, 700 * time.Millisecond}
		seen := make([][]bellcord.Event, len(paces))
		for i, pace := range paces {
			work.Go(func() { seen[i] = h.follow(t.Context(), pace) })
		}
		work.Go(func() {
			for i := range 40 {
				<-time.After(33 * time.Millisecond)
				op := store.AppendEvents{Session: h.session, Bodies: []bellcord.Body{bellcord.SessionUpdated{Title: fmt.Sprint(i)}}, At: time.Now()}
				if _, err := other.Commit(t.Context(), []store.Op{op}); err != nil {
					t.Error(err)
				}
			}
		})
		work.Wait()
		<-turn.Settled()
		stored, err := other.Events(t.Context(), h.session, 0, 1000)
		if err != nil || len(stored) < 190 {
			t.Fatalf("%d events on record, %v", len(stored), err)
		}
		for i, events := range seen {
			if got, want := kinds(events), kinds(stored); !reflect.DeepEqual(got, want) {
				t.Errorf("a reader that pauses %v saw %d events, %d are on record", paces[i], len(got), len(want))
			}
		}
	})
}

// follow reads a session to the end of its turn, with a pause after each read.
func (h fixture) follow(ctx context.Context, pause time.Duration) (events []bellcord.Event) {
	cursor, err := h.Events(ctx, h.session, 0)
	if err != nil {
		h.t.Error(err)
		return nil
	}
	defer cursor.Close()
	for {
		next, err := cursor.Next(ctx)
		if err != nil {
			h.t.Error(err)
			return events
		}
		events = append(events, next...)
		if slices.ContainsFunc(next, func(ev bellcord.Event) bool { return ev.Body.Kind() == "turn_ended" }) {
			return events
		}
		if pause > 0 {
			<-time.After(pause)
		}
	}
}

func kinds(events []bellcord.Event) (out []string) {
	for _, ev := range events {
		out = append(out, fmt.Sprint(ev.Seq, ev.Body.Kind()))
		if delta, is := ev.Body.(bellcord.TextDelta); is {
			out = append(out, delta.Text)
		}
	}
	return out
}
