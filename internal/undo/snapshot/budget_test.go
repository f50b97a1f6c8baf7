package snapshot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// noise returns n bytes that occur only once.
func noise(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return string(b)
}

func TestLawU4_GeneratedAndLargeFiles_AreListedAsNotKept(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, snapshot.Limits{BulkFiles: 3, File: 100})
	notKept := []string{"build/1", "build/2", "build/3", "build/sub/4", "node_modules/m/x.js", ".venv/x", "target/x", "cache/x", "large"}
	kept := []string{".env", "few/1", "few/2", "src/target/x", "src/1", "src/2", "src/3", "src/4", "untagged/x"}
	write(t, root, ".gitignore", "build/\nfew/\n/target/\n.env\n")
	write(t, root, "cache/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")
	write(t, root, "untagged/CACHEDIR.TAG", "not the signature")
	for i, text := range []string{"1", "2"} {
		for _, path := range append(notKept, kept...) {
			write(t, root, path, path+text)
		}
		write(t, root, "large", noise(101))
		if i == 0 {
			r := begin(t, w, "1", "s")
			if r.NotKept[snapshot.TooLarge] != 1 || r.NotKept[snapshot.Bulk] < 8 {
				t.Errorf("report: %v", r.NotKept)
			}
		}
	}
	got := map[string]tree.Change{}
	for _, c := range end(t, w, "1").Changes {
		got[c.Path] = c
	}
	for _, path := range notKept {
		if c, listed := got[path]; !listed || c.Kept || c.Reason == "" {
			t.Errorf("%s: listed %v, %+v; want not kept, with a reason", path, listed, c)
		}
	}
	for _, path := range kept {
		if c, listed := got[path]; !listed || !c.Kept || c.Reason != "" {
			t.Errorf("%s: listed %v, %+v; want kept", path, listed, c)
		}
	}
}

func TestBegin_KeptPart_SkipsGeneratedFilesAndNamesTheGap(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, snapshot.Limits{})
	write(t, root, "node_modules/m", "1")
	write(t, root, "a", "1")
	r, err := w.Begin(ctx, snapshot.Call{ID: "1"}, snapshot.KeptPart)
	must(t, err)
	if len(r.Gaps) != 1 || r.Gaps[0] != (snapshot.Gap{Path: "node_modules", Reason: snapshot.Bulk}) {
		t.Errorf("gaps: %v", r.Gaps)
	}
	write(t, root, "a", "2")
	if r := end(t, w, "1"); len(r.Changes) != 1 || len(r.Gaps) != 1 {
		t.Errorf("files that existed before are listed as changes:\n%s", list(r.Changes))
	}
	begin(t, w, "2", "s")
	write(t, root, "node_modules/n", "1")
	if r := end(t, w, "2"); len(r.Changes) != 1 || r.Changes[0].Kept || len(r.Gaps) != 0 {
		t.Errorf("after a scan of all:\n%s%v", list(r.Changes), r.Gaps)
	}
}

// U14: a failing snapshot is reported, and delays a call only for its time limit.
func TestLawU14_TimeLimitPassed_OpensTheCallAndNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	w, place, root := fresh(t, snapshot.Limits{})
	write(t, root, "a/known", "1")
	_, err := w.Scan(ctx, snapshot.Whole)
	must(t, err)
	hurried := open(t, place, root, snapshot.Limits{Time: time.Nanosecond})
	defer func() { _ = hurried.Close() }()
	write(t, root, "a/known", "2")
	r := begin(t, hurried, "1", "s")
	if len(r.Gaps) == 0 || r.Gaps[0].Reason != snapshot.TimeBudget {
		t.Errorf("gaps: %v", r.Gaps)
	}
	write(t, root, "a/known", "3")
	result := end(t, w, "1")
	if len(result.Changes) != 1 || result.Changes[0].Kept || result.Changes[0].Reason != snapshot.NotScanned.String() || len(result.Gaps) == 0 {
		t.Errorf("changes:\n%sgaps: %v", list(result.Changes), result.Gaps)
	}
}

func TestBegin_DiskAlmostFull_KeepsNothingMoreAndReportsIt(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, snapshot.Limits{})
	write(t, root, "before", "1")
	_, err := w.Scan(ctx, snapshot.Whole)
	must(t, err)
	const gib = 1 << 30
	for _, disk := range [][2]uint64{{gib/2 - 1, 10 * gib}, {gib - 1, 100 * gib}, {gib - 1, 1000 * gib}} {
		w.SetSpace(func(string) (uint64, uint64, error) { return disk[0], disk[1], nil })
		id := fmt.Sprint(disk)
		write(t, root, id, noise(10))
		if r := begin(t, w, id, "s"); r.NotKept[snapshot.DiskFull] == 0 {
			t.Errorf("%v: report %v", disk, r.NotKept)
		}
		write(t, root, id, "changed")
		write(t, root, "before", id)
		r := end(t, w, id)
		for _, c := range r.Changes {
			if c.Kept || c.Reason != snapshot.DiskFull.String() {
				t.Errorf("%v:\n%s", disk, list(r.Changes))
			}
		}
	}
	for _, disk := range [][2]uint64{{gib, 10 * gib}, {1600 << 20, 40 * gib}, {45 * gib, 1000 * gib}} {
		w.SetSpace(func(string) (uint64, uint64, error) { return disk[0], disk[1], nil })
		if r := begin(t, w, fmt.Sprint("space again", disk), "s"); len(r.NotKept) > 0 {
			t.Errorf("with free space, %v: %v", disk, r.NotKept)
		}
	}
}

