package hub

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub/internal/commitlog"
	"github.com/bellcord/bellcord/lifecycle"
)

// Hub schedules turns, one at a time per session. Every request enters here
// (Prompt, Stop, Answer, Drain); readers follow the log.
type Hub struct {
	agent     Agent
	store     bellcord.Store
	log       *commitlog.Log
	opts      Options
	logger    *slog.Logger
	loose     *commitlog.Journal // for what concerns no open session
	peers     Peers
	quit      chan struct{}
	closeOnce sync.Once
	closeErr  error
	fenced    chan struct{} // closed when this process was taken for dead
	swept     sync.WaitGroup
	unheard   bool // of the sweep: its last look failed
	runs      sync.WaitGroup

	// mu guards the fields below, the lines in them, and the fields of turns that
	// say so. It is held for map operations only, never during I/O; the path of an
	// event does not take it. Functions whose name ends in Locked need it held.
	//
	// Lock order: Hub.mu, then one of Turn.mu, journal.mu, Log.mu and health.mu.
	// None of those four is taken while another of them is held, and none of
	// their holders takes Hub.mu.
	mu       sync.Mutex
	sessions map[bellcord.SessionID]*line
	turns    map[bellcord.TurnID]*Turn
	early    map[promise]kept // stops whose turn has not come
	awaited  map[bellcord.TurnID]*awaited
	owned    map[string]int // turns, by owner
	draining bool
}

// promise is what an early stop names: a turn, of an owner's where it says so.
type promise struct {
	turn  bellcord.TurnID
	owner string
}

// kept is a stop that waits for its turn.
type kept struct {
	cause *bellcord.Cause
	until time.Time
}

// line is a session's turns: the running one and those that wait.
type line struct {
	session bellcord.Session
	journal *commitlog.Journal
	turns   []*Turn // in order of acceptance, until they have settled
	running *Turn
	used    time.Time // last
}

// Options bound what a hub waits for. Zero values mean the defaults.
type Options struct {
	Grace  time.Duration // for an agent to return after a stop; then it is abandoned (DefaultGrace)
	Settle time.Duration // for the end to become durable, before a stop is answered without (10 s)
	Sweep  time.Duration // between looks at what other processes asked for (250 ms)
	// Output is how many bytes of a call's output are recorded, half of its head
	// and half of its tail; 0 means bellcord.DefaultOutput, less than 0 none.
	Output int
	Logger *slog.Logger
	// Hide, if not nil, returns a text without secrets. The hub applies it to the
	// text of every failure before it records it.
	Hide func(string) string
	// Leased, if not nil, reports whether this process may start anything. Without a
	// lease an agent's Sync waits; what runs goes on.
	Leased func() bool
	Peers  Peers // nil where the store is all that processes share
	// Admission bounds the turns at once; nil: no limit.
	Admission *Admission
	// Watch, if not nil, is called with every commit by the goroutine that commits.
	// It must not block.
	Watch func(bellcord.Commit)
}

// DefaultGrace is the grace period of a hub whose options name none.
const DefaultGrace = 8 * time.Second

// forcedGrace is what an agent has left to return after a forced stop.
const forcedGrace = time.Second

