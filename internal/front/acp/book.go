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

// book tracks the prompts of a session that have not been answered yet, and the
// slow commands that are answered from another goroutine.
type book struct {
	mu      sync.Mutex
	prompts map[bellcord.TurnID]owed
}

// owed is a reply that has not been sent yet.
type owed struct {
	request  json.RawMessage // nil for a command: the goroutine that runs it replies
	inserted bool            // the prompt was answered, and its turn has not ended (version 2)
	paid     chan struct{}   // closed when the reply, or in version 2 the turn's end, has been sent
}

func newBook() *book { return &book{prompts: map[bellcord.TurnID]owed{}} }

// expect records, before the turn exists, which request it will answer.
func (b *book) expect(turn bellcord.TurnID, request json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.prompts[turn] = owed{request: request, paid: make(chan struct{})}
}

// beginCommand registers a slow command. The returned function unregisters it once it
// has been answered. Closing the session waits for it as it does for a prompt.
func (b *book) beginCommand() (done func()) {
	id := bellcord.NewTurnID() // a placeholder key: no turn has this id
	b.expect(id, nil)
	return func() { b.removePrompt(id) }
}

// removePrompt removes an answered prompt and unblocks those that wait for it.
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

// insert returns the request of a prompt that has to be answered now, before its
// turn ends, or nil if there is none.
func (b *book) insert(turn bellcord.TurnID) json.RawMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.prompts[turn]
	if o.request == nil {
		return nil
	}
	b.prompts[turn] = owed{inserted: true, paid: o.paid}
	return o.request
}

func (b *book) has(turn bellcord.TurnID) bool {
	_, has := b.request(turn)
	return has
}

// open returns a copy of the pending replies.
func (b *book) open() map[bellcord.TurnID]owed {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.prompts)
}

// turnOf returns the turn that a request started, or "".
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

// awaitOwedAnswers returns a function that waits for the replies that are
// pending now; it does not wait for later ones. It returns ctx.Err() if ctx
// ends first.
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
