package cluster_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
)

// Not parallel: it counts the goroutines of the process.
func TestLaw18_NodeThatLeft_LeavesNoGoroutines(t *testing.T) {
	home := place(t)
	for name, trouble := range map[string]func(*stage){
		"with NATS":       func(*stage) {},
		"with NATS lost":  func(s *stage) { s.nats.Shutdown() },
		"with NATS never": func(s *stage) { s.nats.Shutdown(); s.url = "nats://127.0.0.1:1" },
	} {
		base := runtime.NumGoroutine()
		s := &stage{t: t, place: home, nats: serve(t, server.Options{})}
		s.url = s.nats.ClientURL()
		if name == "with NATS never" {
			trouble(s)
		}
		often := func(with *setup) { with.hub.Sweep = 50 * time.Millisecond }
		a, b := s.join(often), s.join(often)
		session := b.session()
		viewer := a.watch(session)
		for range 5 {
			a.settles(bellcord.StopTurn(b.runs(session, "hang"), by))
		}
		if name == "with NATS lost" {
			trouble(s)
		}
		a.settles(bellcord.StopTurn(b.runs(session, "hang"), by))
		viewer.Close()
		a.leave()
		b.leave()
		s.nats.Shutdown()
		s.nats.WaitForShutdown()
		until(t, name+": all goroutines are gone", func() bool { return runtime.NumGoroutine() <= base })
	}
}

// Leaving does not wait for a network that hangs. The connection gives up much
// later.
func TestLeave_ConnectionHangs_DoesNotWait(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	address, network := through(t, s.nats.Addr().String())
	a := s.join(func(with *setup) {
		with.URLs, with.Options = "nats://"+address, []nats.Option{nats.PingInterval(2 * patient), nats.FlusherTimeout(2 * patient)}
	})
	until(t, "it is connected", func() bool { return !a.bus.Elsewhere(bellcord.NewSessionID()) })
	network.freeze() // until the test ends
	began := time.Now()
	a.leave()
	if took := time.Since(began); took > patient {
		t.Errorf("it took %v", took)
	}
}
