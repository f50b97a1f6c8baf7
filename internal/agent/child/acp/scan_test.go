package acp_test

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/filelock"
	"github.com/bellcord/bellcord/internal/undo"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
)

// slowScan makes the first scan of the session's directory, which has three
// files, wait until the returned function is called: the lock of the undo storage
// is held.
func (s *stage) slowScan() (release func()) {
	s.t.Helper()
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		if err := os.WriteFile(filepath.Join(s.session.Dir, name), []byte(name), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	place := s.t.TempDir()
	w, err := snapshot.Open(place, s.session.Dir, snapshot.Limits{})
	if err != nil {
		s.t.Fatal(err)
	}
	lock, err := filelock.Try(filepath.Join(w.Dir(), "lock"))
	if err != nil {
		s.t.Fatal(err)
	}
	release = sync.OnceFunc(func() {
		if err := filelock.Release(lock); err != nil {
			s.t.Error(err)
		}
	})
	s.agent.Undo = undo.New(undo.Options{Place: place, Limits: snapshot.Limits{Time: 2 * patience}})
	s.t.Cleanup(func() {
		release()
		if err := s.agent.Undo.Close(); err != nil {
			s.t.Error(err)
		}
		if err := w.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return release
}

func isScan(b bellcord.Body) bool {
	_, is := b.(bellcord.FilesScanned)
	return is
}

func endsScan(b bellcord.Body) bool {
	scan, _ := b.(bellcord.FilesScanned)
	return scan.Done
}

func TestTurn_FirstScanTakesLong_ReportsItsProgressBeforeThePrompt(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	release := s.slowScan()
	turn := s.prompt(bellcord.Prompt{Text: "tools"})
	if b := s.until(isScan).(bellcord.FilesScanned); b.Done {
		t.Errorf("the first report is the last: %+v", b)
	}
	if n := count(s.received(), "session/prompt"); n != 0 {
		t.Error("the agent received the prompt before its files were kept")
	}
	release()
	if receipt := s.settled(turn); receipt.End != bellcord.EndDone || receipt.Changes == nil {
		t.Errorf("the receipt: %+v", receipt)
	}
	events := s.events(turn.ID)
	last := slices.IndexFunc(events, endsScan)
	if answer := slices.IndexFunc(events, isText); last < 0 || last > answer {
		t.Errorf("the end of the scan is event %d, and the answer begins at %d: %v", last, answer, events)
	}
}

func TestLawU13_FirstScanOfAHostedAgent_StopSettlesWithoutIt(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.slowScan()
	turn := s.prompt(bellcord.Prompt{Text: "tools"})
	s.until(isScan)
	receipt, took := s.stop(turn)
	if receipt.End != bellcord.EndStopped || receipt.AgentAbandoned { // the scan still waits for the lock
		t.Errorf("end %s after %s, abandoned %v", receipt.End, took, receipt.AgentAbandoned)
	}
	if n := count(s.received(), "session/prompt"); n != 0 {
		t.Error("the agent received the prompt of a stopped turn")
	}
	if slices.ContainsFunc(s.events(turn.ID), endsScan) {
		t.Error("a scan that goes on has an end in the log")
	}
}
