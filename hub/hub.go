package hub

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/hub/internal/commitlog"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// Hub schedules turns, one at a time per session. Every request enters here
// (Prompt, Stop, Answer, Drain); readers follow the log.
type Hub struct {
	agent      Agent
	store      store.Store
	log        *commitlog.Log
	opts       Options
	logger     *slog.Logger
	loose      *commitlog.Journal // for ops that do not belong to an open session
	peers      Peers
	quit       chan struct{}
	life       context.Context // of the sweep's requests to the store; ends with Close
	endLife    context.CancelFunc
	closeOnce  sync.Once
	closeErr   error
	fenced     chan struct{} // closed when another process has taken over this process's turns
	swept      sync.WaitGroup
	takingOver atomic.Bool // takeOver is running
	pollFailed bool        // the last poll of the sweep failed; used by the sweep only
	runs       sync.WaitGroup
	following  *following // changes of settled turns that are not recorded yet

	// mu protects the fields below, the session queues in them, and the fields of
	// Turn that are marked as such. It is only held for map operations, never
	// during I/O; recording an event does not take it. Functions with the suffix
	// Locked require it.
	//
	// Lock order: Hub.mu, then one of Turn.mu, Journal.mu, Log.mu and health.mu.
	// None of those four is taken while another of them is held, and their
	// holders never take Hub.mu.
	mu       sync.Mutex
	sessions map[bellcord.SessionID]*line
	turns    map[bellcord.TurnID]*Turn
	early    earlyStops // stops received before their turn
	awaited  map[bellcord.TurnID]*awaited
	owned    map[string]int // number of turns by owner
	draining bool
}

// line is an open session with its queue: the running turn and those that wait.
type line struct {
	session      bellcord.Session
	saved        *commitlog.Entry // the last change of session that was written; nil if there is none
	journal      *commitlog.Journal
	conversation history.Conversation
	turns        []*Turn // in order of acceptance, until settled
	running      *Turn
	used         time.Time // time of the last use
}

// Options configures a hub. A zero value selects the default.
type Options struct {
	Grace  time.Duration // for the agent to return after a stop, before it is abandoned (default DefaultGrace)
	Settle time.Duration // for the end of a turn to become durable, before a stop is answered without it (default 10 s)
	Sweep  time.Duration // polling interval for changes by other processes (default 250 ms)
	// MayForward returns an error if this process must not answer the questions of
	// other processes' turns, for example because such a turn has started it. nil
	// means that it may.
	MayForward func() error
	// Idle is how long a session without a turn stays open: its queue and its
	// conversation are in memory. OpenSession and Accept open it again; Prompt does
	// not. 0 means DefaultIdle; with a negative number, only CloseIdle closes sessions.
	Idle time.Duration
	// Output limits the recorded bytes of a call's output, half for its beginning
	// and half for its tail. 0 means bellcord.DefaultOutput; a negative number
	// records none.
	Output int
	Logger *slog.Logger
	// Hide, if not nil, removes secrets from a text. The hub applies it to the
	// text of every failure before recording it.
	Hide func(string) string
	// Leased, if not nil, reports whether this process may start work. While it
	// returns false, Work.Sync blocks; running work continues.
	Leased func() bool
	Peers  Peers // nil if processes share only the store
	// Clock returns the time by which the processes that share the store order
	// prompts and stops, and the largest error of that time. It must not block. nil
	// means time.Now without an error, which is right for processes of one machine.
	Clock func() (now time.Time, uncertainty time.Duration)
	// Admission limits the number of turns; nil means no limit.
	Admission *Admission
	// Watch, if not nil, is called after every commit, on the committing
	// goroutine. It must not block.
	Watch func(store.Commit)
}

// DefaultGrace is the default of Options.Grace, DefaultIdle that of Options.Idle.
const (
	DefaultGrace = 8 * time.Second
	DefaultIdle  = time.Hour
)

// forcedGrace is the time that an agent has to return after a forced stop.
const forcedGrace = time.Second

