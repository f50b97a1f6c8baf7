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

// Options change what a keeper does; the zero value is right for most.
type Options struct {
	NoCgroup bool          // hold processes without a cgroup, as where none can be made
	Grace    time.Duration // between asking and killing; 0 means 2 s
	Logger   *slog.Logger  // told of survivors and of a ledger that cannot be written
}

const defaultGrace = 2 * time.Second

// Keeper starts processes and ends all that came from them. There is one per
// Bellcord process; its methods may be called from anywhere at any time.
type Keeper struct {
	opts   Options
	ledger *ledger // nil without one
	reaped []Ended

	mu       sync.Mutex
	closed   bool
	starting sync.WaitGroup
	running  map[*Running]struct{}
}

// Open makes a keeper. The directory holds the ledger of what is running, so
// that the next Open can end what the death of a keeper left behind; it is made
// if missing, and may be shared by keepers that are alive. "" means no ledger.
// Open ends the processes of dead keepers before it returns, by the ladder.
func Open(dir string, opts Options) (*Keeper, error) {
	if opts.Grace == 0 {
		opts.Grace = defaultGrace
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	adoptOrphans()
	k := &Keeper{opts: opts, running: make(map[*Running]struct{})}
	if dir == "" {
		return k, nil
	}
	l, err := openLedger(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the process ledger: %w", err)
	}
	k.ledger, k.reaped = l, l.reap(opts)
	return k, nil
}

// Reaped is what Open found of keepers that had died, and ended.
func (k *Keeper) Reaped() []Ended { return k.reaped }

// Close ends every process that is still running and starts no more. What
// could not be ended stays in the ledger for the next Open, and is the error.
func (k *Keeper) Close() error {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	k.starting.Wait() // no more can begin: whoever got in is in the map now
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
	if k.ledger != nil {
		errs = append(errs, k.ledger.close())
	}
	return errors.Join(errs...)
}

// beginStart allows a command to start, unless the keeper is closed. The
// caller calls starting.Done afterwards.
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

// markerName is the variable by which a process is known to be ours, as long
// as it keeps its environment.
const markerName = "BELLCORD_PROC"

// marker names the command in the environment of all that comes from it. When
// this process was itself started by a keeper, both names are kept.
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
