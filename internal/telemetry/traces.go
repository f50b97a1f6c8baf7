package telemetry

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Limits of the memory that traces use.
const (
	mostNotes = 8192 // queued events
	mostOpen  = 4096 // turns that have not ended
)

// Traces exports one trace per turn, from the turn's events and with their
// times. NewTraces starts its goroutine, and Close ends it.
type Traces struct {
	tracer  trace.Tracer
	agentOf func(bellcord.SessionID) string
	notes   chan note
	dropped atomic.Int64

	closeOnce sync.Once
	closing   chan struct{}
	closed    chan struct{}

	// Only used by the goroutine.
	open  map[bellcord.TurnID]*list.Element
	order *list.List // contains *turnTrace, oldest first
}

// note is the part of an event that a trace needs.
type note struct {
	session bellcord.SessionID
	turn    bellcord.TurnID
	at      time.Time
	body    bellcord.Body
}

// NewTraces exports turns to the tracer. Its provider should use IDs as its id
// generator. agentOf returns the name of a session's agent; it may query the
// store. If it is nil or returns "", the agent is Bellcord's.
func NewTraces(tracer trace.Tracer, agentOf func(bellcord.SessionID) string) *Traces {
	t := &Traces{
		tracer: tracer, agentOf: agentOf,
		notes:   make(chan note, mostNotes),
		closing: make(chan struct{}),
		closed:  make(chan struct{}),
		open:    map[bellcord.TurnID]*list.Element{},
		order:   list.New(),
	}
	go t.exportAll()
	return t
}

// Watch queues the events of a commit for traces. It never blocks: if the
// queue is full, events are dropped and counted.
func (t *Traces) Watch(c store.Commit) {
	for _, ev := range c.Events {
		body := wordless(ev.Body)
		if body == nil || ev.Turn == "" {
			continue
		}
		select {
		case t.notes <- note{ev.Session, ev.Turn, ev.Time, body}:
		default:
			t.dropped.Add(1)
		}
	}
}

// Dropped returns the number of events that are missing in traces because the
// queue was full.
func (t *Traces) Dropped() int64 { return t.dropped.Load() }

// Register adds the number of dropped events to the metrics. It returns an
// error if it is called twice with the same registry.
func (t *Traces) Register(reg prometheus.Registerer) error {
	return reg.Register(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "bellcord_trace_events_dropped_total",
		Help: "Events missing from traces because too many arrived at once.",
	}, func() float64 { return float64(t.Dropped()) }))
}

// Close processes the queued events and ends the goroutine. If ctx ends first,
// it returns the error of ctx, and the goroutine ends later. Close the hub
// first: events that are committed later are not traced.
func (t *Traces) Close(ctx context.Context) error {
	t.closeOnce.Do(func() { close(t.closing) })
	select {
	case <-t.closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *Traces) exportAll() {
	defer close(t.closed)
	for {
		select {
		case n := <-t.notes:
			t.addNote(n)
		case <-t.closing:
			for {
				select {
				case n := <-t.notes:
					t.addNote(n)
				default:
					return
				}
			}
		}
	}
}

// addNote adds a note to its turn's trace. If the trace was not opened here,
// because the turn's process died or the trace was dropped, the end is traced
// from the receipt alone.
func (t *Traces) addNote(n note) {
	element := t.open[n.turn]
	switch b := n.body.(type) {
	case bellcord.TurnAccepted:
		if element == nil {
			t.openTrace(n, n.at)
		}
		return
	case bellcord.TurnEnded:
		if element == nil {
			element = t.openTrace(n, b.Receipt.Times.Accepted)
			element.Value.(*turnTrace).startedAt(b.Receipt.Times.Started)
		}
		element.Value.(*turnTrace).endTrace(n.at, b.Receipt)
		t.removeTurn(element)
		return
	}
	if element != nil {
		element.Value.(*turnTrace).addBody(n.at, n.body)
	}
}

// openTrace opens a turn's trace. If there are too many turns, the oldest
// trace is dropped: another process may have taken the turn over and will
// record its end.
func (t *Traces) openTrace(n note, accepted time.Time) *list.Element {
	if t.order.Len() >= mostOpen {
		t.removeTurn(t.order.Front())
	}
	agent := ""
	if t.agentOf != nil {
		agent = t.agentOf(n.session)
	}
	element := t.order.PushBack(newTurnTrace(t.tracer, n, accepted, agent))
	t.open[n.turn] = element
	return element
}

// removeTurn drops a turn. A span that has not ended is not exported.
func (t *Traces) removeTurn(element *list.Element) {
	delete(t.open, element.Value.(*turnTrace).turn)
	t.order.Remove(element)
}
