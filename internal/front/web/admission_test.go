package web_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/web"
)

// view opens a stream and returns the response and a function that closes it.
// The end of the test closes it too.
func (s *stage) view(user, path string) (*http.Response, func()) {
	s.t.Helper()
	resp, err := s.client.Do(s.request(user, "GET", path+"/events", nil))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp, func() { _ = resp.Body.Close() }
}

// neverRefused sends requests that admission limits do not affect: stops,
// reading a turn, and health.
func (s *stage) neverRefused(user string, turn bellcord.TurnID) {
	s.t.Helper()
	s.roundTrip("", "GET", "/healthz", nil).is(200)
	s.roundTrip(user, "GET", "/v1/turns/"+string(turn), nil).is(200)
	s.roundTrip(user, "POST", "/v1/turns/"+string(turn)+"/stop", nil).is(200)
	s.roundTrip(user, "POST", "/v1/stop", nil).is(200)
}

func TestViewers_AtTheLimit_AreRefusedUntilOthersLeave(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.MostViewers = &web.Bounds{All: 3, PerOwner: 2} })
	annas, _ := s.session("anna")
	berts, _ := s.session("bert")
	turn := s.prompt("anna", annas, "hang on").ID
	var closes func()
	for range 2 {
		var resp *http.Response
		if resp, closes = s.view("anna", annas); resp.StatusCode != http.StatusOK {
			t.Fatal(resp.StatusCode)
		}
	}
	if resp, _ := s.view("anna", annas); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("anna's third: %d, %v", resp.StatusCode, resp.Header)
	}
	if resp, _ := s.view("bert", berts); resp.StatusCode != http.StatusOK {
		t.Errorf("bert's first: %d", resp.StatusCode)
	}
	if resp, _ := s.view("bert", berts); resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("one more than the server takes: %d, %v", resp.StatusCode, resp.Header)
	}
	s.roundTrip("", "GET", "/readyz", nil).is(200)
	s.neverRefused("anna", turn)
	closes()
	s.eventually("a viewer's place stays taken", func() bool {
		resp, closes := s.view("anna", annas)
		defer closes()
		return resp.StatusCode == http.StatusOK
	})
}

func TestMemory_AboveItsLimit_RefusesTurnsAndViewersButNoStop(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	s := newStage(t, func(with *setup) { with.MemoryFull = full.Load })
	path, _ := s.session("anna")
	turn := s.prompt("anna", path, "hang on").ID
	full.Store(true)
	a := s.roundTrip("anna", "POST", path+"/turns", `{"text":"say hi"}`)
	a.isA(503, "overloaded")
	if a.header.Get("Retry-After") == "" {
		t.Error("it has no Retry-After")
	}
	s.roundTrip("anna", "GET", path+"/events", nil).isA(503, "overloaded")
	s.neverRefused("anna", turn)
	full.Store(false)
	s.prompt("anna", path, "say hi")
}
