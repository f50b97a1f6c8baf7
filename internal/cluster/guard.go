package cluster

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Window is the maximum difference between a message's time and the
// receiver's, in both directions. Both are times of Config.Now. If that is the
// store's clock, the clocks of the machines may differ by any amount.
const Window = 30 * time.Second

var (
	errTime     = errors.New("the message's time differs too much from this node's clock")
	errReplayed = errors.New("the message was already received")
)

// reasons contains the errors for which messages are refused, with their names
// in metrics.
var reasons = []struct {
	name string
	err  error
}{{"unsigned", errUnsigned}, {"signature", errSignature}, {"time", errTime}, {"replayed", errReplayed}}

// logEvery is the minimum time between two log lines for the same reason.
const logEvery = time.Minute

// guard decides which messages are accepted. Refused messages are dropped.
// Nothing is lost: their content is in the store, or will be soon.
type guard struct {
	*signature
	self   string
	now    func() time.Time
	logger *slog.Logger

	mu      sync.Mutex
	streams map[stream]*received
	refused map[string]*refusals // by the reason's name
}

// stream identifies a connection of a node. Messages are numbered per stream.
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

// accept returns a message that was sent to a subject, if its signature is
// valid, its time is within the window and it was not received before. A
// message with a valid signature is returned with its error.
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
// signature. The reply's age is not checked, because the request was new.
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

// dropOldStreams removes the streams that only have messages outside the
// window.
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
// once per logEvery.
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

// Refused returns the number of messages that this node has refused, by
// reason.
func (b *Bus) Refused() map[string]uint64 {
	b.guard.mu.Lock()
	defer b.guard.mu.Unlock()
	all := map[string]uint64{}
	for name, r := range b.guard.refused {
		all[name] = r.all
	}
	return all
}
