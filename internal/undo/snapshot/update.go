package snapshot

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// Progress is the progress of the operation that is running, or of the last one.
type Progress struct {
	Files int64 // visited
	Bytes int64 // read
}

type progress struct{ files, bytes atomic.Int64 }

// Progress returns the progress of the operation that is running, or of the last
// one. It is zero while the operation waits for another process. Progress does
// not block.
func (w *Workspace) Progress() Progress {
	return Progress{Files: w.progress.files.Load(), Bytes: w.progress.bytes.Load()}
}

// Report describes a scan.
type Report struct {
	// NotKept is the number of files in the index whose bytes are not kept, by
	// reason.
	NotKept map[Reason]int
	// Gaps lists directories that were not scanned.
	Gaps []Gap
}

// update is one operation on the workspace, under its lock.
type update struct {
	*Workspace
	deadline time.Time // of the scan
	pack     *pack
	gaps     []Gap         // of the scan
	between  []tree.Change // while no call was open
}

func (u *update) newScan(scope Scope) *scan {
	return &scan{files: u.files, index: u.index, limits: u.limits, scope: scope, rules: &u.rules, progress: &u.progress, deadline: u.deadline}
}

// scan brings the index up to date. After the time of the limits it stops, and
// what it has not read is recorded as not kept. If the context ends, everything
// that was committed stays.
func (u *update) scan(ctx context.Context, scope Scope) error {
	s := u.newScan(scope)
	if err := s.walk(ctx); err != nil {
		return err
	}
	u.gaps = s.gaps
	eligible := s.sortOut()
	s.markUnits()
	return u.record(ctx, s, eligible)
}

// record hashes the eligible candidates and commits all observations. If there
// are many bytes, it commits in parts: first all paths without the bytes, then
// the bytes of one part after the other.
func (u *update) record(ctx context.Context, s *scan, eligible []candidate) error {
	if len(eligible) == 0 {
		return u.commit(s.deltas)
	}
	if err := u.openPack(len(eligible)); err != nil {
		return err
	}
	parts := chunks(eligible, u.limits.Segment)
	deltas := s.deltas
	if len(parts) > 1 {
		for i := range eligible {
			if c := &eligible[i]; c.old == nil {
				d, _ := c.unread(TimeBudget)
				deltas = append(deltas, d)
			}
		}
		if err := u.commit(deltas); err != nil {
			return err
		}
		deltas = nil
	}
	for _, part := range parts {
		more, err := s.hash(ctx, part, u.pack)
		if err != nil {
			return err
		}
		if err := u.commit(append(deltas, more...)); err != nil {
			return err
		}
		deltas = nil
	}
	return nil
}

// openPack opens the pack for appending. Its free space leaves a part of the
// budget for one segment, which collect needs, and for the index and its next
// version.
func (u *update) openPack(files int) error {
	p, err := openPack(u.dir, u.limits.Segment, u.index)
	if err != nil {
		return fmt.Errorf("open the undo pack: %w", err)
	}
	u.pack = p
	use, err := diskUse(u.dir)
	if err != nil {
		return err
	}
	const perFile = 512 // bytes of a file in the log
	p.room = u.limits.Bytes - use - u.limits.Segment - 2*(u.journal.base+u.journal.offset+perFile*int64(files))
	free, total, err := u.space(u.dir)
	p.noDisk = err != nil || free < reserve(total)
	if !p.noDisk {
		p.room = min(p.room, int64(min(free-reserve(total), 1<<62)))
	}
	return nil
}

// reserve returns how many bytes of a disk stay free: a twentieth, at most 1 GiB.
func reserve(total uint64) uint64 { return min(total/20, 1<<30) }

// Reserved returns the free bytes of the disk with a path, and how many of them
// stay free: with fewer, nothing is kept.
func Reserved(path string) (free, reserved uint64, err error) {
	free, total, err := diskSpace(path)
	return free, reserve(total), err
}

// commit makes added bytes durable, then the observations, and applies them.
func (u *update) commit(deltas []delta) error {
	var records [][]byte
	if u.pack != nil {
		blobs, err := u.pack.flush()
		if err != nil {
			return err
		}
		if len(blobs) > 0 {
			records = append(records, blobsRecord(blobs))
		}
	}
	if len(deltas) > 0 {
		records = append(records, deltasRecord(deltas))
	}
	return u.log(records...)
}

// log appends records to the log and applies them. It fails if they would take
// the space that Collect needs: one segment of the budget.
func (u *update) log(records ...[]byte) error {
	if len(records) == 0 {
		return nil
	}
	size := int64(0)
	for _, r := range records {
		size += int64(len(r)) + frameHeader
	}
	use, err := diskUse(u.dir)
	if err != nil {
		return err
	}
	if use+size > u.limits.Bytes-u.limits.Segment {
		return fmt.Errorf("record %d bytes about the workspace: %w", size, errNoBudget)
	}
	return u.append(records...)
}

// append is log for the short records of Collect, after which files are removed.
func (u *update) append(records ...[]byte) error {
	between, err := u.journal.append(u.index, records...)
	u.between = append(u.between, between...)
	return err
}

func (u *update) report() Report {
	notKept := maps.Clone(u.index.notKept)
	maps.DeleteFunc(notKept, func(_ Reason, n int) bool { return n == 0 })
	return Report{NotKept: notKept, Gaps: slices.Clone(u.gaps)}
}

// diskUse returns the size of all files in a directory.
func diskUse(dir string) (int64, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	use := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // otherwise it was removed meanwhile
			use += info.Size()
		}
	}
	return use, nil
}
