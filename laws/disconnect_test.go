package laws_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// Law 34 over HTTP: the clients that prompt, watch and wait may all disconnect;
// the turn continues.
func TestLaw34_ClientDisconnects_TurnContinues(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		w := s.serve()
		leave := w.watchSession()
		turn := w.prompt(api.NewTurn{Text: "[slow 1000 1s]"})
		waiting, hangUp := context.WithCancel(s.t.Context())
		hungUp := make(chan error, 1)
		r := w.request(waiting, by.By, http.MethodGet, "/v1/turns/"+string(turn)+"?wait=60s", nil)
		go func() { hungUp <- w.do(r).err }()
		s.await(turn, emittedText("word3"))
		leave()
		hangUp()
		if err := <-hungUp; err == nil {
			s.t.Error("it should have been cut off")
		}
		if r := s.ended(turn); r.End != bellcord.EndDone || r.Cause != nil {
			s.t.Errorf("ended %s by %+v", r.End, r.Cause)
		}
	})
}

// Law 34: a turn with OnDisconnect "stop" is stopped ten seconds after the last
// viewer has left, with that cause. If a viewer returns in time, it continues.
func TestLaw34_StopOnDisconnect_StopsTenSecondsAfterLastViewerLeaves(t *testing.T) {
	t.Parallel()
	const patience = 10 * time.Second
	for _, c := range []struct {
		name string
		away time.Duration
		end  bellcord.End
	}{
		{"the viewer stays away", time.Hour, bellcord.EndStopped},
		{"the viewer comes back just in time", patience - time.Nanosecond, bellcord.EndDone},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onStage(t, func(s *stage) {
				w := s.serve()
				leave := w.watchSession()
				leaveToo := w.watchSession()
				turn := w.prompt(api.NewTurn{Text: "[slow 100 1s]", OnDisconnect: "stop"})
				s.await(turn, emittedText("word3"))
				leave() // the second viewer still watches
				<-time.After(2 * patience)
				leaveToo()
				left := time.Now()
				select {
				case <-time.After(c.away):
					w.watchSession()
				case <-s.settled(turn):
				}
				r := s.ended(turn)
				if r.End != c.end {
					s.t.Fatalf("ended %s by %+v", r.End, r.Cause)
				}
				if r.End == bellcord.EndStopped && (r.Cause.Kind != bellcord.CauseDisconnect || r.Times.StopRequested.Sub(left) != patience || r.Queue != bellcord.QueueNext) {
					s.t.Errorf("%v after the last viewer had gone: %+v", r.Times.StopRequested.Sub(left), r)
				}
			})
		})
	}
}

// settled returns a channel that is closed when the turn has settled.
func (s *stage) settled(id bellcord.TurnID) <-chan struct{} {
	for _, t := range s.Unsettled() {
		if t.ID == id {
			return t.Settled()
		}
	}
	s.t.Fatal("it does not run")
	return nil
}

// A stop does not depend on its caller's connection: a caller that disconnects
// has still stopped the turn.
func TestLaw34_StopCallerDisconnects_TurnIsStopped(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		w := s.serve()
		turn := w.prompt(api.NewTurn{Text: "[tool deaf {}]"})
		s.await(turn, kind[bellcord.ToolOutputDelta])
		asking, hangUp := context.WithCancel(s.t.Context())
		hungUp := make(chan error, 1)
		r := w.request(asking, by.By, http.MethodPost, "/v1/turns/"+string(turn)+"/stop", nil)
		go func() { hungUp <- w.do(r).err }()
		synctest.Wait()
		hangUp()
		if err := <-hungUp; err == nil {
			s.t.Error("it should have been cut off: the tool does not listen")
		}
		if r := s.ended(turn); r.End != bellcord.EndStopped || r.Cause.By != by.By {
			s.t.Errorf("ended %s by %+v", r.End, r.Cause)
		}
	})
}
