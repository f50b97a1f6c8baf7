//go:build linux

package undo_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo"
)

// deaths is the environment variable with the arguments of a process that dies:
// what it does, its directories, its session and its turn.
const deaths = "BELLCORD_UNDO_DEATH"

func TestMain(m *testing.M) {
	if args := os.Getenv(deaths); args != "" {
		die(strings.Split(args, "\n"))
	}
	os.Exit(m.Run())
}

// ruin is a directory in which a process died during a call, with the log of the
// turns.
type ruin struct {
	place, dir, log string
	session         bellcord.Session
	turn            bellcord.TurnID
}

// recorder returns a recorder whose log is a file.
func (r ruin) recorder() *undo.Recorder {
	return undo.New(undo.Options{
		Place: r.place,
		Found: func(_ context.Context, _ bellcord.SessionID, c bellcord.ChangesRecorded) error {
			f, err := os.OpenFile(r.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			_, err = fmt.Fprintln(f, c.Turn, c.Changes.Text())
			return err
		},
		IsRecorded: func(_ context.Context, turn bellcord.TurnID) (bool, error) {
			text, _ := os.ReadFile(r.log)
			return strings.Contains(string(text), string(turn)), nil
		},
	})
}

// die is the process that dies: in a call, or at a point of the recovery.
func die(args []string) {
	kill := func() {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // until the signal arrives
	}
	r := ruin{args[1], args[2], args[3], bellcord.Session{ID: bellcord.SessionID(args[4]), Dir: args[2]}, bellcord.TurnID(args[5])}
	recorder := r.recorder()
	if point := args[0]; point != "call" {
		undo.SetCut(func(at string) {
			if at == point {
				kill()
			}
		})
		recorder.Recover(recorder.Interrupted())
		_, err := recorder.Changes(context.Background(), r.session, r.turn)
		fmt.Println("not killed at", point, err)
		os.Exit(1)
	}
	err := recorder.Turn(r.session, r.turn, &receipt{}).Before(context.Background(), "call", false)
	if err == nil {
		err = os.WriteFile(filepath.Join(r.dir, "a"), []byte("2"), 0o600)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	kill()
}

// dies starts a process that dies at a point.
func (r ruin) dies(t *testing.T, point string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), deaths+"="+strings.Join([]string{point, r.place, r.dir, r.log, string(r.session.ID), string(r.turn)}, "\n"))
	out, _ := cmd.CombinedOutput() // the signal is checked
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the process has not died at %q: %s", point, out)
	}
}

func newRuin(t *testing.T) ruin {
	t.Helper()
	r := ruin{place: t.TempDir(), dir: t.TempDir(), log: filepath.Join(t.TempDir(), "log"), turn: bellcord.NewTurnID()}
	r.session = bellcord.Session{ID: bellcord.NewSessionID(), Dir: r.dir}
	if err := os.WriteFile(filepath.Join(r.dir, "a"), []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.dies(t, "call")
	return r
}

// closedAt starts a recovery and closes the recorder, as a short command does, when
// the recovery has reached the point.
func (r ruin) closedAt(t *testing.T, point string) {
	t.Helper()
	recorder, reached := r.recorder(), make(chan struct{})
	undo.SetCut(func(at string) {
		if at == point {
			close(reached)
			<-recorder.Done()
		}
	})
	defer undo.SetCut(func(string) {})
	recorder.Recover(recorder.Interrupted())
	select {
	case <-reached:
	case <-t.Context().Done():
		t.Fatal("the recovery did not reach the point")
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
}

// isWhole opens the directory again: the changes must be known, reported once, and
// undone exactly, and a turn of another session must not be disputed.
func (r ruin) isWhole(t *testing.T) {
	t.Helper()
	recorder := r.recorder()
	recorder.Recover(recorder.Interrupted())
	r.isWholeFor(t, recorder)
}

// isWholeFor is isWhole for a recorder that has recovered the calls. It closes it.
func (r ruin) isWholeFor(t *testing.T, recorder *undo.Recorder) {
	t.Helper()
	defer func() {
		if err := recorder.Close(); err != nil {
			t.Error(err)
		}
	}()
	c, err := recorder.Changes(t.Context(), r.session, r.turn)
	if err != nil || c.Pending || c.Changed != 1 || len(c.Files) != 1 || c.Files[0].Certainty != bellcord.ChangeFound {
		t.Fatalf("changes: %+v, %v", c, err)
	}
	if log, err := os.ReadFile(r.log); err != nil || strings.Count(string(log), string(r.turn)+" 1 changed\n") != 1 {
		t.Errorf("the log: %q, %v, want the turn once", log, err)
	}
	work, other := &receipt{}, bellcord.Session{ID: bellcord.NewSessionID(), Dir: r.dir}
	turn := recorder.Turn(other, bellcord.NewTurnID(), work)
	if err := turn.Before(t.Context(), "call", false); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "b"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	turn.After("call")
	turn.Close()
	if c := work.last(t); len(c.Files) != 1 || c.Files[0].Certainty != bellcord.ChangeDuring {
		t.Errorf("the next turn: %+v", c)
	}
	u, err := recorder.Undo(t.Context(), undo.Request{Session: r.session, Turns: []bellcord.TurnID{r.turn}, Confirmed: true})
	if text, _ := os.ReadFile(filepath.Join(r.dir, "a")); err != nil || u.Restored != 1 || string(text) != "1" {
		t.Errorf("undo: %+v, %v, the file has %q", u, err, text)
	}
	if marks, _ := filepath.Glob(filepath.Join(r.place, "*", "alive-*")); len(marks) != 1 {
		t.Errorf("marks of processes: %v, want only that of this one", marks)
	}
}

// recoveryPoints are the points between the parts of a recovery.
var recoveryPoints = []string{"opened", "left", "before end", "ended", "before report", "reported", "before settle"}

func TestLawU3_ShortCommandEndsDuringRecovery_NextStartCompletesIt(t *testing.T) { //nolint:paralleltest // it sets the cut point
	for _, point := range recoveryPoints {
		t.Run(point, func(t *testing.T) {
			r := newRuin(t)
			r.closedAt(t, point)
			r.isWhole(t)
		})
	}
}

func TestLawU3_ProcessKilledDuringRecovery_NextStartCompletesIt(t *testing.T) {
	t.Parallel()
	for _, point := range recoveryPoints[1:] { // the first is only in the background
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			r := newRuin(t)
			r.dies(t, point)
			r.isWhole(t)
		})
	}
}

