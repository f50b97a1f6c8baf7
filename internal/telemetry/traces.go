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
)

// Bounds of what traces hold in memory.
const (
	mostNotes = 8192 // events that wait to be told
	mostOpen  = 4096 // turns that have not ended
)

// Traces makes one trace a turn, from the turn's events and with their times.
// NewTraces starts its one goroutine, Close ends it.
type Traces struct {
	tracer  trace.Tracer
	agentOf func(bellcord.SessionID) string
	notes   chan note
	dropped atomic.Int64

	closeOnce sync.Once
	closing   chan struct{}
	closed    chan struct{}

	// Of the goroutine alone.
	open  map[bellcord.TurnID]*list.Element
	order *list.List // of *turnTrace, the oldest first
}

// note is what a trace takes of an event.
type note struct {
	session bellcord.SessionID
	turn    bellcord.TurnID
	at      time.Time
	body    bellcord.Body
}

// NewTraces tells turns to the tracer, whose provider should make its ids with
// IDs. agentOf names a session's agent; it may ask the store, and where it is nil
// or has no name the agent is Bellcord's own.
func NewTraces(tracer trace.Tracer, agentOf func(bellcord.SessionID) string) *Traces {
	t := &Traces{
		tracer: tracer, agentOf: agentOf,
		notes:   make(chan note, mostNotes),
		closing: make(chan struct{}),
		closed:  make(chan struct{}),
		open:    map[bellcord.TurnID]*list.Element{},
		order:   list.New(),
	}
	go t.tellAll()
	return t
}

// Watch takes what a commit has for traces. It waits for nothing: where too
// much is waiting to be told, events are dropped and counted.
func (t *Traces) Watch(c bellcord.Commit) {
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

// Dropped counts the events that no trace has because too many came at once.
func (t *Traces) Dropped() int64 { return t.dropped.Load() }

// Register adds what was dropped to the metrics; a registry takes it once.
func (t *Traces) Register(reg prometheus.Registerer) error {
	return reg.Register(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "bellcord_trace_events_dropped_total",
		Help: "Events missing from traces because too many arrived at once.",
	}, func() float64 { return float64(t.Dropped()) }))
}

// Close tells what Watch has taken, as far as ctx allows, and ends the
// goroutine. Close the hub first: what it commits later is not told.
func (t *Traces) Close(ctx context.Context) error {
	t.closeOnce.Do(func() { close(t.closing) })
	select {
	case <-t.closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *Traces) tellAll() {
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

// addNote adds a note to its turn's trace. If the start of the turn is not
// known here, because its process died or the trace was dropped, the end is
// traced from the receipt alone.
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
