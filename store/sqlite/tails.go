package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/bellcord/bellcord"
)

// tails caches the heads of the logs of sessions that this node writes to, as
// long as no other connection has written. PRAGMA data_version detects that:
// it changes only with commits of other connections, and this process has one
// connection that writes.
type tails struct {
	version int64 // the data_version of the last transaction
	changed bool  // another connection has written since Changed was last called
	last    map[bellcord.SessionID]bellcord.LogHead
}

// mostTails limits the size of the cache.
const mostTails = 16 << 10

// refresh clears the cache if another connection has written. It runs at the
// start of a transaction.
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
		tails.version, tails.changed = version, true
	}
	return nil
}

func (m *tails) clearAll() { m.last = map[bellcord.SessionID]bellcord.LogHead{} }

// head returns the head of a session's log, the zero value if it has no events.
func (t tx) head(session bellcord.SessionID) (bellcord.LogHead, error) {
	if last, cached := t.s.tails.last[session]; cached {
		return last, nil
	}
	var last bellcord.LogHead
	var hash []byte
	err := t.row(`SELECT seq, hash FROM events WHERE session = $1 ORDER BY seq DESC LIMIT 1`, string(session)).Scan(&last.Seq, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		return last, nil
	}
	copy(last.Hash[:], hash)
	return last, err
}

// Changed implements store.Watcher.
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
	changed := s.tails.changed
	s.tails.changed = false
	return changed, nil
}
