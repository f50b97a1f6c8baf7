package hub_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// pickyStore fails every commit with an op that bad selects, as a store does that
// cannot reject one op alone.
type pickyStore struct {
	store.Store
	bad         func(store.Op) bool
	failures    atomic.Int32 // commits that failed
	tail, tails atomic.Int32 // calls of Tail and Tails
}

func (p *pickyStore) Commit(ctx context.Context, ops []store.Op) ([]store.Result, error) {
	for _, op := range ops {
		if p.bad(op) {
			p.failures.Add(1)
			return nil, store.NotCommitted(errors.New("index row too large"))
		}
	}
	return p.Store.Commit(ctx, ops)
}

func (p *pickyStore) Tail(ctx context.Context, s bellcord.SessionID) (int64, error) {
	p.tail.Add(1)
	return p.Store.Tail(ctx, s)
}

func (p *pickyStore) Tails(ctx context.Context, all []bellcord.SessionID) ([]int64, error) {
	p.tails.Add(1)
	return p.Store.Tails(ctx, all)
}

// onPickyStore runs a test in a bubble, with a hub on a picky store.
func onPickyStore(t *testing.T, bad func(store.Op) bool, agent hub.Agent, do func(t *testing.T, h fixture, store *pickyStore)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		picky := &pickyStore{bad: bad}
		do(t, openOver(t, dir, agent, hub.Options{}, picky.over), picky)
	})
}

// over makes the picky store commit to the given one.
func (p *pickyStore) over(s store.Store) store.Store {
	p.Store = s
	return p
}

// isBadTurn selects the acceptance of a prompt with the text "bad".
func isBadTurn(op store.Op) bool {
	accept, is := op.(store.AcceptTurn)
	return is && accept.Prompt.Text == "bad"
}

func TestLog_OneOpFailsEveryCommit_OnlyItsTurnIsRejected(t *testing.T) {
	t.Parallel()
	onPickyStore(t, isBadTurn, &ran{}, func(t *testing.T, h fixture, _ *pickyStore) {
		for range 20 { // more than one batch, and batches with several ops
			before, bad, after := h.prompt("good"), h.prompt("bad"), h.prompt("good")
			<-before.Settled()
			<-after.Settled()
			if err := errors.Join(before.Accepted(t.Context()), after.Accepted(t.Context())); err != nil {
				t.Errorf("the other turns: %v", err)
			}
			if err := bad.Accepted(t.Context()); !errors.Is(err, bellcord.ErrRejected) {
				t.Errorf("the bad turn was accepted with %v, want ErrRejected", err)
			}
			for _, turn := range []*hub.Turn{before, after} {
				if r := turn.Receipt(); r.End != bellcord.EndDone || r.EndNotDurable {
					t.Errorf("receipt %+v", r)
				}
			}
		}
		if h.Health() != nil {
			t.Errorf("the hub reports %v", h.Health())
		}
	})
}

// isLongError selects an end with a long error.
func isLongError(op store.Op) bool {
	finish, is := op.(store.FinishTurn)
	return is && len(finish.Receipt.Error) > 1000
}

func TestSettle_StoreRejectsTheReceipt_TurnEndsWithAShorterOne(t *testing.T) {
	t.Parallel()
	agent := script(func(context.Context, *hub.Work) error { return errors.New(strings.Repeat("long ", 1000)) })
	onPickyStore(t, isLongError, agent, func(t *testing.T, h fixture, _ *pickyStore) {
		turn := h.prompt("go")
		<-turn.Settled()
		if r := turn.Receipt(); r.End != bellcord.EndFailed || r.EndNotDurable || !strings.Contains(r.Error, "shortened") {
			t.Errorf("receipt %+v", r)
		}
		if record, err := h.Turn(t.Context(), turn.ID); err != nil || record.State != bellcord.StateEnded {
			t.Errorf("on record: %+v, %v", record, err)
		}
	})
}

// isBadText selects an append with the text "bad".
func isBadText(op store.Op) bool {
	add, is := op.(store.AppendEvents)
	if !is {
		return false
	}
	for _, b := range add.Bodies {
		if text, is := b.(bellcord.TextDelta); is && text.Text == "bad" {
			return true
		}
	}
	return false
}

