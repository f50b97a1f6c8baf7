package web_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// pass lets time pass in a synctest bubble and waits for all goroutines.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// hangs starts a turn that runs until it is stopped.
func (s *stage) hangs(path, onDisconnect string) bellcord.TurnID {
	s.t.Helper()
	return s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "hang on", OnDisconnect: onDisconnect}).is(202).turn().ID
}

func (s *stage) state(id bellcord.TurnID) api.TurnState {
	s.t.Helper()
	return s.roundTrip("anna", "GET", "/v1/turns/"+string(id), nil).is(200).turn().State
}

func TestLaw34_StopOnDisconnect_StopsAfterTenSecondsWithoutViewers(t *testing.T) {
	t.Parallel()
	inABubble(t, func(s *stage) {
		path, _ := s.session("anna")
		v, second := s.watch("anna", path, ""), s.watch("anna", path, "")
		go v.rest()
		go second.rest()
		turn := s.hangs(path, "stop")
		pass(time.Minute)
		v.leave()
		pass(time.Minute)
		if state := s.state(turn); state != api.Running {
			s.t.Fatalf("with a viewer left it is %s", state)
		}
		left := time.Now()
		second.leave()
		r := s.ended("anna", turn)
		if r.End != bellcord.EndStopped || r.Cause.Kind != bellcord.CauseDisconnect || r.Cause.Source != "http" {
			s.t.Errorf("%+v", r)
		}
		if after := r.Times.StopRequested.Sub(left); after != 10*time.Second {
			s.t.Errorf("it was stopped after %v", after)
		}
	})
}

func TestLaw34_StopOnDisconnectNeverWatched_IsStopped(t *testing.T) {
	t.Parallel()
	inABubble(t, func(s *stage) {
		path, _ := s.session("anna")
		began := time.Now()
		if r := s.ended("anna", s.hangs(path, "stop")); r.Cause.Kind != bellcord.CauseDisconnect || r.Times.StopRequested.Sub(began) != 10*time.Second {
			s.t.Errorf("%+v", r)
		}
	})
}

func TestLaw34_ViewerReconnectsInTime_StopsNothing(t *testing.T) {
	t.Parallel()
	inABubble(t, func(s *stage) {
		path, _ := s.session("anna")
		v := s.watch("anna", path, "")
		go v.rest()
		turn := s.hangs(path, "stop")
		for range 5 {
			pass(time.Minute)
			v.leave()
			pass(9900 * time.Millisecond)
			v = s.watch("anna", path, "")
			go v.rest()
		}
		pass(time.Minute)
		if state := s.state(turn); state != api.Running {
			s.t.Errorf("it is %s", state)
		}
	})
}

func TestLaw34_ViewerLeavesAgain_RestartsTheTenSeconds(t *testing.T) {
	t.Parallel()
	inABubble(t, func(s *stage) {
		path, _ := s.session("anna")
		turn := s.hangs(path, "stop")
		pass(5 * time.Second)
		v := s.watch("anna", path, "")
		go v.rest()
		pass(time.Second)
		left := time.Now()
		v.leave()
		if r := s.ended("anna", turn); r.Cause.Kind != bellcord.CauseDisconnect || r.Times.StopRequested.Sub(left) != 10*time.Second {
			s.t.Errorf("after %v: %+v", r.Times.StopRequested.Sub(left), r)
		}
	})
}

func TestLaw34_ContinueOnDisconnect_RunsWithoutViewers(t *testing.T) {
	t.Parallel()
	inABubble(t, func(s *stage) {
		for _, choice := range []string{"", "continue"} {
			path, _ := s.session("anna")
			v := s.watch("anna", path, "")
			go v.rest()
			turn := s.hangs(path, choice)
			pass(time.Second)
			v.leave()
			pass(3 * time.Minute)
			if state := s.state(turn); state != api.Running {
				s.t.Errorf("with %q it is %s", choice, state)
			}
		}
	})
}

// Of two turns in one session, only the one with StopOnDisconnect is
// stopped.
func TestLaw34_Disconnect_StopsNoOtherTurn(t *testing.T) {
	t.Parallel()
	inABubble(t, func(s *stage) {
		path, _ := s.session("anna")
		runs, waits := s.hangs(path, ""), s.hangs(path, "stop")
		if r := s.ended("anna", waits); r.Cause.Kind != bellcord.CauseDisconnect || !r.Times.Started.IsZero() {
			s.t.Errorf("%+v", r)
		}
		if state := s.state(runs); state != api.Running {
			s.t.Errorf("the other one is %s", state)
		}
	})
}
