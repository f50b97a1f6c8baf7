package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// Bus connects a node with the other nodes. It implements hub.Peers, and
// Committed is used as hub.Options.Watch. None of these methods waits for the
// network. Messages from other nodes are received after Join.
type Bus struct {
	config  Config
	self    string
	logger  *slog.Logger
	control *nats.Conn // for stops and requests: they never wait behind events
	events  *nats.Conn
	out     outbox // messages for the control connection
	frames  frames
	watches watches

	guard         *guard
	controlSender *sender
	eventsSender  *sender
	requests      requests

	quit  chan struct{}
	still sync.WaitGroup
}

var _ hub.Peers = (*Bus)(nil)

// Dial connects to NATS. If NATS cannot be reached, Dial succeeds, and the
// connection is retried in the background; until then, the node uses only the
// store. Invalid settings and an exposed server are errors.
func Dial(c Config) (*Bus, error) {
	c = c.withDefaults()
	if err := c.CheckServers(context.Background()); err != nil {
		return nil, err
	}
	b := &Bus{config: c, self: c.Directory.NodeID(), logger: c.Logger, quit: make(chan struct{})}
	if err := b.prepareSigning(); err != nil {
		return nil, err
	}
	b.out.wake, b.frames.wake = make(chan struct{}, 1), make(chan struct{}, 1)
	b.watches.local, b.watches.remote = map[bellcord.SessionID]crowd{}, map[uint64]map[string]interest{}
	var err error
	if b.control, err = c.dial("control", b.greet); err != nil {
		return nil, err
	}
	if b.events, err = c.dial("events", func() {}); err != nil {
		b.control.Close()
		return nil, err
	}
	if err := b.listenForReplies(); err != nil {
		b.control.Close()
		b.events.Close()
		return nil, err
	}
	b.still.Go(b.sendControl)
	b.still.Go(b.sendFrames)
	b.still.Go(b.renewWatches)
	return b, nil
}

// prepareSigning creates the signers of this node's messages and the guard for
// received ones.
func (b *Bus) prepareSigning() error {
	s, err := newSignature(b.config.SigningKey)
	if err != nil {
		return err
	}
	b.guard = newGuard(s, b.config)
	if b.controlSender, err = newSender(s, b.self, b.config.Now); err != nil {
		return err
	}
	b.eventsSender, err = newSender(s, b.self, b.config.Now)
	return err
}

// Close sends the waiting messages, including the last ends of turns, and
// closes the connections. It must be called once.
func (b *Bus) Close() {
	close(b.quit)
	b.still.Wait()
	ctx, done := context.WithTimeout(context.Background(), writeTimeout)
	defer done()
	for _, conn := range []*nats.Conn{b.control, b.events} {
		if conn.IsConnected() {
			_ = conn.FlushWithContext(ctx) // best effort: the store contains everything
		}
		conn.Close()
	}
}

func (b *Bus) everybody() string            { return b.config.Prefix + ".all" }
func (b *Bus) controlOf(node string) string { return b.config.Prefix + ".node." + node + ".ctl" }

func (b *Bus) eventsFor(node string) string { return b.config.Prefix + ".node." + node + ".ev" }

func (b *Bus) connected() bool                        { return b.control.IsConnected() && b.events.IsConnected() }
func (b *Bus) publishNotice(subject string, n notice) { b.out.put(subject, n) }

// notice is a message to other nodes without a reply. Exactly one field is
// set. The sender is in the message's signature.
type notice struct {
	Stop    *bellcord.StopRequest `json:"stop,omitempty"`
	Views   []uint64              `json:"views,omitempty"`  // hashes of sessions that are watched there
	Awaits  []uint64              `json:"awaits,omitempty"` // the same, where an end is waited for
	Hello   bool                  `json:"hello,omitempty"`  // the node has just connected and requests the watched sessions
	Idle    bellcord.TurnID       `json:"idle,omitempty"`   // no work of it remains
	Deleted bellcord.SessionID    `json:"deleted,omitempty"`
}

// outbox is a queue of messages to send, so that callers never wait for the
// network: a write to a stuck connection blocks.
type outbox struct {
	mu    sync.Mutex
	waits []outgoing
	wake  chan struct{}
}

type outgoing struct {
	subject string
	notice  notice
}

// mostNotices is the maximum number of queued messages. Further ones are
// dropped: the connection is stuck, and the store contains their content.
const mostNotices = 10_000

func (o *outbox) put(subject string, n notice) {
	o.mu.Lock()
	if len(o.waits) < mostNotices {
		o.waits = append(o.waits, outgoing{subject, n})
	}
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) takeOutgoing() []outgoing {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.waits
	o.waits = nil
	return all
}

func (b *Bus) sendControl() {
	for open := true; open; {
		select {
		case <-b.out.wake:
		case <-b.quit:
			open = false
		}
		for _, one := range b.out.takeOutgoing() {
			data, err := json.Marshal(one.notice)
			if err == nil {
				err = b.control.Publish(one.subject, b.controlSender.sign(one.subject, data))
			}
			if err != nil && !errors.Is(err, nats.ErrReconnectBufExceeded) { // not connected: that is already logged
				b.logger.Warn("cannot notify other nodes", "err", err)
			}
		}
	}
}
