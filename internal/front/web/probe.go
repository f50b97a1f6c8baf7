package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

const (
	// probeWait is how long a check of the server's readiness waits for the store.
	probeWait = time.Second
	// probeTime is the time limit of a read. A check does not wait for it.
	probeTime = 10 * time.Second
)

// storeProbe reads the store in the background. All checks share one read, so that
// a store that does not answer has no more than one.
type storeProbe struct {
	reader reader
	logger *slog.Logger

	mu   sync.Mutex
	read *storeRead // nil if none runs
}

type storeRead struct {
	done chan struct{}
	err  error // valid after done
}

// verify returns ErrStoreDown if the store cannot be read, or does not answer
// within a second.
func (p *storeProbe) verify(ctx context.Context) error {
	p.mu.Lock()
	if p.read == nil {
		p.read = &storeRead{done: make(chan struct{})}
		go p.readStore(context.WithoutCancel(ctx), p.read) // other checks wait for it, too
	}
	read := p.read
	p.mu.Unlock()
	wait := time.NewTimer(probeWait)
	defer wait.Stop()
	select {
	case <-read.done:
		return read.err
	case <-ctx.Done():
		return ctx.Err()
	case <-wait.C:
		return fmt.Errorf("%w: it does not answer within %s", bellcord.ErrStoreDown, probeWait)
	}
}

func (p *storeProbe) readStore(ctx context.Context, read *storeRead) {
	ctx, done := context.WithTimeout(ctx, probeTime)
	defer done()
	if err := p.readLast(ctx); err != nil {
		p.logger.Error("store cannot be read", "err", err)
		read.err = bellcord.ErrStoreDown // the reason is in the log
	}
	p.mu.Lock()
	p.read = nil
	p.mu.Unlock()
	close(read.done)
}

// probeSessions is the number of sessions that a check reads: the last updated ones.
const probeSessions = 5

// readLast reads the sessions that were updated last, and the first and the last event
// of each: the last ones can be intact in the store's journal if the rest is lost.
// Damage of one session does not make the server unready: it fails only if most of
// them are damaged.
func (p *storeProbe) readLast(ctx context.Context) error {
	sessions, err := p.reader.Sessions(ctx, store.SessionQuery{Limit: probeSessions})
	if err != nil {
		return err
	}
	var damaged []error
	for _, session := range sessions {
		switch err := p.readEnds(ctx, session.ID); {
		case errors.Is(err, bellcord.ErrDamaged):
			damaged = append(damaged, fmt.Errorf("session %s: %w", session.ID, err))
		case err != nil && !errors.Is(err, bellcord.ErrNoSession): // not deleted meanwhile
			return err
		}
	}
	if len(damaged)*2 > len(sessions) {
		return errors.Join(damaged...)
	}
	return nil
}

func (p *storeProbe) readEnds(ctx context.Context, id bellcord.SessionID) error {
	last, err := p.reader.Tail(ctx, id)
	if err != nil || last == 0 {
		return err
	}
	return cmp.Or(p.readAfter(ctx, id, 0), p.readAfter(ctx, id, last-1))
}

func (p *storeProbe) readAfter(ctx context.Context, id bellcord.SessionID, after int64) error {
	cursor, err := p.reader.Events(ctx, id, after)
	if err != nil {
		return err
	}
	defer cursor.Close()
	_, err = cursor.Next(ctx)
	return err
}