// U12: the size of all files is measured at every point of every operation.
func TestLawU12_ManyTurns_NeverExceedsItsBudget(t *testing.T) {
	limits := snapshot.Limits{Bytes: 200 << 10, Segment: 16 << 10, File: 8 << 10, Turns: 100, Workers: 1}
	w, _, root := fresh(t, limits)
	most := int64(0)
	defer snapshot.SetHook(func(string) { most = max(most, size(t, w.Dir())) })()
	refused, dropped := 0, false
	for n := range 60 {
		id := fmt.Sprint(n)
		_, err := w.Begin(ctx, snapshot.Call{ID: id, Turn: id, Session: "s"}, snapshot.Whole)
		must(t, err)
		for range 3 {
			write(t, root, fmt.Sprint("f", rand.IntN(8)), noise(1+rand.IntN(8<<10)))
		}
		for _, c := range end(t, w, id).Changes {
			if !c.Kept {
				refused++
				if c.Reason != snapshot.ByteBudget.String() {
					t.Errorf("not kept because %q", c.Reason)
				}
			}
		}
		if n%5 == 4 {
			u, err := w.Collect(ctx)
			must(t, err)
			dropped = dropped || u.Turns < n
		}
	}
	if most > limits.Bytes || most < limits.Bytes/2 {
		t.Errorf("%d bytes on disk, the budget is %d", most, limits.Bytes)
	}
	if !dropped {
		t.Error("no turn was removed")
	}
	t.Logf("at most %d of %d bytes; %d changes not kept", most, limits.Bytes, refused)
	begin(t, w, "last", "s")
	before := copyOf(t, root)
	must(t, os.RemoveAll(filepath.Join(root, "f1")))
	after := copyOf(t, root)
	for _, c := range end(t, w, "last").Changes {
		if c.Kept {
			equalBytes(t, w, c.Path, c.Before.Sum, []plain{before, after})
		}
	}
}

func size(t failer, dir string) int64 {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	sum := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

func TestCollect_OldTurns_AreRemovedExceptTheNewest(t *testing.T) {
	t.Parallel()
	limits := snapshot.Limits{Turns: 2, Age: time.Hour, Segment: 64 << 10, File: 32 << 10, Bytes: 4 << 20}
	w, place, root := fresh(t, limits)
	now := time.Now()
	w.SetNow(func() time.Time { return now })
	for n := range 5 {
		begin(t, w, fmt.Sprint(n), "s")
		write(t, root, "f", noise(20<<10))
		end(t, w, fmt.Sprint(n))
		now = now.Add(20 * time.Minute)
	}
	u, err := w.Collect(ctx) // turns 0 to 4 ended 100, 80, 60, 40 and 20 minutes ago
	must(t, err)
	if u.Turns != 3 || u.Live > 90<<10 || u.Bytes > 140<<10 {
		t.Errorf("after an hour: %+v", u)
	}
	now = now.Add(24 * time.Hour)
	if u, err = w.Collect(ctx); err != nil || u.Turns != 2 {
		t.Errorf("after a day: %+v, %v", u, err)
	}
	must(t, w.Close())
	w = open(t, place, root, limits)
	for n := range 5 {
		r, err := w.Result(ctx, fmt.Sprint(n))
		if n < 3 != errors.Is(err, snapshot.ErrUnknown) {
			t.Errorf("call %d: %v", n, err)
		}
		for _, c := range r.Changes {
			for _, s := range []tree.State{c.Before, c.After} {
				if s.Hashed {
					if _, err := w.Open(s.Sum); err != nil {
						t.Errorf("call %d: %v", n, err)
					}
				}
			}
		}
	}
	must(t, w.Close())
}

func TestOpen_TornAndDamagedLog_KeepsTheRecordsBefore(t *testing.T) {
	t.Parallel()
	w, place, root := fresh(t, snapshot.Limits{})
	write(t, root, "a", "1")
	begin(t, w, "1", "s")
	write(t, root, "a", "2")
	end(t, w, "1")
	logs, err := filepath.Glob(filepath.Join(w.Dir(), "log-*"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	whole, err := os.ReadFile(logs[0])
	must(t, err)
	must(t, w.Close())
	for _, tail := range [][]byte{{1}, bytes.Repeat([]byte{0}, 100), []byte(noise(50)), append([]byte{4, 0, 0, 0, 0, 0, 0, 0}, "text"...)} {
		must(t, os.WriteFile(logs[0], append(bytes.Clone(whole), tail...), 0o600))
		w := open(t, place, root, snapshot.Limits{})
		if r, err := w.Result(context.Background(), "1"); err != nil || len(r.Changes) != 1 {
			t.Errorf("tail %x: %v, %v", tail, r, err)
		}
		must(t, w.Close())
		if now, err := os.ReadFile(logs[0]); err != nil || !bytes.Equal(now, whole) {
			t.Errorf("tail %x: it was not removed (%d bytes, %v)", tail, len(now), err)
		}
	}
}
