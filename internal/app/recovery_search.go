package app

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/durable"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

// search finds lost turns whose processes are unknown although their process used
// this data directory: another node has declared them lost, or a process that ended
// before it had recorded their processes.
type search struct {
	recovery *recovery
	shared   *postgres.Store // nil if the store is in the data directory
	began    time.Time       // this process began, by the store's clock
	since    time.Time       // since then, the node uses this data directory; zero if not known
	left     int             // attempts
}

const (
	// searchedReceipts is the number of receipts that a search reads, the newest.
	searchedReceipts = 100
	// maxSearch limits the duration of one attempt, because Close waits for it.
	maxSearch = 2 * time.Second
	// searches is the number of attempts. What is not found then, the next start finds.
	searches = 5
)

func (r *recovery) newSearch() *search {
	s := &search{recovery: r, left: searches}
	shared, is := r.app.Store.(*postgres.Store)
	if !is {
		return s
	}
	s.shared, s.began = shared, shared.Now()
	var err error
	if s.since, err = nodeSince(r.app.config.Settings.DataDir, s.name(), s.began); err != nil {
		r.app.logger.Warn("the processes of lost turns of this node can stay unknown", "err", err)
	}
	return s
}

// name returns the name of this node, as it is on receipts.
func (s *search) name() string {
	return bellcord.ValidName(s.recovery.app.config.Settings.Cluster.NodeName)
}

// run notes the turns that it finds. It reports whether it has read everything, or has
// no attempt left.
func (s *search) run() bool {
	if s.left == 0 {
		return true
	}
	s.left--
	ctx, done := context.WithTimeout(context.Background(), maxSearch)
	defer done()
	err := s.unended(ctx)
	if err == nil {
		err = s.ended(ctx)
	}
	switch {
	case err == nil:
		s.left = 0
	case s.left == 0:
		s.recovery.app.logger.Warn("cannot find lost turns whose processes are unknown; the next start tries again",
			"err", err)
	}
	return err == nil
}

// unended notes turns of dead nodes that used this data directory, which other nodes
// will declare lost. Those of a store in the data directory have been declared lost.
func (s *search) unended(ctx context.Context) error {
	if s.shared == nil {
		return nil
	}
	turns, err := s.recovery.app.Store.UnendedTurns(ctx, "")
	for _, t := range turns {
		if t.State == bellcord.StateRunning && s.recovery.app.keeper.Died(t.Node) {
			s.recovery.note(t.ID, lostTurn{session: t.Session, ours: true})
		}
	}
	return err
}

// ended notes turns whose receipt is from before a check of the machine.
func (s *search) ended(ctx context.Context) error {
	r := s.recovery
	all, err := r.app.Store.Receipts(ctx, store.ReceiptQuery{Limit: searchedReceipts})
	for i := 0; i < len(all) && err == nil; i++ {
		if all[i].Processes.Unknown != bellcord.ProcessesNotChecked || !s.ours(all[i]) {
			continue
		}
		var known bool
		if known, err = s.recorded(ctx, all[i]); err == nil && !known {
			r.note(all[i].Turn, lostTurn{session: all[i].Session, ours: true})
		}
	}
	return err
}

// ours reports whether a lost turn's process used this data directory and has died.
// All processes on a store in the data directory use it. Of a shared store, it is the
// node's name and the time of the turn. A process that could not renew its lease can
// still be alive: then the ledger of processes is not used by this process alone.
func (s *search) ours(r bellcord.Receipt) bool {
	if s.shared == nil {
		return true
	}
	started := r.Times.Started
	if started.IsZero() {
		started = r.Times.Accepted
	}
	return r.Processes.Node != "" && r.Processes.Node == s.name() && !s.since.IsZero() && !started.Before(s.since) &&
		started.Before(s.began) && s.recovery.app.keeper.Alone()
}

// recorded reports whether the processes of a turn were recorded after its end, or
// cannot be: its events are damaged or deleted.
func (s *search) recorded(ctx context.Context, r bellcord.Receipt) (bool, error) {
	var after int64
	if r.LogHead != nil {
		after = r.LogHead.Seq
	}
	known := false
	err := store.EachEvent(ctx, s.recovery.app.Store, r.Session, after, func(ev bellcord.Event) bool {
		b, is := ev.Body.(bellcord.ProcessesRecovered)
		known = known || is && b.Turn == r.Turn
		return !known
	})
	if errors.Is(err, bellcord.ErrDamaged) || errors.Is(err, bellcord.ErrNoSession) {
		return true, nil
	}
	return known, err
}

// tenant is the node that uses a data directory.
type tenant struct {
	Node  string    `json:"node"`
	Since time.Time `json:"since"`
}

// nodeSince returns the time since which a node uses a data directory: now if it is
// the first start. Another data directory of the same node contains other processes.
func nodeSince(data, node string, now time.Time) (time.Time, error) {
	path := filepath.Join(ledgerDir(data), "node")
	var known tenant
	text, err := os.ReadFile(path)
	if err == nil && json.Unmarshal(text, &known) == nil && known.Node == node {
		return known.Since, nil
	}
	if text, err = json.Marshal(tenant{Node: node, Since: now}); err == nil {
		err = durable.Replace(path, text)
	}
	if err != nil {
		return time.Time{}, err
	}
	return now, nil
}