func TestEmit_StoreRejectsAnAppend_TurnFailsAndItsOutcomesAreKept(t *testing.T) {
	t.Parallel()
	agent := script(func(ctx context.Context, w *hub.Work) error {
		if err := w.Step(ctx, bellcord.StepStarted{}); err != nil {
			return err
		}
		if err := w.Emit(bellcord.TextDelta{Text: "bad"}); err != nil {
			return err
		}
		<-ctx.Done()
		return w.Emit(bellcord.StepEnded{Finish: bellcord.FinishFailed}) // recorded late, and returns nil
	})
	onPickyStore(t, isBadText, agent, func(t *testing.T, h fixture, store *pickyStore) {
		turn := h.prompt("go")
		<-turn.Settled()
		if r := turn.Receipt(); r.End != bellcord.EndFailed || r.EndNotDurable {
			t.Errorf("receipt %+v", r)
		}
		events, err := store.Events(t.Context(), h.session, 0, 100)
		kinds := map[string]int{}
		for _, ev := range events {
			kinds[ev.Body.Kind()]++
		}
		if err != nil || kinds["step_ended"] != 1 || kinds["turn_ended"] != 1 || kinds["text_delta"] != 0 {
			t.Errorf("%v, error %v", kinds, err)
		}
	})
}

func TestLog_CommitIsRetried_HeadsAreReadOnceForAllSessions(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		picky := &pickyStore{bad: func(store.Op) bool { return down.Load() }}
		h := openOver(t, dir, &ran{}, hub.Options{Sweep: time.Hour}, picky.over)
		var sessions []bellcord.SessionID
		for range 20 {
			s, err := h.NewSession(t.Context(), bellcord.Session{})
			if err != nil {
				t.Fatal(err)
			}
			sessions = append(sessions, s.ID)
		}
		picky.tail.Store(0)
		picky.tails.Store(0)
		down.Store(true)
		for _, id := range sessions {
			if _, err := h.Configure(id, bellcord.SessionUpdated{Title: "new"}); err != nil {
				t.Fatal(err)
			}
		}
		for picky.failures.Load() == 0 {
			<-time.After(time.Millisecond)
		}
		down.Store(false)
		<-time.After(time.Second)
		if picky.tail.Load() > 0 || picky.tails.Load() == 0 || picky.tails.Load() > 2 {
			t.Errorf("after a retried commit of 40 ops: %d reads of one session, %d of many", picky.tail.Load(), picky.tails.Load())
		}
	})
}

// deadTurn leaves a running turn of a process that has died, and returns its id.
func deadTurn(t *testing.T, dir string) bellcord.TurnID {
	t.Helper()
	dying, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s, id := bellcord.Session{ID: bellcord.NewSessionID(), Created: time.Now(), Updated: time.Now()}, bellcord.NewTurnID()
	_, err = dying.Commit(t.Context(), []store.Op{
		store.PutSession{Session: s},
		store.AcceptTurn{Session: s.ID, Turn: id, Prompt: bellcord.Prompt{Text: "go"}, At: time.Now()},
		store.ClaimTurn{Session: s.ID, Turn: id, At: time.Now()},
	})
	if err := errors.Join(err, dying.Close()); err != nil {
		t.Fatal(err)
	}
	return id
}

// withoutEnds returns a store that fails every commit with the end of a turn, until
// let is called.
func withoutEnds() (picky *pickyStore, let func()) {
	var open atomic.Bool
	return &pickyStore{bad: func(op store.Op) bool {
		_, ends := op.(store.FinishTurn)
		return ends && !open.Load()
	}}, func() { open.Store(true) }
}

