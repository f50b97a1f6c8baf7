package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// crossStops contains the durations of stops of turns on another node, in total and by part.
type crossStops struct {
	mu       sync.Mutex
	total    []time.Duration // request to response, over HTTP
	arrived  []time.Duration // request to received by the hub of the contacted node
	closed   []time.Duration // received there to the model's connection closed, at the other node
	ended    []time.Duration // connection closed to all work ended
	answered []time.Duration // all work ended to response: durable, sent over the bus and over HTTP
	request  []time.Duration // the bare NATS request
	commit   []time.Duration // the bare commit
	bare     []time.Duration // both
	wrong    []string        // incorrect responses
}

// clusterStops measures a stop that is requested at node A while B runs the turn, from the HTTP
// request to the response that the end is durable.
func clusterStops(ctx context.Context, out io.Writer, s *clusterStage) error {
	a, err := s.startNode(ctx, "a")
	if err != nil {
		return err
	}
	b, err := s.startNode(ctx, "b")
	if err != nil {
		return err
	}
	const most = 16
	bares, err := s.openBareStops(ctx, most)
	defer func() { closeBares(bares) }()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "stop over HTTP at node A of a turn that streams at node B, with up to %d other turns streaming 5 words per second each\n", stopBatch-1)
	if _, err := stopAcross(ctx, a, b, bares[:1], stopBatch); err != nil { // warms up connections, plans and caches
		return err
	}
	var wrong []string
	for _, abreast := range []int{1, most} {
		n := *clusterCount
		if abreast > 1 {
			n = max(n/4, stopBatch)
		}
		countA, secondsA, err := a.commits(ctx)
		if err != nil {
			return err
		}
		took, err := stopAcross(ctx, a, b, bares[:abreast], n)
		if err != nil {
			return err
		}
		nowA, thenA, err := a.commits(ctx)
		if err != nil {
			return err
		}
		wrong = append(wrong, took.wrong...)
		took.print(out, abreast, time.Duration((thenA-secondsA)/(nowA-countA)*float64(time.Second)))
	}
	if err := s.auditStops(ctx, out, b); err != nil {
		return err
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%d stops got a wrong answer, the first: %s", len(wrong), wrong[0])
	}
	return nil
}

func (c *crossStops) print(out io.Writer, abreast int, rowOfA time.Duration) {
	row(out, fmt.Sprintf("request to settled answer, %d at a time", abreast), c.total)
	row(out, "bare: NATS request to B, then a commit", c.bare)
	ratio(out, c.total, c.bare, "aim: at most 3 at p99")
	row(out, "  request to received by A (HTTP, token)", c.arrived)
	row(out, "  received by A to stream closed at B", c.closed)
	row(out, "  stream closed to no work left at B", c.ended)
	row(out, "  no work left to answer (durable, reported)", c.answered)
	fmt.Fprintf(out, "  %-44s  mean %v, in parallel\n", "  A's own commits (record of the request)", rowOfA.Round(time.Microsecond))
	row(out, "  bare: NATS request", c.request)
	row(out, "  bare: commit", c.commit)
	fmt.Fprintf(out, "  %d of %d answered settled\n", len(c.total)-len(c.wrong), len(c.total))
}

// stopAcross starts streaming turns at B in batches and stops them through A. The number of
// concurrent stops is the number of bares. Each stop is followed by a bare one for comparison.
func stopAcross(ctx context.Context, a, b *clusterNode, bares []*bareStop, n int) (*crossStops, error) {
	c := &crossStops{}
	for n > 0 {
		turns, err := b.stream(ctx, min(n, stopBatch))
		if err != nil {
			return nil, err
		}
		n -= len(turns)
		next := make(chan bellcord.TurnID, len(turns))
		for _, id := range turns {
			next <- id
		}
		close(next)
		err = together(len(bares), func(i int) error {
			for id := range next {
				if err := c.stopOne(ctx, a, id, bares[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *crossStops) stopOne(ctx context.Context, a *clusterNode, id bellcord.TurnID, bare *bareStop) error {
	var answer api.Stopped
	requested := time.Now()
	err := a.roundTrip(ctx, http.MethodPost, "/v1/turns/"+string(id)+"/stop", api.Stop{Reason: string(id)}, &answer)
	answered := time.Now()
	if err != nil {
		return err
	}
	if len(answer.Turns) != 1 || answer.Turns[0].Receipt == nil {
		return fmt.Errorf("stop of %s answered %+v", id, answer)
	}
	request, commit, err := bare.measure(ctx)
	if err != nil {
		return err
	}
	receipt := answer.Turns[0].Receipt
	at := receipt.Times
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer.State != bellcord.StopStateSettled || !answer.Recorded || receipt.End != bellcord.EndStopped || receipt.Cause == nil || receipt.Cause.Reason != string(id) {
		c.wrong = append(c.wrong, fmt.Sprintf("%s, recorded %v, end %s, cause %v", answer.State, answer.Recorded, receipt.End, receipt.Cause))
	}
	c.total = append(c.total, answered.Sub(requested))
	c.arrived = append(c.arrived, at.StopRequested.Sub(requested))
	c.closed = append(c.closed, at.StreamClosed.Sub(at.StopRequested))
	c.ended = append(c.ended, at.Settled.Sub(at.StreamClosed))
	c.answered = append(c.answered, answered.Sub(at.Settled))
	c.request, c.commit, c.bare = append(c.request, request), append(c.commit, commit), append(c.bare, request+commit)
	return nil
}

// auditStops compares the responses with the database.
func (s *clusterStage) auditStops(ctx context.Context, out io.Writer, b *clusterNode) error {
	var turns, stopped, elsewhere, recordFirst int
	err := s.db.QueryRow(ctx, `
		SELECT count(*), count(*) FILTER (WHERE state = 'ended' AND receipt::json ->> 'end' = 'stopped'), count(*) FILTER (WHERE node <> $1),
			(SELECT count(*) FROM events WHERE kind = 'stop_requested') FROM turns`, b.id).Scan(&turns, &stopped, &elsewhere, &recordFirst)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "  in the database: %d turns, %d stopped, %d not B's; in %d A's record of the request came before the end\n", turns, stopped, elsewhere, recordFirst)
	if stopped != turns || elsewhere > 0 {
		return errors.New("the database disagrees with the answers")
	}
	return nil
}
