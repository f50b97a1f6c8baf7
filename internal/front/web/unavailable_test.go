package web_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// troubled is a store that returns an error when one is set.
type troubled struct {
	store.Store
	accept, read atomic.Pointer[error]
}

func (s *troubled) Commit(ctx context.Context, ops []store.Op) ([]store.Result, error) {
	results, err := s.Store.Commit(ctx, ops)
	for i, op := range ops {
		if _, is := op.(store.AcceptTurn); is && s.accept.Load() != nil && err == nil {
			results[i] = store.Result{Err: *s.accept.Load()}
		}
	}
	return results, err
}

func (s *troubled) Turn(ctx context.Context, id bellcord.TurnID) (store.TurnRecord, error) {
	if err := s.read.Load(); err != nil {
		return store.TurnRecord{}, *err
	}
	return s.Store.Turn(ctx, id)
}

func TestProblem_FencedTurnOrLostDatabase_AnswersServiceUnavailable(t *testing.T) {
	t.Parallel()
	var kept troubled
	s := newStage(t, func(with *setup) {
		with.store = func(inner store.Store) store.Store { kept.Store = inner; return &kept }
	})
	session, _ := s.session("anna")
	unavailable := func(a answer, kind string) {
		t.Helper()
		a.isA(http.StatusServiceUnavailable, kind)
		if a.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", a.request)
		}
	}
	fenced := store.ErrFenced
	kept.accept.Store(&fenced)
	unavailable(s.roundTrip("anna", "POST", session+"/turns", api.NewTurn{Text: "hello"}), "fenced")
	lost := fmt.Errorf("%w: unexpected EOF", bellcord.ErrStoreDown)
	kept.read.Store(&lost)
	unavailable(s.roundTrip("anna", "GET", "/v1/turns/"+string(bellcord.NewTurnID()), nil), "store-unavailable")
}
