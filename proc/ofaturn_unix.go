//go:build linux || darwin

package proc

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// OfATurn returns a *TurnError if the process came from a command of a turn,
// nil if it did not, and ErrNoPeer if its ancestors cannot be determined. dir
// is the ledger that the keepers of a data directory share; "" means no ledger.
//
// A process came from a turn if it, or one of its ancestors,
//   - carries a marker, stamp or cgroup of a keeper, unless this process carries
//     the same one and it is not in the ledger, or
//   - is the leader of a command in the ledger, or
//   - was started by this process or by a keeper in the ledger.
//
// Keepers adopt the orphans among their descendants where the system allows it,
// so a process cannot lose its ancestors by a double fork. Marks that this
// process also carries come from a turn that started it: other processes of that
// turn have the same rights as this process.
func OfATurn(pid int, dir string) error {
	known := readSigns(dir)
	chain, err := ancestors(pid)
	if err != nil {
		return err
	}
	for i, p := range chain {
		if i > 0 && (p.pid == os.Getpid() || known.keepers[p.ident]) {
			return &TurnError{PID: pid}
		}
		if turn, leads := known.leaders[p.ident]; leads {
			return &TurnError{PID: pid, Turn: turn}
		}
		if turn, signed := known.signed(p.pid); signed {
			return &TurnError{PID: pid, Turn: turn}
		}
	}
	return nil
}

// ancestors returns the process and its ancestors, the oldest last. If a parent
// exits during the read, its children get another parent, and the chain is read
// again.
func ancestors(pid int) ([]process, error) {
	const tries, deepest = 10, 1000
	for range tries {
		var chain []process
		next := pid
		for next > 0 && len(chain) < deepest {
			p, ok := read(next)
			if !ok || len(chain) > 0 && p.start > chain[len(chain)-1].start { // the parent's pid was reused
				break
			}
			chain = append(chain, p)
			next = p.parent
		}
		if len(chain) > 0 && next == 0 {
			return chain, nil
		}
		if _, ok := read(pid); !ok {
			break
		}
	}
	return nil, fmt.Errorf("%w: process %d", ErrNoPeer, pid)
}

// signs contains the marks that identify processes of turns.
type signs struct {
	own     map[string]bool // ids in this process's own marker and cgroup
	stamp   uint64          // stamp of this process
	ids     map[string]string
	stamps  map[uint64]string
	leaders map[ident]string // the values of ids, stamps and leaders are turns
	keepers map[ident]bool
}

// readSigns reads all commands and keepers from the ledger.
func readSigns(dir string) *signs {
	s := &signs{
		own: map[string]bool{}, stamp: stampOf(os.Getpid()),
		ids: map[string]string{}, stamps: map[uint64]string{}, leaders: map[ident]string{}, keepers: map[ident]bool{},
	}
	for id := range markerIDs(os.Getenv(markerName)) {
		s.own[id] = true
	}
	for _, id := range cgroupIDs(os.Getpid()) {
		s.own[id] = true
	}
	if dir == "" {
		return s
	}
	for _, name := range filesIn(dir, "", lockEnding) {
		var e entry
		if text, err := os.ReadFile(name); err == nil && json.Unmarshal(text, &e) == nil && e.Place == place() {
			s.keepers[ident{e.PID, e.Start}] = true
		}
	}
	for _, name := range filesIn(dir, "", entryEnding) {
		var e entry
		text, err := os.ReadFile(name)
		if err != nil || json.Unmarshal(text, &e) != nil || e.Place != place() {
			continue
		}
		s.ids[e.Marker], s.leaders[ident{e.PID, e.Start}] = e.Owner, e.Owner
		if e.Stamp != 0 {
			s.stamps[e.Stamp] = e.Owner
		}
	}
	return s
}

// signed reports whether a process carries a mark of a turn, and of which turn.
func (s *signs) signed(pid int) (turn string, is bool) {
	marks := markerIDs(markerOf(pid))
	if pid == os.Getpid() {
		marks = markerIDs(os.Getenv(markerName)) // a process that is not dumpable cannot read its own environment from /proc
	}
	for id, owner := range marks {
		if _, listed := s.ids[id]; listed || !s.own[id] {
			return owner, true
		}
	}
	for _, id := range cgroupIDs(pid) {
		if owner, listed := s.ids[id]; listed || !s.own[id] {
			return owner, true
		}
	}
	stamp := stampOf(pid)
	owner, listed := s.stamps[stamp]
	return owner, stamp != 0 && (listed || stamp != s.stamp)
}

// markerIDs returns the ids of the commands in a marker, with their owners.
func markerIDs(marker string) map[string]string {
	all := map[string]string{}
	for part := range strings.SplitSeq(marker, ",") {
		if id, owner, _ := strings.Cut(part, "/"); id != "" {
			all[id] = owner
		}
	}
	return all
}