// Open starts a hub on a store: it ends what dead processes left behind and
// then looks regularly for stops that other processes recorded. Close ends it.
// The store and the agent are required.
func Open(ctx context.Context, store bellcord.Store, agent Agent, opts Options) (*Hub, error) {
	switch {
	case store == nil:
		return nil, errors.New("open hub: no store given (see package store/sqlite)")
	case agent == nil:
		return nil, errors.New("open hub: no agent given")
	}
	if opts.Grace == 0 {
		opts.Grace = DefaultGrace
	}
	if opts.Settle == 0 {
		opts.Settle = 10 * time.Second
	}
	if opts.Sweep == 0 {
		opts.Sweep = 250 * time.Millisecond
	}
	switch {
	case opts.Output == 0:
		opts.Output = bellcord.DefaultOutput
	case opts.Output < 0:
		opts.Output = 0
	}
	if opts.Hide == nil {
		opts.Hide = func(text string) string { return text }
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Peers == nil {
		opts.Peers = alone{}
	}
	h := &Hub{
		agent: agent, opts: opts, logger: opts.Logger,
		store:    store,
		log:      commitlog.Open(store, commitlog.Options{Logger: opts.Logger, Watch: opts.Watch, View: opts.Peers.View}),
		peers:    opts.Peers,
		quit:     make(chan struct{}),
		fenced:   make(chan struct{}),
		sessions: map[bellcord.SessionID]*line{},
		turns:    map[bellcord.TurnID]*Turn{},
		early:    map[promise]kept{},
		awaited:  map[bellcord.TurnID]*awaited{},
		owned:    map[string]int{},
	}
	h.loose = h.log.Journal("")
	if err := h.takeOver(ctx); err != nil {
		return nil, errors.Join(err, h.log.Close(ctx))
	}
	h.swept.Go(h.sweep)
	return h, nil
}

// Prompt accepts a turn and returns at once. The turn has its place in the session's
// queue and can be stopped from this moment; no I/O happens before Prompt returns.
// The session must be open.
func (h *Hub) Prompt(session bellcord.SessionID, p bellcord.Prompt) (*Turn, error) {
	if len(p.Text) > bellcord.MaxPromptText {
		return nil, bellcord.ErrPromptTooLong
	}
	if p.Turn == "" {
		p.Turn = bellcord.NewTurnID()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[session]
	switch {
	case h.draining:
		return nil, bellcord.ErrDraining
	case h.Failing() != nil:
		return nil, h.Failing()
	case l == nil:
		return nil, bellcord.ErrNotOpen
	case h.turns[p.Turn] != nil:
		return nil, bellcord.ErrTurnExists
	case p.WhenBusy == bellcord.BusyReject && len(l.turns) > 0:
		return nil, bellcord.ErrBusy
	}
	if err := h.admitLocked(l.session.Owner); err != nil {
		return nil, err
	}
	t := newTurn(session, p)
	t.bounds.output = h.opts.Output
	t.writer = commitlog.NewWriter(l.journal, t.ID, func(r bellcord.Result) { h.appended(t, r) })
	if p.WhenBusy == bellcord.BusyReplace {
		h.stopLocked(bellcord.StopRequest{Session: session, Cause: bellcord.Cause{Kind: bellcord.CauseReplaced, By: string(t.ID)}, Queue: bellcord.QueueDrop})
	}
	if cause := h.promisedLocked(t, l.session.Owner); cause != nil {
		t.stop(cause) // born stopped
	}
	if p.Task == bellcord.TaskAnswer {
		t.titled = h.entitleLocked(l, p.Text)
	}
	h.turns[t.ID] = t
	h.ownLocked(l.session.Owner, 1)
	l.turns = append(l.turns, t)
	p.Turn = "" // the event names its turn
	t.accepted = l.journal.Put(bellcord.AcceptTurn{Session: session, Turn: t.ID, Prompt: p, At: t.tally.Times.Accepted})
	l.used = t.tally.Times.Accepted
	l.advanceLocked()
	h.runs.Go(func() { h.runTurn(t, l) })
	return t, nil
}

// Accept is Prompt for a caller that can wait: it opens the session where that is
// needed and returns once the turn is on record. ErrTurnExists, too, is answered
// once the other turn is. When ctx ends or the store fails before the turn is on
// record, the turn is withdrawn and never runs; ErrUnknown means that it may.
func (h *Hub) Accept(ctx context.Context, session bellcord.SessionID, p bellcord.Prompt) (bellcord.TurnID, error) {
	for {
		t, err := h.Prompt(session, p)
		if errors.Is(err, bellcord.ErrNotOpen) { // it was idle, or is another process's: only then is it read
			if _, err = h.OpenSession(ctx, session); err == nil {
				t, err = h.Prompt(session, p)
			}
		}
		switch {
		case err == nil:
			return t.ID, h.awaitAccepted(ctx, t)
		case !errors.Is(err, bellcord.ErrTurnExists):
			return "", err
		}
		h.mu.Lock()
		same := h.turns[p.Turn]
		h.mu.Unlock()
		if same == nil {
			return "", err
		}
		first := same.Accepted(ctx)
		if !errors.Is(first, bellcord.ErrWithdrawn) {
			return "", errors.Join(err, first)
		}
		select { // the other caller left, this one did not
		case <-same.settled:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// promisedLocked takes the stop that came before its turn: anybody's, or the owner's.
func (h *Hub) promisedLocked(t *Turn, owner string) *bellcord.Cause {
	var found *bellcord.Cause
	for _, of := range []promise{{t.ID, ""}, {t.ID, owner}} {
		if early, is := h.early[of]; is && t.tally.Times.Accepted.Before(early.until) {
			found = lifecycle.Prevailing(found, early.cause)
		}
		delete(h.early, of)
	}
	return found
}

// Answer gives a person's choice to an open question. By says who chose.
func (h *Hub) Answer(turn bellcord.TurnID, question, choice, by string) error {
	h.mu.Lock()
	t := h.turns[turn]
	h.mu.Unlock()
	if t == nil {
		return bellcord.ErrTurnEnded
	}
	return t.answerQuestion(question, given{choice, by})
}

// WaitForTurns accepts nothing more and waits until every turn has ended by itself,
// but for those that are held back, or for ctx.
func (h *Hub) WaitForTurns(ctx context.Context) error {
	h.mu.Lock()
	h.draining = true
	var all []*Turn
	for _, t := range h.turns {
		if !t.held {
			all = append(all, t)
		}
	}
	h.mu.Unlock()
	for _, t := range all {
		select {
		case <-t.settled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Drain accepts nothing more, stops every turn with the given cause and waits
// until all have settled, or for ctx.
func (h *Hub) Drain(ctx context.Context, cause bellcord.Cause) error {
	h.mu.Lock()
	h.draining = true
	h.mu.Unlock()
	_, err := h.Stop(bellcord.StopRequest{Cause: cause, Queue: bellcord.QueueDrop}).Wait(ctx)
	return err
}

// Close drains the hub and ends what Open started. A second call returns what
// the first one did.
func (h *Hub) Close(ctx context.Context) error {
	h.closeOnce.Do(func() {
		err := h.Drain(ctx, bellcord.Cause{Kind: bellcord.CauseShutdown, By: "close", Source: "hub"})
		close(h.quit)
		h.swept.Wait()
		if err == nil {
			h.runs.Wait()
		}
		h.closeErr = errors.Join(err, h.log.Close(ctx))
	})
	return h.closeErr
}

// advanceLocked starts the first turn that may run, when none does.
func (l *line) advanceLocked() {
	if l.running != nil {
		return
	}
	for _, t := range l.turns {
		if !t.held {
			l.running = t
			close(t.mayRun)
			return
		}
	}
}

// dequeue removes a settled turn from its session's queue.
func (h *Hub) dequeue(t *Turn, l *line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.turns, t.ID)
	h.ownLocked(l.session.Owner, -1)
	l.turns = slices.DeleteFunc(l.turns, func(other *Turn) bool { return other == t })
	if l.running == t {
		l.running = nil
	}
	l.used = time.Now()
	l.advanceLocked()
}
