package cluster

import (
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
)

// A node that watches says so again every renewEvery; what it does not say again
// is forgotten after keepWatch.
const (
	renewEvery = 5 * time.Second
	keepWatch  = 15 * time.Second
	mostHashes = 20_000 // in one message
)

// watches are the sessions that are watched, or of which an end is waited for:
// here, and at other nodes.
type watches struct {
	mu    sync.RWMutex
	here  map[bellcord.SessionID]crowd
	there map[uint64]map[string]interest // by hash, by node
}

// crowd counts who is there.
type crowd struct{ viewers, waiters int }

// interest is until when another node wants to hear of a session, and until when
// it is sure to have viewers of it.
type interest struct{ until, viewed time.Time }

// hashOf makes a session's name short. Two with the same cost a few events that
// nobody waits for.
func hashOf(session bellcord.SessionID) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(session)) // a hash takes everything
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

// changeCount adds or removes one of a kind and reports whether it is the
// first. A session whose count is zero is no longer announced to the other
// nodes.
func (w *watches) changeCount(session bellcord.SessionID, more bool, of func(*crowd) *int) (first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.here[session]
	n := of(&c)
	if more {
		*n++
		first = *n == 1
	} else {
		*n--
	}
	if w.here[session] = c; c == (crowd{}) {
		delete(w.here, session)
	}
	return first
}

// announce tells a subject all that is watched here.
func (b *Bus) announce(subject string) {
	var views, awaits []uint64
	b.watches.mu.RLock()
	for session, c := range b.watches.here {
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

// greet is for a connection that has come, or come back: the others may have
// forgotten us, or have things that we do not know.
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

// addWatch records that a node wants the events of sessions, and whether it
// has viewers.
func (w *watches) addWatch(node string, views bool, hashes ...uint64) {
	until := time.Now().Add(keepWatch)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range hashes {
		if w.there[h] == nil {
			w.there[h] = map[string]interest{}
		}
		now := interest{until: until, viewed: w.there[h][node].viewed}
		if views {
			now.viewed = until
		}
		w.there[h][node] = now
	}
}

func (w *watches) dropExpired(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for h, nodes := range w.there {
		for node, wants := range nodes {
			if wants.until.Before(now) {
				delete(nodes, node)
			}
		}
		if len(nodes) == 0 {
			delete(w.there, h)
		}
	}
}

// Elsewhere reports whether a session may be watched at another node. Without a
// connection nobody can tell.
func (b *Bus) Elsewhere(session bellcord.SessionID) bool {
	now, watched := time.Now(), false
	b.watches.mu.RLock()
	for _, wants := range b.watches.there[hashOf(session)] {
		watched = watched || wants.viewed.After(now)
	}
	b.watches.mu.RUnlock()
	return watched || !b.connected() // without the lock: a connection that hangs does not say at once how it is
}
