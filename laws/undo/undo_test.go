package undo_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/store"
)

var rounds = flag.Int("rounds", 5, "how often each test of a stop or a kill is repeated")

var timing = flag.Bool("timing", false, "assert durations that are promises; for a machine that does nothing else")

// The command is the one of a well-known report: the file of a stopped command
// stayed after an undo.
const reported = "printf test > newfile.txt && sleep 30"

func TestLawU3_CommandStoppedAtAnyMoment_UndoRestoresTheTree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a": "1", "b": "2"})
	before := w.state()
	for i := range *rounds {
		turn := w.prompt(w.session, reported+"; echo never > a")
		if i%2 == 0 {
			w.exists("newfile.txt")
		} else {
			<-time.After(time.Duration(i) * 7 * time.Millisecond) // a stop at any moment
		}
		receipt := w.stop(turn)
		if receipt.End != bellcord.EndStopped {
			t.Fatalf("the end: %s", receipt.End)
		}
		if receipt.Changes == nil { // stopped before the command
			w.expect(before)
			continue
		}
		changes := w.changes(receipt)
		if _, err := os.Stat(filepath.Join(w.dir, "newfile.txt")); err == nil && changes.Created != 1 {
			t.Errorf("the file is not listed: %+v", changes)
		}
		if changes.Created > 0 {
			w.undo(turn)
		}
		w.expect(before)
	}
}

func TestLawU1_CommandStarts_BytesAndCallAreDurable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"kept": "the bytes before"}, func(c *config.Config) {
		c.Sandbox.Mode = config.SandboxOff // it would hide the bytes
	})
	copied := filepath.Join(t.TempDir(), "copy")
	// The copy has what a crash at the start of the command would leave.
	w.run(w.session, "cp -r '"+filepath.Join(w.data, "undo")+"' '"+copied+"' && echo changed > kept")
	w.write("kept", "something else")
	found, err := snapshot.Open(copied, w.dir, snapshot.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = found.Close() }()
	left, err := found.Left(t.Context(), func(string) bool { return true })
	if err != nil || len(left) != 1 || len(left[0].Open) != 1 {
		t.Fatalf("open calls: %v, %v", left, err)
	}
	result, err := found.End(t.Context(), left[0].Open[0].ID, snapshot.Whole)
	if err != nil || len(result.Changes) != 1 || !result.Changes[0].Kept {
		t.Fatalf("%+v, %v", result, err)
	}
	f, err := found.Open(result.Changes[0].Before.Sum)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	text := make([]byte, 100)
	if n, _ := f.Read(text); string(text[:n]) != "the bytes before" {
		t.Errorf("the bytes: %q", text[:n])
	}
}

func TestLawU4_FileThatIsTooLarge_ReceiptSaysThatItIsNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, func(c *config.Config) { c.Undo.MaxFileBytes = 1000 })
	w.write("large", strings.Repeat("x", 2000))
	receipt := w.run(w.session, "echo y >> large")
	changes := w.changes(receipt)
	if changes.NotKept != 1 || changes.Files[0].NotKept != "file too large" {
		t.Errorf("%+v", changes)
	}
	u := w.undo(receipt.Turn)
	if u.NotKept != 1 || u.Restored != 0 {
		t.Errorf("%+v", u)
	}
}

func TestLawU11_TwoSessionsInOneDirectory_UndoLeavesTheOthersFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"shared": "1"})
	other := w.newSession()
	// One after the other: each undo restores only its own turn.
	first := w.run(w.session, "echo one > one; echo 2 > shared")
	second := w.run(other, "echo two > two; echo 3 > shared")
	w.changes(first)
	w.changes(second)
	u := w.undo(first.Turn)
	if u.Restored != 1 || u.Conflicts != 1 {
		t.Errorf("%+v", u)
	}
	if text, err := os.ReadFile(filepath.Join(w.dir, "two")); err != nil || string(text) != "two\n" {
		t.Errorf("the file of the other session: %q, %v", text, err)
	}
	if text, err := os.ReadFile(filepath.Join(w.dir, "shared")); err != nil || string(text) != "3\n" {
		t.Errorf("the file that the other session wrote last: %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "one")); err == nil {
		t.Error("the file of the session is still there")
	}
}

func TestLawU11_TwoSessionsAtTheSameTime_UndoTouchesOnlyNamedPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	other := w.newSession()
	first := w.prompt(w.session, "touch started1; while ! test -e started2; do sleep 0.01; done; echo one > one; while ! test -e two; do sleep 0.01; done")
	second := w.prompt(other, "touch started2; while ! test -e started1; do sleep 0.01; done; echo two > two; while ! test -e one; do sleep 0.01; done")
	changes := w.changes(w.ended(first))
	w.changes(w.ended(second))
	for _, f := range changes.Files {
		if f.Path == "two" && f.Certainty != bellcord.ChangeDisputed {
			t.Errorf("%+v", f)
		}
	}
	w.undo(first)
	if _, err := os.Stat(filepath.Join(w.dir, "two")); err != nil {
		t.Errorf("the undo removed the file of the other session: %v", err)
	}
	w.undo(first, "one")
	if _, err := os.Stat(filepath.Join(w.dir, "one")); err == nil {
		t.Error("an undo of the named path did not remove it")
	}
}

