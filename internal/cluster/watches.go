package cluster

import (
	"hash/fnv"
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

// watches are the sessions that are watched: here, and at other nodes.
type watches struct {
	mu    sync.RWMutex
	here  map[bellcord.SessionID]int      // how many watch
	there map[uint64]map[string]time.Time // by hash: until when, by node
}

// hashOf makes a session's name short. Two with the same cost a few events that
// nobody waits for.
func hashOf(session bellcord.SessionID) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(session)) // a hash takes everything
	return h.Sum64()
}

// Watch implements bellcord.Peers.
func (b *Bus) Watch(session bellcord.SessionID, watching bool) {
	w := &b.watches
	w.mu.Lock()
	defer w.mu.Unlock()
	if !watching {
		if w.here[session]--; w.here[session] <= 0 {
			delete(w.here, session) // the others will not hear of it again
		}
		return
	}
	w.here[session]++
	if w.here[session] == 1 {
		b.tell(b.everybody(), notice{Watches: []uint64{hashOf(session)}})
	}
}

// announce tells a subject all that is watched here.
func (b *Bus) announce(subject string) {
	b.watches.mu.RLock()
	all := make([]uint64, 0, len(b.watches.here))
	for session := range b.watches.here {
		all = append(all, hashOf(session))
	}
	b.watches.mu.RUnlock()
	for len(all) > 0 {
		n := min(len(all), mostHashes)
		b.tell(subject, notice{Watches: all[:n]})
		all = all[n:]
	}
}

// greet is for a connection that has come, or come back: the others may have
// forgotten us, or have things that we do not know.
func (b *Bus) greet() {
	b.tell(b.everybody(), notice{Hello: true})
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
			b.watches.forget(now)
			b.announce(b.everybody())
		}
	}
}

// add notes that a node watches.
func (w *watches) add(node string, hashes ...uint64) {
	until := time.Now().Add(keepWatch)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range hashes {
		if w.there[h] == nil {
			w.there[h] = map[string]time.Time{}
		}
		w.there[h][node] = until
	}
}

func (w *watches) forget(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for h, nodes := range w.there {
		for node, until := range nodes {
			if until.Before(now) {
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
	b.watches.mu.RLock()
	defer b.watches.mu.RUnlock()
	return len(b.watches.there[hashOf(session)]) > 0 || !b.connected()
}
