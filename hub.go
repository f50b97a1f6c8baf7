package bellcord

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Hub runs one turn at a time per session and is where every verb arrives:
// Prompt, Stop, Answer, Drain. Fronts read what happens from the log.
type Hub struct {
	agent    Agent
	log      *Log
	opts     Options
	logger   *slog.Logger
	loose    *journal // for what concerns no open session
	peers    Peers
	quit     chan struct{}
	quitOnce sync.Once
	fenced   chan struct{} // closed when this process was taken for dead
	swept    sync.WaitGroup
	unheard  bool // of the sweep: its last look failed
	runs     sync.WaitGroup

	// mu guards what follows. It is held for map work only: never during I/O,
	// never by a turn, and events do not meet it.
	mu       sync.Mutex
	sessions map[SessionID]*line
	turns    map[TurnID]*Turn
	early    map[promise]kept // stops whose turn has not come
	awaited  map[TurnID]*awaited
	draining bool
}

// promise is what an early stop names: a turn, of an owner's where it says so.
type promise struct {
	turn  TurnID
	owner string
}

// kept is a stop that waits for its turn.
type kept struct {
	cause *Cause
	until time.Time
}

// line is a session's turns: the running one and those that wait.
type line struct {
	session Session
	journal *journal
	turns   []*Turn // in order of acceptance, until they have settled
	running *Turn
	used    time.Time // last
}

// Options bound what a hub waits for. Zero values mean the defaults.
type Options struct {
	Grace  time.Duration // for an agent to return after a stop; then it is abandoned (UsualGrace)
	Settle time.Duration // for the end to become durable, before a stop is answered without (10 s)
	Sweep  time.Duration // between looks at what other processes asked for (250 ms)
	Logger *slog.Logger
	// Leased, if not nil, says whether this process may start anything. Without a
	// lease an agent's Sync waits; what runs goes on.
	Leased func() bool
	Peers  Peers // nil where the store is all that processes share
	// Watch, if not nil, is told of every commit, by the one goroutine that
	// commits: it must not wait for anything.
	Watch func(Commit)
}

// Commit is what became durable at once.
type Commit struct {
	Ops    int
	Took   time.Duration
	Events []Event
}

// UsualGrace is a hub's grace where its options name none. Fronts say with it how
// long a stop still waits.
const UsualGrace = 8 * time.Second

// forcedGrace is what an agent has left to return after a forced stop.
const forcedGrace = time.Second

// What a hub answers.
var (
	ErrDraining = errors.New("shutting down, no new turns")
	ErrNotOpen  = errors.New("the session is not open")
)

