package chat

import (
	"context"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

// Feed collects a session's log for a screen that is drawn at a different pace.
// Its methods must be called from the goroutine that shows the screen.
type Feed struct {
	Hub   logReader
	Grown func() // called from another goroutine when there are updates, once until they are taken

	session bellcord.SessionID
	stop    context.CancelCauseFunc
	readers sync.WaitGroup

	mu       sync.Mutex
	reading  int // number of the current reader: updates of earlier ones are dropped
	reported bool
	updates  Updates
	taken    chan struct{} // closed when there is space again
}

// Updates contains the events and errors that a Feed has collected since the last Take.
type Updates struct {
	Events []bellcord.Event
	AtEnd  bool  // the log was read to its end
	Lost   error // the log is unreachable for a while
	Failed error // the log can no longer be read
}

// mostUpdates is how many events are collected before the reader has to wait.
const mostUpdates = 4096

// Watch reads the given session's log from its beginning and stops reading any
// other. If session is empty, it reads none.
func (f *Feed) Watch(ctx context.Context, session bellcord.SessionID) {
	if session == f.session {
		return
	}
	f.endFeed() // without waiting for the reader, which may be in Grown
	f.mu.Lock()
	f.reading++
	f.updates, f.reported, f.taken = Updates{}, false, make(chan struct{})
	reader := f.reading
	f.mu.Unlock()
	f.session = session
	if session == "" {
		return
	}
	ctx, f.stop = context.WithCancelCause(ctx)
	f.readers.Go(func() {
		if err := f.read(ctx, reader, session); err != nil && ctx.Err() == nil {
			f.bring(reader, func(n *Updates) { n.Failed = err })
		}
	})
}

// Close ends the readers and waits for them. Grown must not wait for the caller
// of Close.
func (f *Feed) Close() {
	f.endFeed()
	f.readers.Wait()
}

func (f *Feed) endFeed() {
	if f.stop != nil {
		f.stop(nil)
		f.stop = nil
	}
}

// Take returns the updates since the last call.
func (f *Feed) Take() Updates {
	f.mu.Lock()
	defer f.mu.Unlock()
	updates := f.updates
	f.updates, f.reported = Updates{}, false
	close(f.taken)
	f.taken = make(chan struct{})
	return updates
}

func (f *Feed) read(ctx context.Context, reader int, session bellcord.SessionID) error {
	source, letGo, err := f.Hub.Events(ctx, session, func(err error) {
		f.bring(reader, func(n *Updates) { n.Lost = err })
	})
	if err != nil {
		return err
	}
	defer letGo()
	if isAtEnd(source) {
		f.bring(reader, func(n *Updates) { n.AtEnd = true })
	}
	for {
		events, err := source.Next(ctx)
		if err != nil {
			return err
		}
		atEnd := isAtEnd(source)
		wait := f.bring(reader, func(n *Updates) {
			n.Events = append(n.Events, events...)
			n.AtEnd = n.AtEnd || atEnd
		})
		if wait == nil {
			continue
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// isAtEnd reports whether a source has returned its whole log. A source that cannot
// report it counts as read.
func isAtEnd(source line.Source) bool {
	end, can := source.(interface{ AtEnd() bool })
	return !can || end.AtEnd()
}

// bring adds to the updates. If too much has been collected, it returns a channel
// that is closed when the updates are taken.
func (f *Feed) bring(reader int, add func(*Updates)) <-chan struct{} {
	f.mu.Lock()
	if reader != f.reading {
		f.mu.Unlock()
		return nil
	}
	add(&f.updates)
	first := !f.reported
	f.reported = true
	var wait <-chan struct{}
	if len(f.updates.Events) >= mostUpdates {
		wait = f.taken
	}
	f.mu.Unlock()
	if first {
		f.Grown()
	}
	return wait
}
