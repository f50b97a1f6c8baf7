package cluster_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/cluster"
)

// captured returns the messages to a subject that a voice has received.
func (v *voice) captured(subject string) (found []*nats.Msg) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, m := range v.received {
		if m.Subject == subject {
			found = append(found, m)
		}
	}
	return found
}

func (n *node) title(session bellcord.SessionID, title string) {
	n.t.Helper()
	if _, err := n.Configure(session, bellcord.SessionUpdated{Title: title}); err != nil {
		n.t.Fatal(err)
	}
}

func TestBus_ReplayedMessages_AreRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	attacker := s.attacker()
	session := settledAt(b, a)
	control := prefix + ".node." + b.id + ".ctl"
	before := len(attacker.captured(control))
	a.title(session, "first")
	until(t, "the request was captured", func() bool { return len(attacker.captured(control)) > before })
	first := attacker.captured(control)[before]
	a.title(session, "second")
	stopped := b.runs(session, "hang")
	a.settles(bellcord.StopTurn(stopped, by))
	until(t, "the stop was captured", func() bool { return len(attacker.captured(prefix+".all")) > 0 })

	all := attacker.captured(prefix + ".all")
	refused := func() uint64 { return b.bus.Refused()["replayed"] }
	was := refused()
	for range 3 {
		if err := attacker.conn.PublishRequest(control, "_INBOX.attacker", first.Data); err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			attacker.publish(m.Subject, m.Data)
		}
	}
	until(t, "all of it was refused", func() bool { return refused() == was+3*uint64(1+len(all)) })
	if got, err := b.Session(inTime(t), session); err != nil || got.Title != "second" {
		t.Errorf("the title is %q, %v", got.Title, err)
	}
	until(t, "a node refuses its own messages that come back", func() bool { return a.bus.Refused()["replayed"] == 3*uint64(len(all)) })
	signature := a.bus.Refused()["signature"]
	if err := attacker.conn.PublishRequest(prefix+".node."+a.id+".ctl", "_INBOX.attacker", first.Data); err != nil {
		t.Fatal(err)
	}
	until(t, "it is refused at another node", func() bool { return a.bus.Refused()["signature"] == signature+1 })
}

// A stream is only dropped when its messages are too old.
func TestBus_ReplayAfterTheWindow_IsRefused(t *testing.T) {
	inABubble(t, func(t *testing.T, s *bubble) {
		a, b := s.join(), s.join()
		session := b.session()
		s.home[session] = b.id
		hears := s.voice()
		control := prefix + ".node." + b.id + ".ctl"
		a.title(session, "first")
		synctest.Wait()
		first := hears.captured(control)[0]
		a.title(session, "second")
		for _, wait := range []time.Duration{cluster.Window, time.Second, cluster.Window, cluster.Window, time.Hour} {
			pass(wait)
			if err := hears.conn.PublishRequest(control, "_INBOX.attacker", first.Data); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if got, err := b.Session(inTime(t), session); err != nil || got.Title != "second" {
				t.Fatalf("%v later the title is %q, %v", wait, got.Title, err)
			}
		}
		if all := b.bus.Refused(); all["replayed"] == 0 || all["time"] == 0 {
			t.Errorf("refused: %v", all)
		}
	})
}

func TestBus_ClocksDiffer_LogsTheDifferenceAndStopsThroughTheStore(t *testing.T) {
	inABubble(t, func(t *testing.T, s *bubble) {
		sweeps := func(with *setup) { with.hub.Sweep = 500 * time.Millisecond }
		ahead := func(with *setup) {
			with.Now = func() time.Time { return time.Now().Add(cluster.Window + 12*time.Second) }
		}
		a, b := s.join(sweeps, ahead), s.join(sweeps)
		session := b.session()
		s.home[session] = b.id
		turn := b.prompt(session, "hang")
		synctest.Wait()
		began := time.Now()
		if r := a.settles(bellcord.StopTurn(turn, by)); r.End != bellcord.EndStopped {
			t.Errorf("%+v", r)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the stop took %v", took)
		}
		if lines := b.log.lines("42s ahead"); len(lines) != 1 || !strings.Contains(lines[0], a.id) {
			t.Errorf("the log says %q", lines)
		}
		began = time.Now()
		a.record(a.prompt(session, "say hello"))
		if took := time.Since(began); took > time.Second { // the home node refuses it immediately
			t.Errorf("the prompt took %v", took)
		}
		if b.bus.Refused()["time"] == 0 || b.bus.Refused()["signature"] > 0 {
			t.Errorf("refused: %v", b.bus.Refused())
		}
	})
}

// A stop is also recorded in the store: nodes that refuse each other's
// messages find it there.
func TestLaw32_NodesWithDifferentKeys_StopThroughTheStore(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	often := func(with *setup) { with.hub.Sweep = 100 * time.Millisecond }
	a, b := s.join(often), s.join(often, func(with *setup) { with.SigningKey = []byte(strings.Repeat("k", cluster.LeastKey)) })
	session := b.session()
	for name, scope := range map[string]bellcord.StopRequest{
		"a turn":     {},
		"a session":  everywhere(bellcord.StopSession(session, by)),
		"everything": everywhere(bellcord.StopAll(by)),
	} {
		turn := b.runs(session, "hang")
		if name == "a turn" {
			scope.Turn = turn
		}
		if r := a.settles(scope); r.End != bellcord.EndStopped || !same(t, r, b.record(turn).Receipt) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if b.bus.Refused()["signature"] == 0 {
		t.Error("no message was refused")
	}
}

func TestBus_ManyForgedMessages_AreLoggedOnceAMinute(t *testing.T) {
	inABubble(t, func(t *testing.T, s *bubble) {
		a := s.join()
		hears := s.voice()
		flood := func() {
			for range 1000 {
				if err := hears.conn.Publish(prefix+".all", []byte("nonsense")); err != nil {
					t.Fatal(err)
				}
			}
			hears.flush()
			synctest.Wait()
		}
		flood()
		if lines := a.log.lines("refused"); len(lines) != 1 {
			t.Errorf("%d lines", len(lines))
		}
		pass(time.Minute)
		flood()
		if lines := a.log.lines("refused"); len(lines) != 2 || !strings.Contains(lines[1], "count=1000") {
			t.Errorf("then: %q", lines)
		}
		if got := a.bus.Refused()["unsigned"]; got != 2000 {
			t.Errorf("%d are counted", got)
		}
	})
}

func TestReceived_NumbersInAnyOrder_AreNewOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		chance := rand.New(rand.NewPCG(seed, 1))
		var r cluster.Received
		had, highest := map[uint64]bool{}, uint64(0)
		for range 20_000 {
			var number uint64
			switch chance.IntN(10) {
			case 0:
				number = highest + 1 + chance.Uint64N(2*cluster.Memory)
			case 1, 2, 3:
				number = highest + 1
			default:
				number = 1 + chance.Uint64N(highest+3)
			}
			late := number+cluster.Memory <= highest
			if is := r.Add(number); is != (!had[number] && !late) {
				t.Fatalf("seed %d: %d behind %d is new: %v", seed, number, highest, is)
			}
			had[number], highest = true, max(highest, number)
		}
	}
	var r cluster.Received
	if r.Add(0) || !r.Add(1<<63) || r.Add(1<<63) || r.Add(1) {
		t.Error("an odd number is taken")
	}
}
