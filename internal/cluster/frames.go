package cluster

import (
	"encoding/json"
	"errors"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Limits of one message to a node, and of the events that wait for it.
const (
	mostFrame   = 256 << 10 // bytes; the default limit of NATS servers is 1 MB
	mostWaiting = 10_000    // events; further ones are dropped, and the node reads them from the store
)

// frames contains the committed events that other nodes watch, until they are
// sent. Events that arrive while a message is being sent go into the next one.
type frames struct {
	mu    sync.Mutex
	waits map[string][]bellcord.Event // by node
	wake  chan struct{}
}

// Committed implements hub.Options.Watch: it queues committed events for the
// nodes that watch their sessions.
func (b *Bus) Committed(c store.Commit) {
	sent := false
	b.watches.mu.RLock()
	if len(b.watches.remote) > 0 {
		sent = b.frames.addEvents(c.Events, b.watches.remote)
	}
	b.watches.mu.RUnlock()
	if sent {
		select {
		case b.frames.wake <- struct{}{}:
		default:
		}
	}
}

// addEvents queues events for the nodes that watch their sessions, and reports
// whether it queued any.
func (f *frames) addEvents(events []bellcord.Event, remote map[uint64]map[string]interest) (any bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waits == nil {
		f.waits = map[string][]bellcord.Event{}
	}
	for _, ev := range events {
		for node := range remote[hashOf(ev.Session)] {
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
		written := map[place]json.RawMessage{} // encoded events, shared between nodes
		for node, events := range b.frames.takeEvents() {
			b.sendTo(node, events, written)
		}
	}
}

type place struct {
	session bellcord.SessionID
	seq     int64
}

// sendTo sends events to a node in as few messages as possible. An event that
// is too large is not sent: viewers read it from the store.
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
				continue // the store rejected it, too
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
