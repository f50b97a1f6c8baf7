package web_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// troubled is a store that returns an error when one is set.
type troubled struct {
	bellcord.Store
	accept, read atomic.Pointer[error]
}

func (s *troubled) Commit(ctx context.Context, ops []bellcord.Op) ([]bellcord.Result, error) {
	results, err := s.Store.Commit(ctx, ops)
	for i, op := range ops {
		if _, is := op.(bellcord.AcceptTurn); is && s.accept.Load() != nil && err == nil {
			results[i] = bellcord.Result{Err: *s.accept.Load()}
		}
	}
	return results, err
}

func (s *troubled) Turn(ctx context.Context, id bellcord.TurnID) (bellcord.TurnRecord, error) {
	if err := s.read.Load(); err != nil {
		return bellcord.TurnRecord{}, *err
	}
	return s.Store.Turn(ctx, id)
}

func TestProblem_FencedTurnOrLostDatabase_AnswersServiceUnavailable(t *testing.T) {
	t.Parallel()
	var store troubled
	s := newStage(t, func(with *setup) {
		with.store = func(inner bellcord.Store) bellcord.Store { store.Store = inner; return &store }
	})
	session, _ := s.session("anna")
	unavailable := func(a answer, kind string) {
		t.Helper()
		a.isA(http.StatusServiceUnavailable, kind)
		if a.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", a.request)
		}
	}
	fenced := bellcord.ErrFenced
	store.accept.Store(&fenced)
	unavailable(s.roundTrip("anna", "POST", session+"/turns", api.NewTurn{Text: "hello"}), "fenced")
	lost := fmt.Errorf("%w: unexpected EOF", bellcord.ErrStoreDown)
	store.read.Store(&lost)
	unavailable(s.roundTrip("anna", "GET", "/v1/turns/"+string(bellcord.NewTurnID()), nil), "store-unavailable")
}
