package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"sync"

	"github.com/bellcord/bellcord"
)

// book holds the prompts of a session that have no answer yet.
type book struct {
	mu      sync.Mutex
	prompts map[bellcord.TurnID]json.RawMessage // the request, by its turn
	idle    chan struct{}                       // closed while there are none
}

func newBook() *book {
	b := &book{prompts: map[bellcord.TurnID]json.RawMessage{}, idle: make(chan struct{})}
	close(b.idle)
	return b
}

// expect notes, before the turn exists, which request it will answer.
func (b *book) expect(turn bellcord.TurnID, request json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.prompts) == 0 {
		b.idle = make(chan struct{})
	}
	b.prompts[turn] = request
}

// forget takes a prompt off the book, once it has been answered.
func (b *book) forget(turn bellcord.TurnID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, has := b.prompts[turn]; has {
		delete(b.prompts, turn)
		if len(b.prompts) == 0 {
			close(b.idle)
		}
	}
}

func (b *book) request(turn bellcord.TurnID) (json.RawMessage, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	request, has := b.prompts[turn]
	return request, has
}

func (b *book) has(turn bellcord.TurnID) bool {
	_, has := b.request(turn)
	return has
}

func (b *book) open() map[bellcord.TurnID]json.RawMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.prompts)
}

// turnOf finds the turn that a request started.
func (b *book) turnOf(request json.RawMessage) bellcord.TurnID {
	b.mu.Lock()
	defer b.mu.Unlock()
	for turn, r := range b.prompts {
		if bytes.Equal(r, request) {
			return turn
		}
	}
	return ""
}

// answered waits until every prompt has its answer.
func (b *book) answered(ctx context.Context) error {
	b.mu.Lock()
	idle := b.idle
	b.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
