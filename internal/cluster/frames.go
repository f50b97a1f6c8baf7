package cluster

import (
	"encoding/json"
	"errors"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
)

// Bounds of what is sent to a node at once, and of what may wait for it.
const (
	mostFrame   = 256 << 10 // bytes; servers take a megabyte
	mostWaiting = 10_000    // events: a node that is not heard reads them from the store
)

// frames hold the committed events that other nodes watch, until they are sent:
// what comes while a message is under way goes into the next one.
type frames struct {
	mu    sync.Mutex
	waits map[string][]bellcord.Event // by node
	wake  chan struct{}
}

// Committed is for bellcord.Options.Watch: it takes what became durable.
func (b *Bus) Committed(c bellcord.Commit) {
	sent := false
	b.watches.mu.RLock()
	if len(b.watches.there) > 0 {
		sent = b.frames.addEvents(c.Events, b.watches.there)
	}
	b.watches.mu.RUnlock()
	if sent {
		select {
		case b.frames.wake <- struct{}{}:
		default:
		}
	}
}

// addEvents sorts events by the nodes that watch their sessions.
func (f *frames) addEvents(events []bellcord.Event, there map[uint64]map[string]interest) (any bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waits == nil {
		f.waits = map[string][]bellcord.Event{}
	}
	for _, ev := range events {
		for node := range there[hashOf(ev.Session)] {
			if len(f.waits[node]) < mostWaiting {
				f.waits[node] = append(f.waits[node], ev)
				any = true
			}
		}
	}
	return any
}

func (f *frames) takeEvents() map[string][]bellcord.Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.waits
	f.waits = nil
	return all
}

func (b *Bus) sendFrames() {
	for open := true; open; {
		select {
		case <-b.frames.wake:
		case <-b.quit:
			open = false
		}
		written := map[place]json.RawMessage{} // of events that several nodes watch
		for node, events := range b.frames.takeEvents() {
			b.sendTo(node, events, written)
		}
	}
}

type place struct {
	session bellcord.SessionID
	seq     int64
}

// sendTo sends events to a node in as few messages as they fit in. One that is
// too large is not sent: whoever watches reads it from the store.
func (b *Bus) sendTo(node string, events []bellcord.Event, written map[place]json.RawMessage) {
	frame := []byte{'['}
	flush := func() {
		if len(frame) > 1 {
			frame[len(frame)-1] = ']'
			to := b.eventsFor(node)
			if err := b.events.Publish(to, b.eventsSender.sign(to, frame)); err != nil && !errors.Is(err, nats.ErrReconnectBufExceeded) {
				b.logger.Warn("cannot send events to another node", "node", node, "err", err)
			}
			frame = frame[:1]
		}
	}
	for _, ev := range events {
		at := place{ev.Session, ev.Seq}
		if written[at] == nil {
			text, err := ev.MarshalJSON()
			if err != nil {
				continue // the store refused it, too
			}
			written[at] = text
		}
		if len(written[at]) > mostFrame {
			continue
		}
		if len(frame)+len(written[at]) > mostFrame {
			flush()
		}
		frame = append(append(frame, written[at]...), ',')
	}
	flush()
}
