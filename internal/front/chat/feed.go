package chat

import (
	"context"
	"sync"

	"github.com/bellcord/bellcord"
)

// Feed is a session's log as it grows, gathered for a screen that has a pace of
// its own. It belongs to one
// goroutine, which is also the one that shows it.
type Feed struct {
	Hub   logReader
	Grown func() // there is something to take; told from another goroutine, once until it is taken

	session bellcord.SessionID
	stop    context.CancelCauseFunc
	readers sync.WaitGroup

	mu      sync.Mutex
	reading int // counts readers: what one that was ended still brings is not taken
	told    bool
	news    News
	taken   chan struct{} // closed when there is room again
}

// News is what a feed has gathered.
type News struct {
	Events []bellcord.Event
	Lost   error // the log is out of reach for a while
	Failed error // and it will not come back
}

// mostNews is how many events are gathered before the log has to wait.
const mostNews = 4096

// Watch reads the given session's log from its beginning, and no other one any
// more; none where it is empty.
func (f *Feed) Watch(ctx context.Context, session bellcord.SessionID) {
	if session == f.session {
		return
	}
	f.endFeed() // and nobody waits for it here: it may be telling us something
	f.mu.Lock()
	f.reading++
	f.news, f.told, f.taken = News{}, false, make(chan struct{})
	reader := f.reading
	f.mu.Unlock()
	f.session = session
	if session == "" {
		return
	}
	ctx, f.stop = context.WithCancelCause(ctx)
	f.readers.Go(func() {
		if err := f.read(ctx, reader, session); err != nil && ctx.Err() == nil {
			f.bring(reader, func(n *News) { n.Failed = err })
		}
	})
}

// Close ends the reading and waits for all who did it. Nobody may wait for who
// calls it.
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

// Take returns what came since the last call.
func (f *Feed) Take() News {
	f.mu.Lock()
	defer f.mu.Unlock()
	news := f.news
	f.news, f.told = News{}, false
	close(f.taken)
	f.taken = make(chan struct{})
	return news
}

func (f *Feed) read(ctx context.Context, reader int, session bellcord.SessionID) error {
	source, letGo, err := f.Hub.Events(ctx, session, func(err error) {
		f.bring(reader, func(n *News) { n.Lost = err })
	})
	if err != nil {
		return err
	}
	defer letGo()
	for {
		events, err := source.Next(ctx)
		if err != nil {
			return err
		}
		wait := f.bring(reader, func(n *News) { n.Events = append(n.Events, events...) })
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

// bring adds to the news. What it returns is to be waited for where there is too
// much of it.
func (f *Feed) bring(reader int, add func(*News)) <-chan struct{} {
	f.mu.Lock()
	if reader != f.reading {
		f.mu.Unlock()
		return nil
	}
	add(&f.news)
	first := !f.told
	f.told = true
	var wait <-chan struct{}
	if len(f.news.Events) >= mostNews {
		wait = f.taken
	}
	f.mu.Unlock()
	if first {
		f.Grown()
	}
	return wait
}