func TestLawU3_MarkOfTheDeadProcessIsMissing_ChangesAreFound(t *testing.T) {
	t.Parallel()
	r := newRuin(t)
	marks, err := filepath.Glob(filepath.Join(r.place, "*", "alive-*"))
	if err != nil || len(marks) != 1 {
		t.Fatalf("marks: %v, %v", marks, err)
	}
	if err := os.Remove(marks[0]); err != nil {
		t.Fatal(err)
	}
	r.isWhole(t)
}

func TestRecover_TwoProcessesAtTheSameTime_ReportTheChangesOnce(t *testing.T) {
	t.Parallel()
	r := newRuin(t)
	first, second := r.recorder(), r.recorder()
	first.Recover(first.Interrupted())
	second.Recover(second.Interrupted())
	for _, recorder := range []*undo.Recorder{first, second} {
		if c, err := recorder.Changes(t.Context(), r.session, r.turn); err != nil || c.Pending {
			t.Errorf("%+v, %v", c, err)
		}
		if err := recorder.Close(); err != nil {
			t.Error(err)
		}
	}
	r.isWhole(t)
}

// A process that lives when another one dies recovers the calls of that one, and only
// if it died before the list was made: otherwise its processes may still be running.
func TestLawU3_ProcessDiesWhileAnotherLives_TheOtherFindsItsChanges(t *testing.T) {
	t.Parallel()
	r := ruin{place: t.TempDir(), dir: t.TempDir(), log: filepath.Join(t.TempDir(), "log"), turn: bellcord.NewTurnID()}
	r.session = bellcord.Session{ID: bellcord.NewSessionID(), Dir: r.dir}
	if err := os.WriteFile(filepath.Join(r.dir, "a"), []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	survivor := r.recorder()
	before := survivor.Interrupted()
	survivor.Recover(before)
	r.dies(t, "call")
	survivor.Recover(before)
	if c, err := survivor.Changes(t.Context(), r.session, r.turn); err != nil || !c.Pending {
		t.Errorf("with a list from before the death: %+v, %v, want pending", c, err)
	}
	survivor.Recover(survivor.Interrupted())
	if c, err := survivor.Changes(t.Context(), r.session, r.turn); err != nil || c.Pending || c.Changed != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	r.isWholeFor(t, survivor)
}

func TestRecover_DataDirectoryHasABracketInItsName_FindsTheChanges(t *testing.T) {
	t.Parallel()
	r := ruin{place: filepath.Join(t.TempDir(), "a[b"), dir: t.TempDir(), log: filepath.Join(t.TempDir(), "log"), turn: bellcord.NewTurnID()}
	r.session = bellcord.Session{ID: bellcord.NewSessionID(), Dir: r.dir}
	if err := os.WriteFile(filepath.Join(r.dir, "a"), []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.dies(t, "call")
	recorder := r.recorder()
	recorder.Recover(recorder.Interrupted())
	c, err := recorder.Changes(t.Context(), r.session, r.turn)
	if err != nil || c.Pending || c.Changed != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if log, err := os.ReadFile(r.log); err != nil || !strings.Contains(string(log), string(r.turn)+" 1 changed\n") {
		t.Errorf("the log: %q, %v", log, err)
	}
	if err := recorder.Close(); err != nil {
		t.Error(err)
	}
}
