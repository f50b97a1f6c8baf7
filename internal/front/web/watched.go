package web

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// watched counts the viewers of sessions and stops turns that chose to be
// stopped without viewers (law 34). It waits for patience first, because a
// browser loses its stream now and then.
type watched struct {
	hub interface {
		awaiter
		stopper
	}
	closed    <-chan struct{} // closed with the server
	elsewhere func(bellcord.SessionID) bool
	patience  time.Duration

	mu       sync.Mutex
	sessions map[bellcord.SessionID]*watchers
}

type watchers struct {
	viewers int
	turns   map[bellcord.TurnID]bool // to be stopped without viewers
	alone   *time.Timer              // runs while there are turns and no viewers
}

func (w *watched) arrive(id bellcord.SessionID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.of(id)
	of.viewers++
	w.settle(id, of)
}

func (w *watched) removeViewer(id bellcord.SessionID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.of(id)
	of.viewers--
	w.settle(id, of)
}

// bind makes a turn depend on its session's viewers until it has ended.
func (w *watched) bind(session bellcord.SessionID, turn bellcord.TurnID) {
	w.mu.Lock()
	of := w.of(session)
	of.turns[turn] = true
	w.settle(session, of)
	w.mu.Unlock()
	go func() { // runs as long as the turn
		w.awaitEnd(turn)
		w.mu.Lock()
		defer w.mu.Unlock()
		of := w.of(session)
		delete(of.turns, turn)
		w.settle(session, of)
	}()
}

// awaitEnd returns when a turn has ended or does not exist. While the store
// does not respond, the state of another node's turn cannot be determined:
// awaitEnd retries until the server is closed.
func (w *watched) awaitEnd(turn bellcord.TurnID) {
	for {
		err := w.hub.Await(context.Background(), turn)
		if err == nil || errors.Is(err, bellcord.ErrNoTurn) || errors.Is(err, bellcord.ErrClosed) {
			return
		}
		select {
		case <-time.After(w.patience):
		case <-w.closed:
			return
		}
	}
}

func (w *watched) of(id bellcord.SessionID) *watchers {
	of := w.sessions[id]
	if of == nil {
		of = &watchers{turns: map[bellcord.TurnID]bool{}}
		w.sessions[id] = of
	}
	return of
}

// settle starts or stops the timer for turns without viewers. The caller must
// hold w.mu.
func (w *watched) settle(id bellcord.SessionID, of *watchers) {
	alone := of.viewers == 0 && len(of.turns) > 0
	switch {
	case alone && of.alone == nil:
		of.alone = time.AfterFunc(w.patience, func() { w.stopUnwatched(id) })
	case !alone && of.alone != nil:
		of.alone.Stop()
		of.alone = nil
	}
	if of.viewers == 0 && len(of.turns) == 0 {
		delete(w.sessions, id)
	}
}

// stopUnwatched stops the turns of a session without viewers. It checks the
// number of viewers again under the lock. The other nodes are asked without it:
// arriving viewers must not wait for the network.
func (w *watched) stopUnwatched(id bellcord.SessionID) {
	elsewhere := w.elsewhere(id)
	w.mu.Lock()
	of := w.sessions[id]
	if of == nil || of.viewers > 0 {
		w.mu.Unlock()
		return
	}
	of.alone = nil
	if elsewhere {
		w.settle(id, of) // check again after patience
		w.mu.Unlock()
		return
	}
	turns := slices.Collect(maps.Keys(of.turns))
	w.mu.Unlock()
	for _, turn := range turns {
		w.hub.Stop(bellcord.StopRequest{
			Turn: turn, Queue: bellcord.QueueNext,
			Cause: bellcord.Cause{Kind: bellcord.CauseDisconnect, By: "no viewers", Source: api.FromHTTP},
		})
	}
}
