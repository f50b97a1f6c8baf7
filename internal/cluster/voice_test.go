package cluster_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/cluster"
)

// prefix is the default prefix of subjects.
const prefix = "bellcord"

// voice is a client of the bus with the nodes' key. It sends messages as a
// node would, or should not, and records all messages.
type voice struct {
	t     *testing.T
	conn  *nats.Conn
	signs cluster.Signer

	mu       sync.Mutex
	received []*nats.Msg
}

func (s *stage) voice(opts ...nats.Option) *voice {
	s.t.Helper()
	return newVoice(s.t, s.url, s.signer("voice"), opts...)
}

func newVoice(t *testing.T, url string, signs cluster.Signer, opts ...nats.Option) *voice {
	t.Helper()
	conn, err := nats.Connect(url, append(opts, nats.NoEcho())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	v := &voice{t: t, conn: conn, signs: signs}
	if _, err := conn.Subscribe(prefix+".>", v.receive); err != nil {
		t.Fatal(err)
	}
	v.flush()
	return v
}

func (v *voice) receive(m *nats.Msg) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.received = append(v.received, m)
}

// flush returns when the server has received all messages.
func (v *voice) flush() {
	v.t.Helper()
	if err := v.conn.FlushWithContext(inTime(v.t)); err != nil {
		v.t.Fatal(err)
	}
}

func (v *voice) publish(subject string, what any) {
	v.t.Helper()
	data, err := json.Marshal(what)
	if err != nil {
		v.t.Fatal(err)
	}
	if err := v.conn.Publish(subject, v.signs.Sign(subject, data)); err != nil {
		v.t.Fatal(err)
	}
}

// stop sends a stop to all nodes.
func (v *voice) stop(req bellcord.StopRequest) {
	v.t.Helper()
	v.publish(prefix+".all", map[string]any{"stop": req})
}

// show sends events to a node as a frame.
func (v *voice) show(node string, events ...bellcord.Event) {
	v.t.Helper()
	v.publish(prefix+".node."+node+".ev", events)
}

// answered returns after a node has processed all messages that were sent
// before.
func (v *voice) answered(node string) string {
	v.t.Helper()
	return v.request(node, map[string]any{"verb": "ping"})
}

func (v *voice) request(node string, what any) string {
	v.t.Helper()
	data, err := json.Marshal(what)
	if err != nil {
		v.t.Fatal(err)
	}
	subject := prefix + ".node." + node + ".ctl"
	request := v.signs.Sign(subject, data)
	m, err := v.conn.RequestWithContext(inTime(v.t), subject, request)
	if err != nil {
		v.t.Fatal(err)
	}
	answer, err := v.signs.OpenReply(request, m.Data)
	if err != nil {
		v.t.Fatal(err)
	}
	return string(answer)
}

// frames returns the number of received messages with events of a session, and
// the number of these events.
func (v *voice) frames(session bellcord.SessionID) (messages, events int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, m := range v.received {
		if !strings.HasSuffix(m.Subject, ".ev") {
			continue
		}
		data, err := v.signs.Open(m.Subject, m.Data)
		if err != nil {
			v.t.Errorf("a frame: %v", err)
		}
		var all []bellcord.Event
		if err := json.Unmarshal(data, &all); err != nil {
			v.t.Errorf("a frame is %q: %v", m.Data, err)
		}
		had := 0
		for _, ev := range all {
			if ev.Session == session {
				had++
			}
		}
		if had > 0 {
			messages, events = messages+1, events+had
		}
	}
	return messages, events
}

// countMessages returns the number of messages that were sent to a node.
func (v *voice) countMessages(node string) (n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, m := range v.received {
		if m.Subject == prefix+".node."+node+".ctl" {
			n++
		}
	}
	return n
}
