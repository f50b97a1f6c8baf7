//go:build linux

package chaos_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// logf writes a line to the log of the run.
func (s *stage) logf(format string, args ...any) {
	line := fmt.Sprintf("%9v %s\n", s.since().Round(time.Millisecond), fmt.Sprintf(format, args...))
	f, err := os.OpenFile(filepath.Join(s.evidence, "diary.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(line)
		_ = f.Close()
	}
	if err != nil {
		s.t.Error(err)
	}
}

// settle ends the crowd, removes all faults and waits until no turn runs: first
// the drivers end, then all leases have time to expire, then one stop of
// everything at one node must end the remaining turns of all nodes.
func (s *stage) settle() {
	s.t.Helper()
	s.rest(lease + overdue)
	s.watch.stop()
	s.awaitProcesses()
	s.logf("all is still")
}

// rest is the part of settle up to the last end.
func (s *stage) rest(wait time.Duration) {
	s.t.Helper()
	s.logf("the drivers go")
	s.crowd.stopDriving()
	s.crowd.drivers.Wait()
	for i, n := range s.nodes {
		n.pg.set(open)
		n.nats.set(open)
		s.bus.start(i)
	}
	s.awaitNodes(s.nodes)
	<-time.After(wait)
	s.logf("everything is stopped")
	why := string(bellcord.NewTurnID())
	s.stopEverything(why)
	s.awaitEnds()
	s.awaitViewers()
	s.crowd.stopViews()
	s.crowd.viewers.Wait()
}

// stopEverything sends a stop of everything to one node. There is no fault at
// this point, so the node must answer.
func (s *stage) stopEverything(why string) {
	s.t.Helper()
	a := act{verb: cleared, why: why, stop: &api.Stopped{}}
	a = s.nodes[0].do(a, http.MethodPost, "/v1/stop", api.Stop{Queue: string(bellcord.QueueDrop), Reason: why, Wait: "4s"}, a.stop)
	s.nodes[0].noted(a)
	if !a.answered || a.status/100 != 2 || !a.stop.Recorded {
		s.accuse("a stop of everything fails", "after all was healed: %+v %+v", a, a.stop)
	}
}

// awaitEnds waits until every turn has ended.
func (s *stage) awaitEnds() {
	s.t.Helper()
	var unended api.Turns
	for began := time.Now(); time.Since(began) < 15*time.Second; <-time.After(50 * time.Millisecond) {
		ctx, done := within(patience)
		status, _, err := s.nodes[1].roundTrip(ctx, http.MethodGet, "/v1/turns", nil, &unended)
		done()
		if err == nil && status == http.StatusOK && len(unended.Turns) == 0 {
			return
		}
	}
	for _, turn := range unended.Turns {
		s.accuse("a turn never ends", "%s of %s is %s, held %v, stop %v, long after all was healed and everything was stopped", turn.ID, turn.Session, turn.State, turn.Held, turn.StopRequest)
	}
}

// awaitViewers waits until the viewers have received the last events.
func (s *stage) awaitViewers() {
	for began := time.Now(); time.Since(began) < 5*time.Second; <-time.After(50 * time.Millisecond) {
		waiting := 0
		s.crowd.mu.Lock()
		for _, r := range s.crowd.rooms {
			waiting += r.backlog()
		}
		s.crowd.mu.Unlock()
		if waiting == 0 {
			return
		}
	}
}

// awaitProcesses checks that no process of a turn and no model request remains.
func (s *stage) awaitProcesses() {
	s.t.Helper()
	for began := time.Now(); time.Since(began) < 5*time.Second; <-time.After(50 * time.Millisecond) {
		if len(s.marked()) == 0 && len(s.requests()) == 0 {
			return
		}
	}
	for _, p := range s.marked() {
		s.accuse("a process is alive", "%s", p)
	}
	for _, r := range s.requests() {
		s.accuse("a model request is alive", "since %v, for %s", r.At, r.Prompt)
	}
}

// marked returns the processes with the marker in their arguments, without
// using the product's code.
func (s *stage) marked() []string {
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		s.t.Error(err)
	}
	var found []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if args := strings.Split(string(text), "\x00"); err == nil && (slices.Contains(args, s.marker) || strings.Contains(string(text), " "+s.marker)) {
			found = append(found, path+": "+strings.Join(args, " "))
		}
	}
	return found
}

// requests returns the model's open requests.
func (s *stage) requests() []fakemodel.Request {
	return slices.DeleteFunc(s.modelRequests(), func(r fakemodel.Request) bool {
		return !r.Finished.IsZero() || !r.Aborted.IsZero()
	})
}

// modelRequests returns all requests that the model has received so far, without their
// long bodies.
func (s *stage) modelRequests() (all []fakemodel.Request) {
	_ = s.model.Wait(context.Background(), func(now []fakemodel.Request) bool { // returns immediately
		all = now
		return true
	})
	return all
}
