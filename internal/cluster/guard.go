package cluster

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Window is how far a message's time may be from the receiver's, in both
// directions. Config.Now gives both times. With the store's clock there, the
// clocks of the machines may differ by any amount.
const Window = 30 * time.Second

var (
	errTime     = errors.New("the message's time differs too much from this node's clock")
	errReplayed = errors.New("the message was already received")
)

// reasons are the errors for which messages are refused, and their names in
// metrics.
var reasons = []struct {
	name string
	err  error
}{{"unsigned", errUnsigned}, {"signature", errSignature}, {"time", errTime}, {"replayed", errReplayed}}

// logEvery is how often each reason is logged at most.
const logEvery = time.Minute

// guard decides which messages are accepted. One that is refused is dropped.
// Nothing is lost by that: what it carries is in the store too, or is about to be.
type guard struct {
	*signature
	self   string
	now    func() time.Time
	logger *slog.Logger

	mu      sync.Mutex
	streams map[stream]*received
	refused map[string]*refusals // by the reason's name
}

// stream identifies a connection of a node that numbers its messages.
type stream struct {
	node   string
	random uint64
}

type refusals struct {
	all      uint64
	unlogged uint64
	logged   time.Time
}

func newGuard(s *signature, c Config) *guard {
	g := &guard{
		signature: s, self: c.Directory.NodeID(), now: c.Now, logger: c.Logger,
		streams: map[stream]*received{}, refused: map[string]*refusals{},
	}
	for _, r := range reasons {
		g.refused[r.name] = &refusals{}
	}
	return g
}

// accept returns a message that was sent to a subject, if its signature is right,
// its time is within the window and it was not received before. A message that is
// only too old or too new is returned with its error.
func (g *guard) accept(subject string, data []byte) (message, error) {
	m, err := g.open(toSubject, subject, data)
	if err != nil {
		return m, g.refuse(err, "subject", subject)
	}
	if ahead := m.at.Sub(g.now()); ahead.Abs() > Window {
		return m, g.refuse(errTime, "subject", subject, "node", m.node, "difference", describe(ahead))
	}
	if m.node == g.self || !g.first(m) {
		return m, g.refuse(errReplayed, "subject", subject, "node", m.node)
	}
	return m, nil
}

// acceptReply returns the payload of a reply to the request with the given
// signature. The request was new, and that is enough for the reply's age.
func (g *guard) acceptReply(request string, data []byte) ([]byte, error) {
	m, err := g.open(toRequest, request, data)
	if err != nil {
		return nil, g.refuse(err, "subject", "reply")
	}
	return m.payload, nil
}

func describe(ahead time.Duration) string {
	if ahead < 0 {
		return fmt.Sprintf("%v behind", ahead.Abs().Round(time.Millisecond))
	}
	return fmt.Sprintf("%v ahead", ahead.Round(time.Millisecond))
}

// first reports whether a message is received for the first time, and records it.
func (g *guard) first(m message) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	from := stream{m.node, m.stream}
	r := g.streams[from]
	if r == nil {
		r = &received{}
		g.streams[from] = r
	}
	r.last = time.Now()
	return r.recordNumber(m.number)
}

// dropOldStreams drops the streams of which every message is outside the window by now.
func (g *guard) dropOldStreams(now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for from, r := range g.streams {
		if now.Sub(r.last) > 2*Window+time.Second {
			delete(g.streams, from)
		}
	}
}

// refuse counts a refusal and returns its reason. It logs each reason at most
// once in logEvery.
func (g *guard) refuse(err error, args ...any) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range reasons {
		if !errors.Is(err, r.err) {
			continue
		}
		count := g.refused[r.name]
		count.all++
		count.unlogged++
		if now := time.Now(); count.logged.IsZero() || now.Sub(count.logged) >= logEvery {
			g.logger.Warn("refused a message from NATS", append(args, "reason", r.name, "err", err, "count", count.unlogged)...)
			count.unlogged, count.logged = 0, now
		}
	}
	return err
}

// Refused returns how many messages this node has refused, by reason.
func (b *Bus) Refused() map[string]uint64 {
	b.guard.mu.Lock()
	defer b.guard.mu.Unlock()
	all := map[string]uint64{}
	for name, r := range b.guard.refused {
		all[name] = r.all
	}
	return all
}
