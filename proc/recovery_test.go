//go:build linux

package proc_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/bellcord/bellcord/proc"
)

// A keeper that dies after it has ended the processes of a dead one has recorded
// nothing. The next keeper has the same result.
func TestRecovered_KeeperClosesBeforeItRecords_NextKeeperHasTheSameResult(t *testing.T) {
	t.Parallel()
	dir, token := t.TempDir(), token()
	killedKeeper(t, dir, false, []string{"(setsid sleep " + token + " &); exec sleep " + token})
	opts := proc.Options{Grace: 300 * time.Millisecond, KeepReports: true}
	first, err := proc.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	found := first.Recovered()
	if len(found) != 1 || len(found[0].Ended) != 2 || found[0].Proof == "" || found[0].Owners[0] != "turn-1" {
		t.Fatalf("%+v", found)
	}
	second := open(t, dir, opts)
	if held := second.Recovered(); len(held) != 0 || second.Reap() {
		t.Errorf("two keepers have the result: %+v", held)
	}
	if err = first.Close(); err != nil {
		t.Fatal(err)
	}
	if !second.Reap() {
		t.Error("the dead keeper is not reaped")
	}
	again := second.Recovered()
	if len(again) != 1 || again[0].ID != found[0].ID || len(again[0].Ended) != 2 {
		t.Fatalf("%+v, before %+v", again, found)
	}
	second.Forget(again)
	if left := second.Recovered(); len(left) != 0 || !second.Reap() || len(second.Recovered()) != 0 {
		t.Errorf("%+v after Forget", left)
	}
}

func TestOpen_DirectoryHasABracketInItsName_EndsProcessesOfTheDeadKeeper(t *testing.T) {
	t.Parallel()
	dir, token := filepath.Join(t.TempDir(), "a[b"), token()
	killedKeeper(t, dir, false, []string{"(setsid sleep " + token + " &); exec sleep " + token})
	keeper := open(t, dir, proc.Options{Grace: 300 * time.Millisecond, KeepReports: true})
	found := keeper.Recovered()
	if len(found) != 1 || len(found[0].Ended) != 2 {
		t.Errorf("%+v", found)
	}
	keeper.Forget(found)
}

func TestAlone_DirectoryIsAPattern_FindsTheOtherKeeper(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a[bc]")
	keeper := open(t, dir, proc.Options{})
	if !keeper.Alone() {
		t.Error("without another keeper, it is not alone")
	}
	open(t, dir, proc.Options{})
	if keeper.Alone() {
		t.Error("with another keeper, it is alone")
	}
}
