//go:build linux

package snapshot_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// U13, U14: while another operation runs, Begin waits at most for its time limit
// and returns immediately if its context ends, in the same process and in another one.
func TestBegin_AnotherOperationRuns_WaitsForItsLimitOrItsContextOnly(t *testing.T) { //nolint:paralleltest // it sets the hook
	place, root := t.TempDir(), t.TempDir()
	write(t, root, "a", "1")
	for _, sameHandle := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := open(t, place, root, snapshot.Limits{})
			defer func() { _ = w.Close() }()
			other := w
			if !sameHandle {
				other = open(t, place, root, snapshot.Limits{})
				defer func() { _ = other.Close() }()
			}
			running, release := make(chan struct{}), make(chan struct{})
			var once sync.Once
			defer snapshot.SetHook(func(point string) {
				if point == "scan" {
					once.Do(func() { close(running); <-release })
				}
			})()
			done := make(chan error)
			go func() {
				_, err := other.Scan(ctx, snapshot.Whole)
				done <- err
			}()
			<-running
			start := time.Now()
			if _, err := w.Begin(ctx, snapshot.Call{ID: "1"}, snapshot.Whole); !errors.Is(err, snapshot.ErrBusy) || time.Since(start) != 10*time.Second {
				t.Errorf("Begin returned %v after %v, want ErrBusy after 10 s", err, time.Since(start))
			}
			start = time.Now()
			stopped, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			if _, err := w.Begin(stopped, snapshot.Call{ID: "1"}, snapshot.Whole); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 2*time.Millisecond {
				t.Errorf("Begin returned %v after %v, want the end of the context after 1 ms", err, time.Since(start))
			}
			close(release)
			must(t, <-done)
			if _, err := w.End(ctx, "1", snapshot.Whole); !errors.Is(err, snapshot.ErrUnknown) {
				t.Errorf("a call of a Begin that failed: %v", err)
			}
		})
	}
}

// U4, U14: after the time limit, no more files are read, and those are reported as
// not kept.
func TestBegin_TimeLimitPassesWhileReading_ReportsTheFilesThatWereNotRead(t *testing.T) { //nolint:paralleltest // it sets the hook
	place, root := t.TempDir(), t.TempDir()
	for i := range 5 {
		write(t, root, fmt.Sprint(i), fmt.Sprint("text ", i))
	}
	synctest.Test(t, func(t *testing.T) {
		w := open(t, place, root, snapshot.Limits{Workers: 1})
		defer func() { _ = w.Close() }()
		read := 0
		remove := snapshot.SetHook(func(point string) {
			if point == "hash" {
				if read++; read == 2 {
					<-time.After(11 * time.Second) // in the fake time of the test
				}
			}
		})
		r := begin(t, w, "1", "s")
		remove()
		if read != 2 || r.NotKept[snapshot.TimeBudget] != 3 {
			t.Errorf("%d files were read; report: %v", read, r.NotKept)
		}
		for i := range 5 {
			write(t, root, fmt.Sprint(i), "changed")
		}
		kept := 0
		for _, c := range end(t, w, "1").Changes {
			if c.Kept {
				kept++
			} else if c.Reason != snapshot.TimeBudget.String() {
				t.Errorf("%s is not kept because %q", c.Path, c.Reason)
			}
		}
		if kept != 2 {
			t.Errorf("%d changes are kept, want 2", kept)
		}
	})
}

// Four handles of one workspace, as four processes have them, run calls at the
// same time. Every call lists its own change with its bytes, now and for the next process.
func TestWorkspace_ConcurrentCalls_LoseNoRecord(t *testing.T) {
	t.Parallel()
	place, root := t.TempDir(), t.TempDir()
	limits := snapshot.Limits{Segment: 4 << 10, File: 2 << 10, Bytes: 4 << 20}
	const handles, calls = 4, 8
	var wg sync.WaitGroup
	for h := range handles {
		w := open(t, place, root, limits)
		wg.Go(func() {
			defer func() { _ = w.Close() }()
			for n := range calls {
				id := fmt.Sprint(h, ".", n)
				_, err := w.Begin(ctx, snapshot.Call{ID: id, Turn: id, Session: fmt.Sprint(h)}, snapshot.Whole)
				if err == nil {
					write(t, root, id, id)
					_, err = w.End(ctx, id, snapshot.Whole)
				}
				if err == nil && n%3 == 2 {
					_, err = w.Collect(ctx)
				}
				if err != nil {
					t.Errorf("call %s: %v", id, err)
				}
			}
		})
	}
	wg.Wait()
	w := open(t, place, root, limits)
	defer func() { _ = w.Close() }()
	files := copyOf(t, root)
	for h := range handles {
		for n := range calls {
			id := fmt.Sprint(h, ".", n)
			r, err := w.Result(ctx, id)
			if err != nil {
				t.Errorf("call %s: %v", id, err)
				continue
			}
			own := false
			for _, c := range r.Changes {
				if c.Path == id {
					own = c.Kept && c.Before.Kind == tree.Absent
					equalBytes(t, w, id, c.After.Sum, []plain{files})
				}
			}
			if !own {
				t.Errorf("call %s does not list its file:\n%s", id, list(r.Changes))
			}
		}
	}
}