func TestLawU13_SnapshotIsLocked_StopSettlesWithoutIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	turn := w.prompt(w.session, reported)
	w.exists("newfile.txt")
	unlock := w.lockSnapshot()
	receipt := w.stop(turn) // the snapshot is locked until it has settled
	if receipt.AgentAbandoned || receipt.Changes == nil || !receipt.Changes.Pending || len(receipt.Processes.Ended) == 0 {
		t.Errorf("the receipt: %+v", receipt)
	}
	unlock()
	if changes := w.changes(receipt); changes.Created != 1 {
		t.Errorf("%+v", changes)
	}
}

func TestLawU14_SnapshotFails_ReceiptSaysSoAndTheCallRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, func(c *config.Config) { c.Undo.MaxScanTime = config.Duration(300 * time.Millisecond) })
	w.changes(w.run(w.session, "true; echo 0 > zero"))
	unlock := w.lockSnapshot()
	receipt := w.run(w.session, "echo 1 > one")
	unlock()
	if receipt.End != bellcord.EndDone || receipt.Changes == nil || receipt.Changes.Problem == "" {
		t.Errorf("the receipt: %+v", receipt)
	}
	w.exists("one")
}

func TestLawU14_UndoIsRequired_CallThatCannotBeUndoneIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, func(c *config.Config) {
		c.Undo.Mode = config.UndoRequire
		if err := os.WriteFile(filepath.Join(c.DataDir, "undo"), nil, 0o600); err != nil { // so that it cannot be a directory
			t.Fatal(err)
		}
	})
	receipt := w.run(w.session, "echo 1 > one")
	if len(receipt.Calls.NotStarted) != 1 {
		t.Errorf("the receipt: %+v", receipt)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "one")); err == nil {
		t.Error("the command ran")
	}
}

func TestUndo_NextPrompt_TellsTheModelWhichFilesWereRestored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a": "1"})
	receipt := w.run(w.session, "echo 2 > a")
	w.changes(receipt)
	w.undo(receipt.Turn)
	turn, err := w.app.Hub.Accept(t.Context(), w.session, bellcord.Prompt{Text: "go on"})
	if err != nil {
		t.Fatal(err)
	}
	w.ended(turn)
	answer, err := w.app.Hub.TurnAnswer(t.Context(), turn) // the fake model repeats the prompt
	if err != nil || !strings.Contains(answer.Text, "has undone the changes of an earlier turn to files: a") {
		t.Errorf("the model got: %+v, %v", answer, err)
	}
}

// A stop of a running command is measured with and without undo, in turn.
func TestLawU13_StopOfACommand_SettlesAsSoonAsWithoutUndo(t *testing.T) {
	on := newWorld(t, map[string]string{"a": "1"})
	off := newWorld(t, map[string]string{"a": "1"}, func(c *config.Config) { c.Undo.Mode = config.UndoOff })
	times := map[*world][]time.Duration{}
	for range 2 * *rounds {
		for _, w := range []*world{on, off} {
			turn := w.prompt(w.session, "rm -f ready; touch ready; sleep 30")
			w.exists("ready")
			receipt := w.stop(turn)
			if receipt.AgentAbandoned || len(receipt.Processes.Ended) == 0 {
				t.Errorf("the receipt: %+v", receipt)
			}
			times[w] = append(times[w], receipt.Times.Settled.Sub(receipt.Times.StopRequested))
			if err := os.Remove(filepath.Join(w.dir, "ready")); err != nil {
				t.Fatal(err)
			}
		}
	}
	with, without := median(times[on]), median(times[off])
	t.Logf("stop requested to settled, median of %d: %s with undo, %s without, ratio %.2f", len(times[on]), with, without, float64(with)/float64(without))
	if *timing && with > 3*without+50*time.Millisecond {
		t.Errorf("%s with undo, %s without", with, without)
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

func TestCall_CommandChangesTextFiles_ShowsTheChangedPartsWithTheirLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a": "1\n2\n3\n4\n5\n6\n7\n8\n9\n"})
	receipt := w.run(w.session, "sed -i s/8/eight/ a; echo x > new")
	var shown []bellcord.Change
	err := store.EachEvent(t.Context(), w.app.Store, w.session, 0, func(ev bellcord.Event) bool {
		if b, is := ev.Body.(bellcord.ToolCallUpdated); is {
			for _, c := range b.Content {
				shown = append(shown, *c.Change)
			}
		}
		return true
	})
	if err != nil || len(shown) != 2 {
		t.Fatalf("%+v, %v, %+v", shown, err, receipt)
	}
	if c := shown[0]; c.Path != filepath.Join(w.dir, "a") || c.Old == nil || c.Line < 5 || !strings.Contains(c.New, "eight") || strings.Contains(c.New, "1\n") {
		t.Errorf("%+v", c)
	}
	if c := shown[1]; c.Path != filepath.Join(w.dir, "new") || c.Old != nil || c.New != "x\n" {
		t.Errorf("%+v", c)
	}
}
