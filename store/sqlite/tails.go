package sqlite

import (
	"context"

	"github.com/bellcord/bellcord"
)

// tails remembers the newest sequence number of sessions that this node writes
// to, for as long as nobody else has written. SQLite tells that by a number that
// changes with other connections' commits alone, and we have one that writes.
type tails struct {
	version int64 // as it was last seen
	news    bool  // somebody else wrote, and nobody has asked yet
	last    map[bellcord.SessionID]int64
}

// mostTails bounds what is remembered.
const mostTails = 16 << 10

// refresh forgets what may have changed; at the start of a transaction.
func (t tx) refresh() error {
	var version int64
	if err := t.row(`PRAGMA data_version`).Scan(&version); err != nil {
		return err
	}
	tails := &t.s.tails
	if version != tails.version || len(tails.last) > mostTails {
		tails.clearAll()
	}
	if version != tails.version {
		tails.version, tails.news = version, true
	}
	return nil
}

func (m *tails) clearAll() { m.last = map[bellcord.SessionID]int64{} }

// tail is the newest sequence number of a session, 0 when it has none.
func (t tx) tail(session bellcord.SessionID) (int64, error) {
	if last, known := t.s.tails.last[session]; known {
		return last, nil
	}
	var last int64
	err := t.row(`SELECT coalesce(max(seq), 0) FROM events WHERE session = $1`, string(session)).Scan(&last)
	return last, err
}

// Changed implements bellcord.Watcher.
func (s *Store) Changed(ctx context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return false, bellcord.ErrClosed
	}
	if err := s.present(); err != nil {
		return true, err
	}
	if err := (tx{ctx: context.WithoutCancel(ctx), s: s}).refresh(); err != nil {
		return true, err
	}
	news := s.tails.news
	s.tails.news = false
	return news, nil
}