// Open starts a hub on a store: it ends what dead processes left behind and
// then looks regularly for stops that other processes recorded. Close ends it.
func Open(ctx context.Context, store Store, agent Agent, opts Options) (*Hub, error) {
	if opts.Grace == 0 {
		opts.Grace = UsualGrace
	}
	if opts.Settle == 0 {
		opts.Settle = 10 * time.Second
	}
	if opts.Sweep == 0 {
		opts.Sweep = 250 * time.Millisecond
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Peers == nil {
		opts.Peers = alone{}
	}
	h := &Hub{
		agent: agent, opts: opts, logger: opts.Logger,
		log:      openLog(store, opts),
		peers:    opts.Peers,
		quit:     make(chan struct{}),
		fenced:   make(chan struct{}),
		sessions: map[SessionID]*line{},
		turns:    map[TurnID]*Turn{},
		early:    map[promise]kept{},
		awaited:  map[TurnID]*awaited{},
	}
	h.loose = h.log.journal("")
	if err := h.takeOver(ctx); err != nil {
		return nil, errors.Join(err, h.log.close(ctx))
	}
	h.swept.Go(h.sweep)
	return h, nil
}

// Prompt accepts a turn. When it returns, the turn exists, has its place in the
// session's line and can be stopped; no I/O comes before that. The session must
// be open.
func (h *Hub) Prompt(session SessionID, p Prompt) (*Turn, error) {
	if p.Turn == "" {
		p.Turn = NewTurnID()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[session]
	switch {
	case h.draining:
		return nil, ErrDraining
	case l == nil:
		return nil, ErrNotOpen
	case h.turns[p.Turn] != nil:
		return nil, ErrTurnExists
	case p.Policy == Reject && len(l.turns) > 0:
		return nil, ErrBusy
	}
	t := newTurn(session, p)
	t.writer = &writer{journal: l.journal, turn: t, hear: h.hear}
	if p.Policy == Replace {
		h.stopAll(slices.Clone(l.turns), Cause{Kind: Replaced, By: string(t.ID), At: time.Now()}, Drop)
	}
	if cause := h.promised(t, l.session.Owner); cause != nil {
		t.stop(cause) // born stopped
	}
	if p.Task == Answer {
		h.entitle(l, p.Text)
	}
	h.turns[t.ID] = t
	l.turns = append(l.turns, t)
	p.Turn = "" // the event names its turn
	t.accepted = l.journal.put(AcceptTurn{Session: session, Turn: t.ID, Prompt: p, At: t.tally.times.Accepted})
	l.used = t.tally.times.Accepted
	l.advance()
	h.runs.Go(func() { h.run(t, l) })
	return t, nil
}

// Accept is Prompt for a caller that can wait: it opens the session where that is
// needed and returns once the turn is on record. ErrTurnExists, too, is answered
// once the other turn is.
func (h *Hub) Accept(ctx context.Context, session SessionID, p Prompt) (TurnID, error) {
	t, err := h.Prompt(session, p)
	if errors.Is(err, ErrTurnExists) {
		h.mu.Lock()
		same := h.turns[p.Turn]
		h.mu.Unlock()
		if same != nil {
			err = errors.Join(err, same.Accepted(ctx))
		}
	}
	if errors.Is(err, ErrNotOpen) { // it was idle, or is another process's: only then is it read
		if _, err = h.OpenSession(ctx, session); err == nil {
			t, err = h.Prompt(session, p)
		}
	}
	if err != nil {
		return "", err
	}
	return t.ID, t.Accepted(ctx)
}

// promised takes the stop that came before its turn: anybody's, or the owner's;
// the lock is held.
func (h *Hub) promised(t *Turn, owner string) *Cause {
	var found *Cause
	for _, of := range []promise{{t.ID, ""}, {t.ID, owner}} {
		if early, is := h.early[of]; is && t.tally.times.Accepted.Before(early.until) {
			found = Prevailing(found, early.cause)
		}
		delete(h.early, of)
	}
	return found
}

// Answer gives a person's choice to an open question. By says who chose.
func (h *Hub) Answer(turn TurnID, question, choice, by string) error {
	h.mu.Lock()
	t := h.turns[turn]
	h.mu.Unlock()
	if t == nil {
		return ErrTurnEnded
	}
	return t.answer(question, given{choice, by})
}

// Finish accepts nothing more and waits until every turn has ended by itself,
// but for those that are held back, or for ctx.
func (h *Hub) Finish(ctx context.Context) error {
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
func (h *Hub) Drain(ctx context.Context, cause Cause) error {
	h.mu.Lock()
	h.draining = true
	h.mu.Unlock()
	_, err := h.Stop(StopRequest{Cause: cause, Queue: Drop}).Wait(ctx)
	return err
}

// Close drains the hub and ends what Open started.
func (h *Hub) Close(ctx context.Context) error {
	err := h.Drain(ctx, Cause{Kind: Shutdown, By: "close", From: "hub"})
	h.quitOnce.Do(func() { close(h.quit) })
	h.swept.Wait()
	if err == nil {
		h.runs.Wait()
	}
	return errors.Join(err, h.log.close(ctx))
}

// advance starts the first turn that may run, when none does; the hub's lock is
// held.
func (l *line) advance() {
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

// leave takes a settled turn out of its line.
func (h *Hub) leave(t *Turn, l *line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.turns, t.ID)
	l.turns = slices.DeleteFunc(l.turns, func(other *Turn) bool { return other == t })
	if l.running == t {
		l.running = nil
	}
	l.used = time.Now()
	l.advance()
}
