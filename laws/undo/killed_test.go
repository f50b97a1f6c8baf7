package undo_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// child is the environment variable with the directories of a world, for a
// process that is killed.
const child = "BELLCORD_UNDO_CHILD"

func TestMain(m *testing.M) {
	if dirs := os.Getenv(child); dirs != "" {
		os.Args = append(os.Args[:1], "-test.run=^TestChild$", "-test.timeout=5m")
	}
	os.Exit(m.Run())
}

// TestChild is the process that is killed: it runs a turn that does not end.
func TestChild(t *testing.T) {
	data, dir, is := strings.Cut(os.Getenv(child), "\n")
	if !is {
		t.Skip("it is started by the tests of killed processes")
	}
	w := &world{t: t, data: data, dir: dir}
	w.open()
	w.session = w.newSession()
	w.ended(w.prompt(w.session, "echo changed > a; rm b; mkdir d; printf test > d/new; touch ready; sleep 300"))
}

// killed runs a turn in another process and kills that process when ready
// returns.
func (w *world) killed(ready func()) {
	w.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"="+w.data+"\n"+w.dir)
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	ready()
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}

func TestLawU3_ProcessKilledDuringACommand_NextStartFindsAndUndoesItsChanges(t *testing.T) {
	t.Parallel()
	found := 0
	for i := range *rounds {
		w := &world{t: t, data: t.TempDir(), dir: t.TempDir()}
		w.write("a", "1")
		w.write("b", "2")
		before := w.state()
		w.killed(func() {
			if i%2 == 0 {
				w.exists("ready")
			} else {
				<-time.After(time.Duration(rand.IntN(400)) * time.Millisecond) // a kill at any moment
			}
		})
		w.open()
		changed := !maps.Equal(w.state(), before)
		if !changed {
			continue
		}
		receipts, err := w.app.Hub.Receipts(t.Context(), store.ReceiptQuery{})
		if err != nil || len(receipts) != 1 || receipts[0].End != bellcord.EndLost {
			t.Fatalf("%+v, %v", receipts, err)
		}
		changes := w.changes(receipts[0])
		for _, f := range changes.Files {
			if f.Certainty != bellcord.ChangeFound || f.NotKept != "" {
				t.Errorf("%+v", f)
			}
		}
		w.undo(receipts[0].Turn)
		w.expect(before)
		found++
	}
	if found == 0 {
		t.Error("no process was killed while its command had changed files")
	}
	t.Logf("%d kills, %d with changes: all restored", *rounds, found)
}
