package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

func TestCommit_AnswerLost_RetryReturnsSameResult(t *testing.T) {
	t.Parallel()
	home := place(t)
	proxied, network := through(t, home)
	s, witness := openWith(t, proxied, postgres.Options{}), openWith(t, home, postgres.Options{})
	a := accept(session(t, s))
	appended := store.AppendEvents{Session: a.Session, Turn: a.Turn, Fence: 1, N: 1, Bodies: []bellcord.Body{bellcord.TextDelta{Text: "once"}}, At: now()}
	for i, op := range []store.Op{a, claim(a), appended, stopOf(a.Turn), finish(a, 1, bellcord.EndStopped)} {
		network.swallowNext()
		if _, err := s.Commit(t.Context(), []store.Op{op}); err == nil {
			t.Fatalf("%T: the answer was lost, and there is no error", op)
		}
		before := kinds(t, witness, a.Session)
		if len(before) != i+1 {
			t.Fatalf("%T was to be committed, the log is %v", op, before)
		}
		for range 2 {
			r := ok(t, s, op)[0]
			if _, claims := op.(store.ClaimTurn); claims != (r.Fence == 1) {
				t.Errorf("%T was answered with fence %d", op, r.Fence)
			}
			if _, asks := op.(store.RecordStop); asks != (r.Stop != nil) {
				t.Errorf("%T was answered with the stop %v", op, r.Stop)
			}
		}
		if after := kinds(t, witness, a.Session); fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("%T: the log was %v, it became %v", op, before, after)
		}
	}
	if got := fmt.Sprint(kinds(t, witness, a.Session)); got != "[turn_accepted turn_started text_delta stop_requested turn_ended]" {
		t.Errorf("the log is %v", got)
	}
}

func TestCommit_ConnectionsTerminated_Recovers(t *testing.T) {
	t.Parallel()
	home := place(t)
	name := "cut" + string(bellcord.NewSessionID())
	s := openWith(t, with(t, home, "application_name", name), postgres.Options{})
	id := session(t, s)
	for i := range 3 {
		at(t, home, func(db *pgx.Conn) {
			mustExec(t, db, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1`, name)
		})
		until(t, 5*time.Second, "a commit succeeds", func() bool {
			_, err := s.Commit(t.Context(), []store.Op{note(id, fmt.Sprint(i))})
			return err == nil
		})
		until(t, 5*time.Second, "a reading succeeds", func() bool {
			tail, err := s.Tail(t.Context(), id)
			return err == nil && tail >= int64(i+1)
		})
	}
}

func TestCommit_ContextEnds_ReturnsErrorAndReleasesLocks(t *testing.T) {
	t.Parallel()
	home := place(t)
	s := openWith(t, home, postgres.Options{})
	id := session(t, s)
	at(t, home, func(db *pgx.Conn) {
		mustExec(t, db, `BEGIN`)
		mustExec(t, db, `SELECT 1 FROM tails FOR UPDATE`)
		ctx, done := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer done()
		if _, err := s.Commit(ctx, []store.Op{note(id, "never")}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the commit ended with %v", err)
		}
		mustExec(t, db, `ROLLBACK`)
	})
	ok(t, s, note(id, "next"))
	if got := kinds(t, s, id); len(got) != 1 {
		t.Errorf("the log is %v", got)
	}
}

func TestCommit_OtherNodeCutOffDuringCommit_BlocksOnlyBriefly(t *testing.T) {
	t.Parallel()
	home := place(t)
	proxied, network := through(t, home)
	s, other := openWith(t, proxied, postgres.Options{Logger: quiet}), openWith(t, home, postgres.Options{})
	id := session(t, s)
	frozen := network.cutNext()
	failed := make(chan error)
	go func() {
		_, err := s.Commit(context.Background(), []store.Op{note(id, "cut off")})
		failed <- err
	}()
	<-frozen
	began := time.Now()
	ctx, done := context.WithTimeout(t.Context(), 10*time.Second)
	defer done()
	if _, err := other.Commit(ctx, []store.Op{note(id, "other")}); err != nil {
		t.Errorf("the other node: %v", err)
	}
	t.Logf("the other node waited %v", time.Since(began).Round(time.Millisecond))
	network.thaw()
	if err := <-failed; err == nil {
		t.Error("the commit that was cut off succeeded all the same")
	}
	ok(t, s, note(id, "again"))
	if got := kinds(t, other, id); len(got) != 2 {
		t.Errorf("the log is %v", got)
	}
}
