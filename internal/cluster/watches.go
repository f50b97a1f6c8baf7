package cluster

import (
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
)

// A node announces its watches every renewEvery. A watch that is not announced
// again is dropped after keepWatch.
const (
	renewEvery = 5 * time.Second
	keepWatch  = 15 * time.Second
	mostHashes = 20_000 // per message
)

// watches contains the sessions that are watched, or with an end that is
// waited for: here, and at other nodes.
type watches struct {
	mu     sync.RWMutex
	local  map[bellcord.SessionID]crowd
	remote map[uint64]map[string]interest // by hash, by node
}

// crowd counts the viewers and waiters of a session on this node.
type crowd struct{ viewers, waiters int }

// interest is the time until which another node receives a session's events,
// and the time until which it is considered to have viewers of it.
type interest struct{ until, viewed time.Time }

// hashOf returns a short form of a session's id. A collision only causes a few
// events to be sent that have no viewer.
func hashOf(session bellcord.SessionID) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(session)) // never fails
	return h.Sum64()
}

// View implements bellcord.Peers.
func (b *Bus) View(session bellcord.SessionID, more bool) {
	if b.watches.changeCount(session, more, func(c *crowd) *int { return &c.viewers }) {
		b.publishNotice(b.everybody(), notice{Views: []uint64{hashOf(session)}})
	}
}

// Await implements bellcord.Peers.
func (b *Bus) Await(session bellcord.SessionID, more bool) {
	if b.watches.changeCount(session, more, func(c *crowd) *int { return &c.waiters }) {
		b.publishNotice(b.everybody(), notice{Awaits: []uint64{hashOf(session)}})
	}
}

// changeCount adds or removes one viewer or waiter, and reports whether it is
// the first. A session with both counts at zero is no longer announced to the
// other nodes.
func (w *watches) changeCount(session bellcord.SessionID, more bool, of func(*crowd) *int) (first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.local[session]
	n := of(&c)
	if more {
		*n++
		first = *n == 1
	} else {
		*n--
	}
	if w.local[session] = c; c == (crowd{}) {
		delete(w.local, session)
	}
	return first
}

// announce publishes all watches of this node on a subject.
func (b *Bus) announce(subject string) {
	var views, awaits []uint64
	b.watches.mu.RLock()
	for session, c := range b.watches.local {
		if c.viewers > 0 {
			views = append(views, hashOf(session))
		} else {
			awaits = append(awaits, hashOf(session))
		}
	}
	b.watches.mu.RUnlock()
	for some := range slices.Chunk(views, mostHashes) {
		b.publishNotice(subject, notice{Views: some})
	}
	for some := range slices.Chunk(awaits, mostHashes) {
		b.publishNotice(subject, notice{Awaits: some})
	}
}

// greet is called when the connection is established again: the other nodes
// may have dropped this node's watches, and this node may have missed theirs.
func (b *Bus) greet() {
	b.publishNotice(b.everybody(), notice{Hello: true})
	b.announce(b.everybody())
}

func (b *Bus) renewWatches() {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-b.quit:
			return
		case now := <-tick.C:
			b.watches.dropExpired(now)
			b.guard.dropOldStreams(now)
			b.announce(b.everybody())
		}
	}
}

// addWatch records that a node requires the events of sessions, and whether it
// has viewers.
func (w *watches) addWatch(node string, views bool, hashes ...uint64) {
	until := time.Now().Add(keepWatch)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range hashes {
		if w.remote[h] == nil {
			w.remote[h] = map[string]interest{}
		}
		now := interest{until: until, viewed: w.remote[h][node].viewed}
		if views {
			now.viewed = until
		}
		w.remote[h][node] = now
	}
}

func (w *watches) dropExpired(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for h, nodes := range w.remote {
		for node, watch := range nodes {
			if watch.until.Before(now) {
				delete(nodes, node)
			}
		}
		if len(nodes) == 0 {
			delete(w.remote, h)
		}
	}
}

// Elsewhere reports whether a session may be watched at another node. Without
// a connection this cannot be determined, and it returns true.
func (b *Bus) Elsewhere(session bellcord.SessionID) bool {
	now, watched := time.Now(), false
	b.watches.mu.RLock()
	for _, watch := range b.watches.remote[hashOf(session)] {
		watched = watched || watch.viewed.After(now)
	}
	b.watches.mu.RUnlock()
	return watched || !b.connected() // without the lock: the state of a connection that hangs may be returned late
}