func TestOpen_EndOfADeadTurnCannotBeWritten_OpensAndTriesAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	turn := deadTurn(t, dir)
	synctest.Test(t, func(t *testing.T) {
		picky, let := withoutEnds()
		var logged bytes.Buffer
		h := openOver(t, dir, &ran{}, hub.Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))}, picky.over)
		if err := h.prompt("go").Accepted(t.Context()); err != nil {
			t.Errorf("a prompt meanwhile: %v", err)
		}
		let()
		<-time.After(3 * time.Second)
		if r, err := h.Turn(t.Context(), turn); err != nil || r.State != bellcord.StateEnded {
			t.Errorf("the dead turn: %+v, %v", r, err)
		}
		if !strings.Contains(logged.String(), "trying again") {
			t.Errorf("no line in the log about the failed end: %s", &logged)
		}
	})
}

// hangingStore blocks TakeOver until its context ends.
type hangingStore struct{ store.Store }

func (hangingStore) TakeOver(ctx context.Context) ([]store.TurnRecord, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestOpen_ContextEndsDuringTheTakeOver_Returns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := hub.Open(ctx, hangingStore{store}, &ran{}, hub.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("Open returned %v", err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}

// slowPolls blocks Changed until its context ends.
type slowPolls struct{ store.Store }

func (slowPolls) Changed(ctx context.Context) (bool, error) {
	<-ctx.Done()
	return false, ctx.Err()
}

func TestClose_PollIsRunning_EndsItWithoutAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		var logged bytes.Buffer
		h, err := hub.Open(t.Context(), slowPolls{store}, &ran{}, hub.Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(300 * time.Millisecond) // a poll is running
		began := time.Now()
		if err := errors.Join(h.Close(t.Context()), store.Close()); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("Close took %v", took)
		}
		if logged.Len() > 0 {
			t.Errorf("logged: %s", &logged)
		}
	})
}

// The store blocks, so that Emit blocks until a stop ends the turn.
func TestAsk_QuestionIsNotRecorded_ReceiptDoesNotListIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		slow, let := &ledger{Store: store}, make(chan func(), 1)
		asks := script(func(ctx context.Context, w *hub.Work) error {
			if err := w.Step(ctx, bellcord.StepStarted{}); err != nil {
				return err
			}
			let <- slow.close()
			for range 2 { // the first is in the commit that blocks, the second fills the journal
				if err := w.Emit(bellcord.TextDelta{Text: strings.Repeat("x", 300<<10)}); err != nil {
					return err
				}
				synctest.Wait()
			}
			_, err := w.Ask(ctx, bellcord.Question{ID: "q", Text: "?", Choices: []bellcord.Choice{{ID: "y"}}})
			return err
		})
		h, err := hub.Open(t.Context(), slow, asks, hub.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := h.NewSession(t.Context(), bellcord.Session{})
		if err != nil {
			t.Fatal(err)
		}
		turn, err := h.Prompt(s.ID, bellcord.Prompt{Text: "go"})
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second)
		h.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{By: "anna"}))
		<-time.After(time.Second)
		(<-let)()
		<-turn.Settled()
		if r := turn.Receipt(); len(r.WithdrawnQuestions) > 0 || r.End != bellcord.EndStopped {
			t.Errorf("receipt %+v", r)
		}
		if err := errors.Join(h.Close(context.Background()), store.Close()); err != nil {
			t.Error(err)
		}
	})
}

func TestApplyRemoteEvents_SameEndTwiceWithoutTurn_WakesWaitersOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		h := openAt(t, dir, script(streamWords), hub.Options{})
		other, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		id := bellcord.NewTurnID()
		_, err = other.Commit(t.Context(), []store.Op{
			store.AcceptTurn{Session: h.session, Turn: id, Prompt: bellcord.Prompt{Text: "go"}, At: time.Now()},
			store.ClaimTurn{Session: h.session, Turn: id, At: time.Now()},
		})
		if err != nil {
			t.Fatal(err)
		}
		waited := make(chan error, 1)
		go func() { waited <- h.Await(t.Context(), id) }()
		synctest.Wait()
		end := bellcord.Event{Session: h.session, Turn: id, Seq: 4, Time: time.Now(), Body: bellcord.TurnEnded{}}
		h.ApplyRemoteEvents([]bellcord.Event{end, end})
		if err := <-waited; err != nil {
			t.Error(err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	})
}
