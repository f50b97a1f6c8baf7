package proc

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Options configures a Keeper. The zero value suits most programs.
type Options struct {
	NoCgroup bool          // do not use a cgroup, even where one can be created
	Grace    time.Duration // time between SIGTERM and SIGKILL; 0 means 2 s
	Logger   *slog.Logger  // logs survivors and failed writes to the ledger
	// KeepReports keeps what Open and Reap found of dead keepers, in the ledger,
	// until the caller has recorded it; see Recovered and Forget.
	KeepReports bool
	// AdoptOrphans makes this process, on Linux, the parent of every descendant that
	// loses its parent, for as long as it runs: also of those that its other parts
	// start. It must then wait for every child. The end of an orphan is seen sooner;
	// without it, orphans are found by their other marks.
	AdoptOrphans bool
	Label        string // identifies this keeper to later ones; see Keeper.Died
}

const defaultGrace = 2 * time.Second

// Keeper starts processes and ends them together with their descendants. Each
// Bellcord process has one. All methods are safe for concurrent use.
type Keeper struct {
	opts   Options
	ledger *ledger // nil if Open was called without a directory
	reaped []Ended

	deadMu sync.Mutex
	dead   []*ledger // locked parts of dead keepers, with results that are not recorded
	died   []string  // labels of the dead keepers that this one has reaped

	mu       sync.Mutex
	closed   bool
	starting sync.WaitGroup
	running  map[*Running]struct{}
}

// Open returns a new Keeper. dir contains the ledger, a record of the running
// commands, which lets the next Open end the processes that a crashed keeper
// left behind. dir is created if it does not exist, and several live keepers
// can share it. If dir is "", no ledger is kept. Open ends the processes of
// dead keepers, by the ladder, before it returns.
func Open(dir string, opts Options) (*Keeper, error) {
	if opts.Grace == 0 {
		opts.Grace = defaultGrace
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.AdoptOrphans {
		adoptOrphans()
	}
	k := &Keeper{opts: opts, running: make(map[*Running]struct{})}
	if dir == "" {
		return k, nil
	}
	l, err := openLedger(dir, opts.Label)
	if err != nil {
		return nil, fmt.Errorf("opening the process ledger: %w", err)
	}
	k.ledger = l
	found := l.reap(opts, nil)
	k.dead, k.died, k.reaped = found.held, found.labels, found.ended
	return k, nil
}

// Reaped returns the processes of dead keepers that Open ended.
func (k *Keeper) Reaped() []Ended { return k.reaped }

// Close ends every running process; after it, Start and Run fail with
// ErrClosed. Close returns an error that lists the processes that could not be
// ended. Their entries stay in the ledger for the next Open.
func (k *Keeper) Close() error {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	k.starting.Wait() // no start can begin now, and every earlier one is in k.running
	k.mu.Lock()
	left := make([]*Running, 0, len(k.running))
	for r := range k.running {
		left = append(left, r)
	}
	k.mu.Unlock()
	var all sync.WaitGroup
	for _, r := range left {
		all.Go(func() { r.End(nil) })
	}
	all.Wait()
	var errs []error
	for _, r := range left {
		for _, s := range r.report.Survivors {
			errs = append(errs, fmt.Errorf("process %d (%s) is still alive", s.PID, s.Name))
		}
	}
	k.deadMu.Lock()
	for _, l := range k.dead {
		k.logClose(l) // the next keeper finds the results that were not recorded
	}
	k.dead = nil
	k.deadMu.Unlock()
	if k.ledger != nil {
		errs = append(errs, k.ledger.close())
	}
	return errors.Join(errs...)
}

// beginStart returns ErrClosed if the keeper is closed. Otherwise the caller
// must call k.starting.Done when the start is complete.
func (k *Keeper) beginStart() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return ErrClosed
	}
	k.starting.Add(1)
	return nil
}

func (k *Keeper) addRunning(r *Running) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running[r] = struct{}{}
}

func (k *Keeper) remove(r *Running) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.running, r)
}

// markerName is the environment variable that identifies the descendants of a
// command, as long as they keep their environment.
const markerName = "BELLCORD_PROC"

// marker returns the environment entry that identifies a command in all of its
// descendants. If this process was itself started by a keeper, the outer
// command's entry is kept as well.
func marker(id, owner string) string {
	if outer := os.Getenv(markerName); outer != "" {
		return markerName + "=" + outer + "," + id + "/" + owner
	}
	return markerName + "=" + id + "/" + owner
}

func randomID() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
