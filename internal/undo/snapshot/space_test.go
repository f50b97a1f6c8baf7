package snapshot_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
)

// tight is the smallest budget: four segments.
var tight = snapshot.Limits{Segment: 4 << 10, File: 4 << 10, Bytes: 16 << 10, Workers: 1}

// most measures the disk space at every point of every operation.
func most(t *testing.T, w *snapshot.Workspace) *int64 {
	t.Helper()
	sum := new(int64)
	t.Cleanup(snapshot.SetHook(func(string) { *sum = max(*sum, size(t, w.Dir())) }))
	return sum
}

// U12, U14: the names alone exceed the budget. Begin fails, and the budget holds.
func TestBegin_MorePathsThanTheBudget_FailsWithinIt(t *testing.T) { //nolint:paralleltest // it sets the hook
	w, _, root := fresh(t, tight)
	used := most(t, w)
	for i := range 150 {
		write(t, root, fmt.Sprint("node_modules/", i, strings.Repeat("x", 150)), "")
	}
	if _, err := w.Begin(ctx, snapshot.Call{ID: "1"}, snapshot.Whole); err == nil || !strings.Contains(err.Error(), "budget") {
		t.Errorf("Begin returned %v", err)
	}
	if *used = max(*used, size(t, w.Dir())); *used > tight.Bytes {
		t.Errorf("%d bytes on disk, the budget is %d", *used, tight.Bytes)
	}
}

// U12: the rewrite of the index needs more space than the budget has. The
// collection reports it, and the old index is still used.
func TestCollect_NoSpaceForANewIndex_KeepsTheOldOne(t *testing.T) { //nolint:paralleltest // it sets the hook
	w, place, root := fresh(t, tight)
	used := most(t, w)
	for i := range 43 {
		write(t, root, fmt.Sprint("node_modules/", i, strings.Repeat("x", 150)), "")
	}
	begin(t, w, "1", "s")
	write(t, root, "a", "1")
	end(t, w, "1")
	if _, err := w.Collect(ctx); err == nil || !strings.Contains(err.Error(), "budget") {
		t.Errorf("Collect returned %v with %d bytes on disk", err, size(t, w.Dir()))
	}
	if *used = max(*used, size(t, w.Dir())); *used > tight.Bytes {
		t.Errorf("%d bytes on disk, the budget is %d", *used, tight.Bytes)
	}
	again := open(t, place, root, tight)
	defer func() { _ = again.Close() }()
	begin(t, again, "2", "s")
	write(t, root, "a", "2")
	if r := end(t, again, "2"); len(r.Changes) != 1 {
		t.Errorf("changes:\n%s", list(r.Changes))
	}
}

// U12: a file is kept only if the disk has its free space after it, too.
func TestBegin_FileWouldFillTheDisk_IsNotKept(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, small4)
	const total, reserve = 100 << 30, 1 << 30
	w.SetSpace(func(string) (uint64, uint64, error) { return reserve + 100, total, nil })
	write(t, root, "large", noise(101))
	write(t, root, "small", noise(60))
	if r := begin(t, w, "1", "s"); r.NotKept[snapshot.ByteBudget] != 1 {
		t.Errorf("report: %v", r.NotKept)
	}
}

// U12: a smaller budget than the space in use does not make the use grow.
// Collections reduce it, until calls are possible again.
func TestCollect_BudgetWasLowered_RemovesTurnsUntilItFits(t *testing.T) { //nolint:paralleltest // it sets the hook
	large := tight
	large.Bytes = 200 << 10
	w, place, root := fresh(t, large)
	for n := range 30 {
		begin(t, w, fmt.Sprint(n), "s")
		write(t, root, "a", noise(4<<10))
		end(t, w, fmt.Sprint(n))
	}
	must(t, w.Close())
	before := size(t, w.Dir())
	w = open(t, place, root, tight)
	defer func() { _ = w.Close() }()
	used := most(t, w)
	for range 3 {
		_, _ = w.Collect(ctx) // what does not fit now is reported, and fits later
	}
	if *used > before+1<<10 {
		t.Errorf("%d bytes on disk, %d before the collection", *used, before)
	}
	if now := size(t, w.Dir()); now > tight.Bytes {
		t.Errorf("%d bytes on disk after the collections, the budget is %d", now, tight.Bytes)
	}
	begin(t, w, "next", "s")
	must(t, os.Remove(filepath.Join(root, "a")))
	if r := end(t, w, "next"); len(r.Changes) != 1 || !r.Changes[0].Kept {
		t.Errorf("changes:\n%s", list(r.Changes))
	}
}

// U12: live bytes are moved only if the budget has space for the copies. Otherwise
// they stay where they are, and the collection reports it.
func TestCollect_NoSpaceToMoveBytes_LeavesThem(t *testing.T) { //nolint:paralleltest // it sets the hook
	large := tight
	large.Bytes = 200 << 10
	w, place, root := fresh(t, large)
	for n := range 10 { // each segment has 3 KiB that are live, and some that are not
		write(t, root, fmt.Sprint(n), noise(3<<10))
		write(t, root, "garbage", noise(500))
		settle(t, w)
	}
	must(t, w.Close())
	before := size(t, w.Dir())
	w = open(t, place, root, tight)
	defer func() { _ = w.Close() }()
	used := most(t, w)
	if _, err := w.Collect(ctx); err == nil || !strings.Contains(err.Error(), "budget") {
		t.Errorf("Collect returned %v", err)
	}
	if *used > before+1<<10 {
		t.Errorf("%d bytes on disk, %d before the collection", *used, before)
	}
	for n := range 10 {
		files := copyOf(t, root)
		equalBytes(t, w, fmt.Sprint(n), files.states[fmt.Sprint(n)].Sum, []plain{files})
	}
}
