//go:build linux

package restore_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/restore"
)

var crashes = flag.Int("crashes", 40, "undos that are killed once or twice; 2,000 is the full run")

// U5, U8, U15: an undo that is killed at any point and resumed leaves the tree that
// an undo without a crash leaves, the same outcomes, and no temporary file.
func TestLawU5AndU8_UndoKilledAtAnyPoint_IsCompletedExactly(t *testing.T) {
	t.Parallel()
	before, after := zoo()
	after["mine"], before["mine"] = file("changed by the turn"), file("old")
	turn := changes(before, after)
	after["mine"] = file("edited later")
	want := world{}
	for path, e := range before {
		want[path] = e
	}
	want["mine"] = after["mine"]

	first := newPlace(t, after)
	first.prepare(t, keep(before), turn)
	points, _ := first.run(t, 0, func(string) {})
	first.wantWorld(t, want)
	outcomes, err := restore.Resume(t.Context(), restore.Options{Dir: first.dir})
	if err != nil {
		t.Fatal(err)
	}
	distinct := slices.Clone(points)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	t.Logf("%d points with %d names: %q", len(points), len(distinct), distinct)

	random := rand.New(rand.NewPCG(21, 1))
	order := random.Perm(len(points))
	done, killed := 0, 0
	for n := range *crashes {
		kills := []int{order[n%len(order)] + 1}
		if n/len(order)%2 == 1 || n%2 == 1 {
			kills = append(kills, 1+random.IntN(len(points)-kills[0]+8))
		}
		p := newPlace(t, after)
		p.prepare(t, keep(before), turn)
		untouched := info(t, p, "untouched")
		for _, kill := range append(kills, 0) {
			if _, was := p.run(t, kill, func(string) {}); was {
				killed++
			}
		}
		p.wantWorld(t, want)
		got, err := restore.Resume(t.Context(), restore.Options{Dir: p.dir})
		if err != nil || len(got) != len(outcomes) {
			t.Fatalf("%d outcomes, %v, want %d", len(got), err, len(outcomes))
		}
		for i, o := range got {
			if o != outcomes[i] {
				t.Errorf("the outcome is %v, want %v", o, outcomes[i])
			}
		}
		if left := leftovers(p.dir); len(left) > 0 {
			t.Errorf("left over: %q", left)
		}
		if now := info(t, p, "untouched"); !os.SameFile(now, untouched) || !now.ModTime().Equal(untouched.ModTime()) {
			t.Error("an untouched file has another inode or time")
		}
		if t.Failed() {
			t.Fatalf("run %d, killed at the points %v (%s)", n, kills, points[kills[0]-1])
		}
		done++
		_ = os.RemoveAll(p.root)
	}
	t.Logf("%d undos, killed %d times: all exact, nothing left over", done, killed)
}
