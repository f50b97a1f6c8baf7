package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// Usage describes the disk space of a workspace.
type Usage struct {
	Bytes int64 // on disk
	Live  int64 // bytes of files that are still needed
	Turns int   // turns whose changes are kept
}

// Collect removes what is no longer needed: turns that are older than the
// limits, and if the budget requires it the oldest of the others; then bytes
// that nothing refers to. It needs space for one segment, which the budget
// includes. It is meant for times in which nothing runs. If the context ends, it
// returns after the current segment.
func (w *Workspace) Collect(ctx context.Context) (Usage, error) {
	u, release, err := w.acquire(ctx)
	if err != nil {
		return Usage{}, err
	}
	defer release()
	if u.pack, err = openPack(w.dir, w.limits.Segment, w.index); err != nil {
		return Usage{}, err
	}
	if err := u.dropTurns(); err != nil {
		return Usage{}, err
	}
	at("turns dropped")
	problems := u.compact(ctx)
	if err := u.rewrite(); err != nil {
		problems = errors.Join(problems, err)
	}
	live, turns := u.index.live(), u.index.turns()
	use, err := diskUse(w.dir)
	return Usage{Bytes: use, Live: live.size(u.index), Turns: len(turns)}, errors.Join(problems, err, ctx.Err())
}

// turn is the calls of a turn that have ended.
type turn struct {
	calls []string
	last  time.Time
}

// turns returns the turns, newest first.
func (x *index) turns() []turn {
	byName := map[string]*turn{}
	for id, c := range x.ended {
		t := byName[c.Turn]
		if t == nil {
			t = &turn{}
			byName[c.Turn] = t
		}
		t.calls = append(t.calls, id)
		if c.at.After(t.last) {
			t.last = c.at
		}
	}
	all := make([]turn, 0, len(byName))
	for _, t := range byName {
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b turn) int { return b.last.Compare(a.last) })
	return all
}

// liveSet is the checksums of bytes that are needed, with the number of turns,
// paths and open calls that need them.
type liveSet map[tree.Sum]int

func (l liveSet) add(s tree.State, by int) {
	if s.Hashed && s.Sum != emptySum {
		l[s.Sum] += by
	}
}

func (l liveSet) addChanges(all []tree.Change, by int) {
	for _, c := range all {
		l.add(c.Before, by)
		l.add(c.After, by)
	}
}

func (l liveSet) size(x *index) int64 {
	size := int64(0)
	for sum, uses := range l {
		if uses > 0 {
			size += x.blobs[sum].size
		}
	}
	return size
}

func (x *index) live() liveSet {
	l := liveSet{}
	for _, n := range x.root.all("") {
		l.add(n.state, 1)
	}
	for _, c := range x.open {
		for _, t := range c.touched {
			l.add(t.before, 1)
		}
		l.addChanges(c.loose, 1)
	}
	for _, c := range x.ended {
		l.addChanges(c.result.Changes, 1)
	}
	return l
}

// target is the number of bytes in the pack above which older turns are
// removed. An eighth of the budget is left for the next turns.
func (u *update) target() int64 {
	return u.limits.Bytes - u.limits.Bytes/8 - u.limits.Segment - 2*(u.journal.base+u.journal.offset)
}

// dropTurns removes turns that the limits no longer keep.
func (u *update) dropTurns() error {
	live := u.index.live()
	size := live.size(u.index)
	all := u.index.turns()
	var dropped []string
	for i := len(all) - 1; i >= 0; i-- {
		t := all[i]
		old := i >= u.limits.Turns && u.now().Sub(t.last) > u.limits.Age
		if !old && size <= u.target() {
			break // the others are newer
		}
		for _, id := range t.calls {
			live.addChanges(u.index.ended[id].result.Changes, -1)
		}
		size = live.size(u.index)
		dropped = append(dropped, t.calls...)
	}
	if len(dropped) == 0 {
		return nil
	}
	return u.append(droppedRecord(dropped))
}

// compact removes segments without live bytes, and moves the live bytes of
// others with many dead ones.
func (u *update) compact(ctx context.Context) error {
	live := u.index.live()
	segments := map[uint64][]blob{}
	sizes := u.index.ends()
	for number := range sizes {
		segments[number] = nil
	}
	total := int64(0)
	for sum, p := range u.index.blobs {
		if live[sum] > 0 {
			segments[p.segment] = append(segments[p.segment], blob{sum, p})
		}
	}
	numbers := make([]uint64, 0, len(segments))
	for number := range segments {
		numbers = append(numbers, number)
		total += sizes[number]
	}
	slices.Sort(numbers)
	var problems error
	for _, number := range numbers {
		used := int64(0)
		for _, b := range segments[number] {
			used += b.size
		}
		dead := sizes[number] - used
		if dead == 0 || dead < used && total <= u.target() {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		if err := u.move(number, segments[number], used); err != nil {
			problems = errors.Join(problems, fmt.Errorf("remove a part of the undo pack: %w", err))
			continue
		}
		total -= dead
	}
	return problems
}

// move copies live bytes to the end of the pack and removes their segment.
func (u *update) move(number uint64, blobs []blob, used int64) error {
	use, err := diskUse(u.dir)
	if err != nil {
		return err
	}
	const perBlob = 64 // bytes in the log
	if used > 0 && use+used+perBlob*int64(len(blobs)+1) > u.limits.Bytes {
		return errNoBudget
	}
	if u.pack.number == number && len(blobs) > 0 {
		if err := u.pack.next(); err != nil {
			return err
		}
	}
	slices.SortFunc(blobs, func(a, b blob) int { return cmp.Compare(a.offset, b.offset) })
	for _, b := range blobs {
		data, err := readBlob(u.dir, b.sum, b.place)
		if err != nil {
			return err
		}
		if err := u.pack.append(b.sum, data); err != nil {
			return err
		}
	}
	moved, err := u.pack.flush()
	if err != nil {
		return err
	}
	at("bytes moved")
	records := [][]byte{segmentRecord(number)}
	if len(moved) > 0 {
		records = append([][]byte{blobsRecord(moved)}, records...)
	}
	if err := u.append(records...); err != nil {
		return err
	}
	at("before segment removed")
	if u.pack.number == number {
		u.pack.closeSegment()
	}
	return os.Remove(segmentPath(u.dir, number))
}

// rewrite replaces the base file if the log has grown, and the budget allows it.
func (u *update) rewrite() error {
	if u.journal.offset*8 <= u.journal.base {
		return nil
	}
	use, err := diskUse(u.dir)
	if err != nil {
		return err
	}
	data := u.index.dump()
	if use+int64(len(data)+baseHeader) > u.limits.Bytes {
		return fmt.Errorf("rewrite the undo index: %w", errNoBudget)
	}
	return u.journal.rewrite(data)
}
