package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
)

const (
	pouringTurns  = 100
	pouringEach   = 2000 // events of a turn, at full size
	pouringBytes  = 200  // of text in each
	pouringRounds = 3
)

// pouring is an agent that emits as fast as possible, once all turns have begun. Text and thinking
// alternate, so that no two events can be merged.
type pouring struct {
	each  int
	ready *sync.WaitGroup
	start chan struct{}
}

// Run implements hub.Agent.
func (p *pouring) Run(ctx context.Context, w *hub.Work) error {
	p.ready.Done()
	select {
	case <-p.start:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	text := strings.Repeat("ten bytes ", pouringBytes/10)
	for i := range p.each {
		var body bellcord.Body = bellcord.TextDelta{Text: text}
		if i%2 == 1 {
			body = bellcord.ThinkingDelta{Text: text}
		}
		if err := w.Emit(body); err != nil {
			return err
		}
	}
	return nil
}

// clusterEvents measures how many events per second become durable through a hub, and compares it
// with a bare COPY of the same rows. The two alternate.
func clusterEvents(ctx context.Context, out io.Writer, s *clusterStage) error {
	each := scaled(pouringEach)
	fmt.Fprintf(out, "durable events per second, %d turns that each emit %d events of %d bytes as fast as possible, %d rounds\n", pouringTurns, each, pouringBytes, pouringRounds)
	var measured, bare []float64
	for round := range pouringRounds {
		rate, commits, longest, err := s.pour(ctx, each)
		if err != nil {
			return err
		}
		copied, err := s.copyRows(ctx, pouringTurns*each, pouringTurns*each/commits)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "  round %d: hub %.0f in %d commits, the longest %v; bare COPY %.0f in batches of the same size; ratio %.2f\n",
			round+1, rate, commits, longest.Round(time.Millisecond), copied, rate/copied)
		measured, bare = append(measured, rate), append(bare, copied)
	}
	slices.Sort(measured)
	slices.Sort(bare)
	middle := pouringRounds / 2
	fmt.Fprintf(out, "  %-44s  hub %.0f, bare COPY %.0f, ratio %.2f (aim: at least 0.7)\n", "median", measured[middle], bare[middle], measured[middle]/bare[middle])
	return nil
}

// pour runs one round through a hub, on an empty log. It returns how many events per second became
// durable, in how many commits, and the duration of the longest commit, which is how long a
// concurrent stop may wait.
func (s *clusterStage) pour(ctx context.Context, each int) (rate float64, commits int, longest time.Duration, err error) {
	agent := &pouring{each: each, ready: &sync.WaitGroup{}, start: make(chan struct{})}
	agent.ready.Add(pouringTurns)
	var sum poured
	n, err := s.openHub(ctx, "hub", agent, sum.committed)
	if err != nil {
		return 0, 0, 0, err
	}
	defer func() {
		err = errors.Join(err, n.closeHub())
		commits, longest = sum.total() // a commit may be reported after the end of its turn
	}()
	if _, err := s.db.Exec(ctx, `TRUNCATE events`); err != nil {
		return 0, 0, 0, err
	}
	turns := make([]*hub.Turn, pouringTurns)
	for i := range turns {
		if turns[i], err = n.startTurn(ctx); err != nil {
			return 0, 0, 0, err
		}
	}
	agent.ready.Wait()
	began := time.Now()
	close(agent.start)
	for _, t := range turns {
		select {
		case <-t.Settled():
		case <-ctx.Done():
			return 0, 0, 0, ctx.Err()
		}
		if r := t.Receipt(); r.End != bellcord.EndDone || r.EndNotDurable {
			return 0, 0, 0, fmt.Errorf("a turn ended as %s, end not durable in time: %v %s", r.End, r.EndNotDurable, r.Error)
		}
	}
	return float64(pouringTurns*each) / time.Since(began).Seconds(), 0, 0, nil
}

// poured counts the commits that contain text.
type poured struct {
	mu      sync.Mutex
	commits int
	longest time.Duration
}

func (p *poured) committed(c store.Commit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.ContainsFunc(c.Events, func(ev bellcord.Event) bool {
		return ev.Body.Kind() == "text_delta" || ev.Body.Kind() == "thinking_delta"
	}) {
		p.commits++
		p.longest = max(p.longest, c.Took)
	}
}

func (p *poured) total() (commits int, longest time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.commits, p.longest
}

// copyRows copies the rows that the hub wrote into a table of the same shape, in batches, and
// returns the number of rows per second. Reading the rows is not measured.
func (s *clusterStage) copyRows(ctx context.Context, want, batch int) (float64, error) {
	rows, err := s.db.Query(ctx, `SELECT session, seq, turn, kind, at, body, hash FROM events WHERE kind IN ('text_delta', 'thinking_delta') ORDER BY at, session, seq`)
	if err != nil {
		return 0, err
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) {
		var session, turn, kind string
		var seq, at int64
		var body, hash []byte
		err := row.Scan(&session, &seq, &turn, &kind, &at, &body, &hash)
		return []any{session, seq, turn, kind, at, body, hash}, err
	})
	if err != nil {
		return 0, err
	}
	if len(all) != want {
		return 0, fmt.Errorf("%d events were emitted and %d are in the log", want, len(all))
	}
	if err := s.makeBareEvents(ctx); err != nil {
		return 0, err
	}
	began := time.Now()
	for chunk := range slices.Chunk(all, max(batch, 1)) {
		_, err := s.db.CopyFrom(ctx, pgx.Identifier{"bare_events"}, []string{"session", "seq", "turn", "kind", "at", "body", "hash"}, pgx.CopyFromRows(chunk))
		if err != nil {
			return 0, err
		}
	}
	return float64(len(all)) / time.Since(began).Seconds(), nil
}

// makeBareEvents creates an empty table with the columns, the key and the partitions of the log.
func (s *clusterStage) makeBareEvents(ctx context.Context) error {
	_, err := s.db.Exec(ctx, `
		DROP TABLE IF EXISTS bare_events;
		CREATE TABLE bare_events (LIKE events INCLUDING ALL) PARTITION BY HASH (session);
		DO $$
		DECLARE n INT := (SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass);
		BEGIN
			FOR i IN 0..n - 1 LOOP
				EXECUTE format('CREATE TABLE bare_events_%s PARTITION OF bare_events FOR VALUES WITH (MODULUS %s, REMAINDER %s)', i, n, i);
			END LOOP;
		END $$`)
	return err
}
