package web_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Conversations of idle sessions are a cache: they must not keep prompts away.
func TestMemory_FullOfCaches_EmptiesThemBeforeItRefuses(t *testing.T) {
	t.Parallel()
	var cached atomic.Int64
	s := newStage(t, func(with *setup) {
		with.MemoryFull = func() bool { return cached.Load() > 0 }
		with.Reclaim = func() int64 { cached.Add(-1); return 1 }
	})
	path, _ := s.session("anna")
	cached.Store(2) // more than one round frees
	s.prompt("anna", path, "say hi")
	if left := cached.Load(); left != 0 {
		t.Errorf("%d caches are left", left)
	}
}

func TestReady_MemoryFull_Is503AndLoggedOnce(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	var log lockedBuffer
	s := newStage(t, func(with *setup) {
		with.MemoryFull = full.Load
		with.Logger = slog.New(slog.NewTextHandler(&log, nil))
	})
	path, _ := s.session("anna")
	full.Store(true)
	for range 3 {
		s.roundTrip("anna", "POST", path+"/turns", `{"text":"say hi"}`).isA(503, "overloaded")
		if a := s.roundTrip("", "GET", "/readyz", nil); a.status != 503 || !strings.Contains(string(a.body), "overloaded") {
			t.Errorf("/readyz is %d: %s", a.status, a.body)
		}
	}
	full.Store(false)
	s.readiness(http.StatusOK)
	s.prompt("anna", path, "say hi")
	for _, line := range []string{"memory is full, refusing prompts", "memory is free again"} {
		if n := strings.Count(log.String(), line); n != 1 {
			t.Errorf("%q is in the log %d times", line, n)
		}
	}
}

// lockedBuffer is a log that is read while it is written.
type lockedBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

// unreadable is a store whose lists cannot be read.
type unreadable struct {
	store.Store
	hangs bool
	bad   *atomic.Bool
	reads *atomic.Int64
}

func (u unreadable) Sessions(ctx context.Context, q store.SessionQuery) ([]bellcord.Session, error) {
	switch {
	case !u.bad.Load():
		return u.Store.Sessions(ctx, q)
	case u.hangs:
		u.reads.Add(1)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, errors.New("database disk image is malformed")
}

func TestReady_StoreCannotBeReadOrDoesNotAnswer_Is503(t *testing.T) {
	t.Parallel()
	for _, hangs := range []bool{false, true} {
		var bad atomic.Bool
		var reads atomic.Int64
		s := newStage(t, func(with *setup) {
			with.store = func(store store.Store) store.Store { return unreadable{store, hangs, &bad, &reads} }
		})
		s.session("anna")
		s.roundTrip("", "GET", "/readyz", nil).is(200)
		bad.Store(true)
		var probes sync.WaitGroup
		for range 5 {
			probes.Go(func() { s.roundTrip("", "GET", "/readyz", nil).is(503) })
		}
		probes.Wait()
		if n := reads.Load(); hangs && n != 1 {
			t.Errorf("%d reads wait for the store", n)
		}
		if !hangs {
			bad.Store(false)
			s.readiness(http.StatusOK)
		}
	}
}

// damagedStore is a store in which the events of some sessions are damaged: only the
// first ones, or all of them.
type damagedStore struct {
	store.Store
	damaged *sync.Map
}

func (d damagedStore) Events(ctx context.Context, id bellcord.SessionID, after int64, limit int) ([]bellcord.Event, error) {
	if from, is := d.damaged.Load(id); is && (after == 0 || from != 0) {
		return nil, bellcord.ErrDamaged
	}
	return d.Store.Events(ctx, id, after, limit)
}

func TestReady_OneSessionIsDamaged_Is200UntilMostAre(t *testing.T) {
	t.Parallel()
	var damaged sync.Map
	s := newStage(t, func(with *setup) {
		with.store = func(store store.Store) store.Store { return damagedStore{store, &damaged} }
	})
	var all []bellcord.SessionID
	for range 3 {
		path, id := s.session("anna")
		s.ended("anna", s.prompt("anna", path, "say hello").ID)
		all = append(all, id)
	}
	s.hub.CloseIdle(time.Now()) // the last events of open sessions are in memory
	for from := range 2 {
		for n, want := range map[int]int{1: 200, 3: 503} {
			damaged.Clear()
			for _, id := range all[3-n:] {
				damaged.Store(id, from)
			}
			s.roundTrip("", "GET", "/readyz", nil).is(want)
		}
	}
}
