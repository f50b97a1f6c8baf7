package probe

import (
	"context"
	"fmt"
	"time"
)

func piChecks() []check {
	return []check{
		{"abort-mid-stream", "12, 16", nothing, abortMidStream},
		{"abort-same-write", "2", nothing, abortSameWrite},
		{"abort-in-tool", "15", shelled, abortInTool},
		{"abort-in-retry", "13, 19", scripted, abortInRetry},
		{"idle-abort", "3", nothing, idleAbort},
		{"double-abort", "7, 8", nothing, doubleAbort},
		{"queue-after-abort", "19, 29", nothing, queueAfterAbort},
		{"next-turn", "1", nothing, piNextTurn},
		{"exit-on-eof", "15", nothing, piExitOnEOF},
	}
}

// piStop is the outcome of an abort.
type piStop struct {
	answered bool
	took     time.Duration
	n        int // position of the response in the journal
	idle     bool
	late     string // type of a record of the run after the response, or ""
}

// abort sends an abort, waits for the response, and then reads whether pi is
// idle.
func (c *piClient) abort(ctx context.Context) (piStop, error) {
	from := c.records.len()
	began := time.Now()
	id, line := c.command(map[string]any{"type": "abort"})
	if err := c.writeLines(line); err != nil {
		return piStop{}, err
	}
	r, n := c.records.await(ctx, from, c.trial.opts.Patience, func(r piRecord) bool { return r.responds(id) })
	if n < 0 {
		return piStop{took: time.Since(began)}, nil
	}
	s := piStop{answered: true, took: r.at.Sub(began), n: n}
	state, err := c.state(ctx)
	s.idle = !state.Streaming
	return s, err
}

// watch records whether anything of the run follows the response.
func (s piStop) watch(ctx context.Context, c *piClient) piStop {
	if !s.answered {
		return s
	}
	if r, n := c.records.await(ctx, s.n+1, c.trial.opts.Quiet, piRecord.works); n >= 0 {
		s.late = r.Type
	}
	return s
}

func (s piStop) verdict() verdict {
	switch {
	case !s.answered:
		return failed("no response after %s", span(s.took))
	case !s.idle:
		return failed("response after %s, but the run continues", span(s.took))
	case s.late != "":
		return failed("response after %s, then %s", span(s.took), s.late)
	}
	v := passed("aborted after %s", span(s.took))
	if s.took > bound {
		return v.and(false, "later than %s", span(bound))
	}
	return v
}

func abortMidStream(ctx context.Context, t *trial) (verdict, error) {
	c, err := t.pi(ctx)
	if err != nil {
		return verdict{}, err
	}
	s, _, err := c.speaking(ctx)
	if err != nil {
		return verdict{}, err
	}
	stop, err := c.abort(ctx)
	v := stop.watch(ctx, c).verdict()
	if err != nil || t.target.Model == nil {
		return v, err
	}
	if !t.left(ctx, s.nonce) {
		return v.and(false, "the model request is still open"), nil
	}
	return v.and(true, "the model request is closed"), nil
}

// abortSameWrite counts runs that continue although the abort was confirmed.
func abortSameWrite(ctx context.Context, t *trial) (verdict, error) {
	c, err := t.pi(ctx)
	if err != nil {
		return verdict{}, err
	}
	lost := 0
	for range t.opts.Tries {
		from := c.records.len()
		prompt, line := c.command(map[string]any{"type": "prompt", "message": t.long().text})
		abort, behind := c.command(map[string]any{"type": "abort"})
		if err := c.writeLines(line, behind); err != nil {
			return verdict{}, err
		}
		for _, id := range []string{prompt, abort} {
			if _, n := c.records.await(ctx, from, t.opts.Patience, func(r piRecord) bool { return r.responds(id) }); n < 0 {
				return failed("no response%s", c.lastWords()), nil
			}
		}
		pause(ctx, t.opts.Quiet/2)
		state, err := c.state(ctx)
		if err != nil {
			return verdict{}, err
		}
		if state.Streaming {
			lost++
			if stop, err := c.abort(ctx); err != nil || !stop.idle {
				return failed("%d lost, and the next abort: %s", lost, stop.verdict().observed), err
			}
		}
	}
	return grade(lost == 0, "%d of %d lost", lost, t.opts.Tries), nil
}

func doubleAbort(ctx context.Context, t *trial) (verdict, error) {
	c, err := t.pi(ctx)
	if err != nil {
		return verdict{}, err
	}
	_, from, err := c.speaking(ctx)
	if err != nil {
		return verdict{}, err
	}
	first, line := c.command(map[string]any{"type": "abort"})
	second, again := c.command(map[string]any{"type": "abort"})
	if err := c.writeLines(line, again); err != nil {
		return verdict{}, err
	}
	responses := 0
	for _, id := range []string{first, second} {
		if _, n := c.records.await(ctx, from, t.opts.Patience, func(r piRecord) bool { return r.responds(id) }); n >= 0 {
			responses++
		}
	}
	pause(ctx, t.opts.Quiet)
	ends := 0
	for _, r := range c.records.since(from) {
		if r.Type == "agent_end" {
			ends++
		}
	}
	return grade(responses == 2 && ends == 1, "%d responses, %d end(s)", responses, ends), nil
}

// abortInRetry stops during the pause before a retry, and then waits longer
// than that pause.
func abortInRetry(ctx context.Context, t *trial) (verdict, error) {
	c, err := t.pi(ctx)
	if err != nil {
		return verdict{}, err
	}
	nonce := newNonce()
	from, err := c.prompt(ctx, script{fmt.Sprintf("%s [status 503]", nonce), nonce})
	if err != nil {
		return verdict{}, err
	}
	retry, n := c.records.await(ctx, from, 5*time.Second, func(r piRecord) bool { return r.Type == "auto_retry_start" })
	if n < 0 {
		return skipped("pi does not retry"), nil
	}
	before := t.requests(nonce)
	stop, err := c.abort(ctx)
	if err != nil {
		return verdict{}, err
	}
	pause(ctx, min(10*time.Second, time.Duration(retry.DelayMS)*time.Millisecond+t.opts.Quiet/2))
	more := t.requests(nonce) - before
	return stop.watch(ctx, c).verdict().and(more == 0, "%d more requests", more), nil
}
