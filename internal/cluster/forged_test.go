package cluster_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/cluster"
)

// attacker is connected to the nodes' NATS server and does not have their key.
type attacker struct {
	*voice
}

func (s *stage) attacker() attacker {
	s.t.Helper()
	return attacker{newVoice(s.t, s.url, newSigner(s.t, make([]byte, cluster.LeastKey), "attacker", time.Now))}
}

func (a attacker) publish(subject string, data []byte) {
	a.t.Helper()
	if err := a.conn.Publish(subject, data); err != nil {
		a.t.Fatal(err)
	}
}

// forgeries returns the ways to create a message without the key. captured is
// a valid message for another subject.
func (a attacker) forgeries(captured []byte) map[string]func(subject string, payload []byte) []byte {
	return map[string]func(string, []byte) []byte{
		"without a signature": func(_ string, payload []byte) []byte { return payload },
		"empty":               func(string, []byte) []byte { return nil },
		"with another key":    a.signs.Sign,
		"for another subject": func(string, []byte) []byte { return captured },
		"with the signature of another payload": func(_ string, payload []byte) []byte {
			const envelope = 58 // without the node's id, which follows its length
			head := captured[:envelope+int(captured[envelope-1])]
			return append(append([]byte{}, head...), payload...)
		},
	}
}

func encode(t *testing.T, what any) []byte {
	t.Helper()
	data, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (n *node) refused() (all uint64) {
	for _, count := range n.bus.Refused() {
		all += count
	}
	return all
}

func TestBus_ForgedMessages_AreRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session, asking := settledAt(b, a), b.session()
	turn, question := b.runs(session, "hang"), b.runs(asking, "ask may it run?")
	until(t, "it has asked", func() bool { return b.count(asking, question, "question_opened") == 1 })
	viewer := a.watch(session)
	defer viewer.Close()
	until(t, "b knows that a watches", func() bool { return b.bus.Elsewhere(session) })
	attacker := s.attacker()
	captured := s.signer("captured").Sign("bellcord.elsewhere", []byte(`{}`))
	control, forged := prefix+".node."+b.id+".ctl", bellcord.NewTurnID()
	last := b.events(session)
	event := last[len(last)-1]
	event.Seq, event.Body = event.Seq+1, bellcord.TextDelta{Text: "forged"}
	sent := uint64(0)
	for _, forge := range attacker.forgeries(captured) {
		for _, message := range []struct {
			subject string
			reply   string
			what    any
		}{
			{prefix + ".all", "", map[string]any{"from": a.id, "stop": bellcord.StopTurn(turn, by)}},
			{prefix + ".all", "", map[string]any{"from": a.id, "stop": bellcord.StopRequest{Everywhere: true, Cause: bellcord.Cause{Kind: bellcord.CausePerson, At: time.Now()}}}},
			{prefix + ".all", "", map[string]any{"from": a.id, "deleted": session}},
			{control, "_INBOX.attacker", map[string]any{"verb": "prompt", "session": session, "turn": forged, "prompt": bellcord.Prompt{Text: "say forged"}}},
			{control, "_INBOX.attacker", map[string]any{"verb": "answer", "turn": question, "question": "q", "choice": "yes", "by": "anna"}},
			{control, "_INBOX.attacker", map[string]any{"verb": "configure", "session": asking, "change": map[string]any{"mode": "full"}}},
			{prefix + ".node." + a.id + ".ev", "", []bellcord.Event{event}},
		} {
			data := forge(message.subject, encode(t, message.what))
			if err := attacker.conn.PublishRequest(message.subject, message.reply, data); message.reply != "" && err != nil {
				t.Fatal(err)
			} else if message.reply == "" {
				attacker.publish(message.subject, data)
			}
			sent++
			if message.subject == prefix+".all" {
				sent++ // to both nodes
			}
		}
	}
	until(t, "all of it was refused", func() bool { return a.refused()+b.refused() == sent })
	if why := b.causeOf(turn); why != nil {
		t.Errorf("a forged stop ended a turn: %v", why)
	}
	if b.count(asking, question, "question_answered") > 0 {
		t.Error("a forged answer was taken")
	}
	if r, err := b.Turn(inTime(t), forged); err == nil {
		t.Errorf("a forged prompt was accepted: %+v", r)
	}
	if got, err := b.Session(inTime(t), asking); err != nil || got.Mode == "full" {
		t.Errorf("the session is %+v, %v", got, err)
	}

	if err := a.Answer(question, "q", bellcord.Reply{Choice: "yes"}, "anna"); err != nil {
		t.Errorf("a true answer: %v", err)
	}
	if r := a.settles(bellcord.StopTurn(turn, by)); r.End != bellcord.EndStopped {
		t.Errorf("a true stop: %+v", r)
	}
	next := a.prompt(session, "say true")
	if r := b.record(next); r.Node != b.id || r.Receipt.End != bellcord.EndDone {
		t.Errorf("a true prompt: %+v at %s", r.Receipt, r.Node)
	}
	inOrder(t, read(t, viewer, next), b.events(session))
}

// impostor replies to requests to a node that does not exist.
func (s *bubble) impostor(node string, reply func(*nats.Msg) [][]byte) (leave func()) {
	s.t.Helper()
	sub, err := s.voice().conn.Subscribe(prefix+".node."+node+".ctl", func(m *nats.Msg) {
		for _, data := range reply(m) {
			_ = m.Respond(data)
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
	synctest.Wait()
	return func() { _ = sub.Unsubscribe() }
}

func TestBus_ForgedReply_DoesNotReplaceTheRealOne(t *testing.T) {
	inABubble(t, func(t *testing.T, s *bubble) {
		a := s.join()
		session, claimed := a.session(), bellcord.NewTurnID()
		s.home[session] = "deaf"
		payload := []byte(`{"turn":"` + string(claimed) + `"}`)
		truly, other := newSigner(t, bubbleKey, "deaf", time.Now), newSigner(t, make([]byte, cluster.LeastKey), "deaf", time.Now)
		forged := func(m *nats.Msg) [][]byte {
			return [][]byte{payload, {}, other.Answer(m.Data, payload), truly.Sign(m.Reply, payload), m.Data}
		}
		for name, reply := range map[string]func(*nats.Msg) [][]byte{
			"forged":            forged,
			"to another prompt": func(*nats.Msg) [][]byte { return [][]byte{truly.Answer(truly.Sign("x", nil), payload)} },
		} {
			before := a.refused()
			leave := s.impostor("deaf", reply)
			id := a.prompt(session, "say hello")
			leave()
			if r := a.record(id); id == claimed || r.Receipt.End != bellcord.EndDone {
				t.Errorf("%s: accepted as %s, %+v", name, id, r.Receipt)
			}
			if a.refused() == before {
				t.Errorf("%s: no refusal is counted", name)
			}
		}
		leave := s.impostor("deaf", func(m *nats.Msg) [][]byte {
			return append(forged(m), truly.Answer(m.Data, payload))
		})
		defer leave()
		if id := a.prompt(session, "say hello"); id != claimed {
			t.Errorf("the true reply behind forged ones is not taken: %s", id)
		}
	})
}