// Open starts a hub. It records the end of turns that dead processes left behind,
// and then polls the store for stops that other processes recorded. An end that
// cannot be recorded does not block Open: the hub tries again. Close ends the hub.
// The store and the agent are required.
func Open(ctx context.Context, store store.Store, agent Agent, opts Options) (*Hub, error) {
	switch {
	case store == nil:
		return nil, errors.New("open hub: no store given (see package store/sqlite)")
	case agent == nil:
		return nil, errors.New("open hub: no agent given")
	}
	if opts.Grace == 0 {
		opts.Grace = DefaultGrace
	}
	if opts.Idle == 0 {
		opts.Idle = DefaultIdle
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
	if opts.Clock == nil {
		opts.Clock = func() (time.Time, time.Duration) { return time.Now(), 0 }
	}
	h := &Hub{
		agent: agent, opts: opts, logger: opts.Logger,
		store:     store,
		log:       commitlog.Open(store, commitlog.Options{Logger: opts.Logger, Watch: opts.Watch, View: opts.Peers.View, Clock: opts.Clock}),
		peers:     opts.Peers,
		following: newFollowing(),
		quit:      make(chan struct{}),
		fenced:    make(chan struct{}),
		sessions:  map[bellcord.SessionID]*line{},
		turns:     map[bellcord.TurnID]*Turn{},
		early:     newEarlyStops(),
		awaited:   map[bellcord.TurnID]*awaited{},
		owned:     map[string]int{},
	}
	h.loose = h.log.Journal("")
	h.life, h.endLife = context.WithCancel(context.WithoutCancel(ctx))
	if err := h.takeOverFirst(ctx); err != nil {
		h.endLife()
		return nil, errors.Join(err, h.log.Close(ctx))
	}
	h.swept.Go(h.sweep)
	return h, nil
}

// Prompt accepts a turn and returns immediately. The turn is queued and can be
// stopped from this moment; no I/O happens before Prompt returns. The session
// must be open, otherwise Prompt returns ErrNotOpen; Options.Idle closes it after a
// time without turns.
//
// Prompt returns ErrTurnExists if this hub has a turn with the same ID, ErrBusy
// if the session has a turn and WhenBusy is BusyReject, ErrTooManyTurns or
// ErrTooManyOfOwner at a limit of Options.Admission, ErrPromptTooLong for text
// and files over MaxPromptText, ErrBadID for an ID that is not a UUID in lower case,
// ErrDraining after Drain or WaitForTurns, and ErrStoreDown while the store fails.
func (h *Hub) Prompt(session bellcord.SessionID, p bellcord.Prompt) (*Turn, error) {
	if p.TextSize() > bellcord.MaxPromptText {
		return nil, bellcord.ErrPromptTooLong
	}
	if p.Turn == "" {
		p.Turn = bellcord.NewTurnID()
	}
	if id, err := bellcord.ParseTurnID(string(p.Turn)); err != nil || id != p.Turn {
		return nil, bellcord.ErrBadID
	}
	p.Blocks = validBlocks(p.Blocks)
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[session]
	switch {
	case h.draining:
		return nil, bellcord.ErrDraining
	case h.Health() != nil:
		return nil, h.Health()
	case l == nil:
		return nil, bellcord.ErrNotOpen
	case h.turns[p.Turn] != nil:
		return nil, bellcord.ErrTurnExists
	case p.WhenBusy == bellcord.BusyReject && len(l.turns) > 0:
		return nil, bellcord.ErrBusy
	}
	t := newTurn(session, p, h.now())
	if err := h.admitLocked(l.session.Owner); err != nil && !t.isUnderWay() {
		return nil, err
	}
	t.bounds.output = h.opts.Output
	t.tally.NeedsNoText = lifecycle.NeedsNoText(p, l.session.Agent != "")
	t.writer = commitlog.NewWriter(l.journal, t.ID, func(r store.Result) { h.appended(t, r) })
	if p.WhenBusy == bellcord.BusyReplace {
		h.stopLocked(bellcord.StopRequest{Session: session, Cause: bellcord.Cause{Kind: bellcord.CauseReplaced, By: string(t.ID)}, Queue: bellcord.QueueDrop})
	}
	if cause := h.promisedLocked(t, l.session.Owner); cause != nil {
		t.stopLocked(cause) // an early stop ends the turn before it starts
	}
	if p.Task == bellcord.TaskAnswer {
		t.titled = h.entitleLocked(l, p.Text)
	}
	h.turns[t.ID] = t
	h.ownLocked(l.session.Owner, 1)
	l.enqueueLocked(t)
	p.Turn = "" // the event contains its turn's ID
	t.accepted = l.journal.Put(store.AcceptTurn{Session: session, Turn: t.ID, Prompt: p, At: t.tally.Times.Accepted})
	l.used = time.Now()
	l.advanceLocked()
	h.runs.Go(func() { h.runTurn(t, l) })
	return t, nil
}

// Accept is like Prompt, but opens the session if necessary and blocks until the
// turn is durable. If another turn has the same ID, Accept returns ErrTurnExists
// once that turn is durable. If ctx ends or the store fails first, the turn is
// withdrawn and never runs. ErrUnknown means that the turn may still run.
func (h *Hub) Accept(ctx context.Context, session bellcord.SessionID, p bellcord.Prompt) (bellcord.TurnID, error) {
	for {
		t, err := h.Prompt(session, p)
		if errors.Is(err, bellcord.ErrNotOpen) { // idle, or open in another process
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
		select { // the other caller withdrew the turn: try again
		case <-same.settled:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// promisedLocked removes and returns the stop that arrived before its turn, with
// no owner or with the given one.
func (h *Hub) promisedLocked(t *Turn, owner string) *bellcord.Cause {
	var found *bellcord.Cause
	for _, of := range []earlyStopKey{{t.ID, ""}, {t.ID, owner}} {
		found = lifecycle.Prevailing(found, h.early.take(of, t.tally.Times.Accepted))
	}
	return found
}

// WaitForTurns rejects new prompts and blocks until every turn has ended, except
// held ones, or ctx ends. It stops no turn.
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

// Drain rejects new prompts, stops every turn with the given cause and blocks
// until all have settled or ctx ends.
func (h *Hub) Drain(ctx context.Context, cause bellcord.Cause) error {
	h.mu.Lock()
	h.draining = true
	h.mu.Unlock()
	_, err := h.Stop(bellcord.StopRequest{Cause: cause, Queue: bellcord.QueueDrop}).Wait(ctx)
	return err
}

// Close drains the hub and ends the goroutines that Open started. If ctx ends
// first, Close returns its error, and the goroutines end when their requests to
// the store return. Further calls return the first call's error.
func (h *Hub) Close(ctx context.Context) error {
	h.closeOnce.Do(func() {
		err := h.Drain(ctx, bellcord.Cause{Kind: bellcord.CauseShutdown, By: "close", Source: "hub"})
		close(h.quit)
		h.endLife()
		waitWithin(ctx, &h.swept)
		if err == nil {
			waitWithin(ctx, &h.runs)
		}
		h.following.wait(ctx)
		h.closeErr = errors.Join(err, h.log.Close(ctx))
	})
	return h.closeErr
}

// waitWithin waits for a group until ctx ends.
func waitWithin(ctx context.Context, group *sync.WaitGroup) {
	done := make(chan struct{})
	go func() { // ends with the group
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// advanceLocked starts the first turn that is not held, if no turn is running.
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
