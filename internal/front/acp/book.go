package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/bellcord/bellcord"
)

// book holds the prompts of a session that have no answer yet, and the commands
// that are answered from elsewhere.
type book struct {
	mu      sync.Mutex
	prompts map[bellcord.TurnID]owed
}

// owed is an answer that is still to come.
type owed struct {
	request json.RawMessage // nil for a command: whoever carries it out answers it
	paid    chan struct{}   // closed when it has been answered
}

func newBook() *book { return &book{prompts: map[bellcord.TurnID]owed{}} }

// expect notes, before the turn exists, which request it will answer.
func (b *book) expect(turn bellcord.TurnID, request json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.prompts[turn] = owed{request, make(chan struct{})}
}

// errand notes a command that takes time; the function it returns, that it has
// been answered. A close waits for it as for a prompt.
func (b *book) errand() (done func()) {
	id := bellcord.NewTurnID() // no turn's: only to have a place
	b.expect(id, nil)
	return func() { b.removePrompt(id) }
}

// removePrompt takes a prompt off the book, once it has been answered.
func (b *book) removePrompt(turn bellcord.TurnID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o, has := b.prompts[turn]; has {
		delete(b.prompts, turn)
		close(o.paid)
	}
}

func (b *book) request(turn bellcord.TurnID) (json.RawMessage, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o, has := b.prompts[turn]
	return o.request, has
}

func (b *book) has(turn bellcord.TurnID) bool {
	_, has := b.request(turn)
	return has
}

// open returns what is on the book now.
func (b *book) open() map[bellcord.TurnID]owed {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.prompts)
}

// turnOf finds the turn that a request started.
func (b *book) turnOf(request json.RawMessage) bellcord.TurnID {
	b.mu.Lock()
	defer b.mu.Unlock()
	for turn, o := range b.prompts {
		if o.request != nil && bytes.Equal(o.request, request) {
			return turn
		}
	}
	return ""
}

// awaitOwedAnswers returns a wait for the answers that are owed now; what comes later is
// not its business.
func (b *book) awaitOwedAnswers() func(context.Context) error {
	all := slices.Collect(maps.Values(b.open()))
	return func(ctx context.Context) error {
		for _, o := range all {
			select {
			case <-o.paid:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	}
}
