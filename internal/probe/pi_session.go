package probe

import (
	"context"
	"errors"
	"fmt"
)

// inTool sends a prompt with a tool call that sleeps, and waits until its
// processes are running.
func (c *piClient) inTool(ctx context.Context) (token string, from int, err error) {
	s, token := c.trial.sleepers()
	if from, err = c.prompt(ctx, s); err != nil {
		return token, from, err
	}
	over := func() bool {
		for _, r := range c.records.since(from) {
			if r.Type == "agent_end" {
				return true
			}
		}
		return false
	}
	if !asleep(ctx, token, normally, over) {
		err = fmt.Errorf("%w%s", errNoTool, c.lastWords())
	}
	return token, from, err
}

// abortInTool stops commands of several ages in one session.
func abortInTool(ctx context.Context, t *trial) (verdict, error) {
	c, err := t.pi(ctx)
	if err != nil {
		return verdict{}, err
	}
	return t.stopAtAges(ctx, c.agent, func() (string, func() (verdict, error), error) {
		token, from, err := c.inTool(ctx)
		return token, func() (verdict, error) {
			stop, err := c.abort(ctx)
			if err != nil {
				return verdict{}, err
			}
			v := stop.verdict()
			if open := openTools(c.records.since(from)); open > 0 {
				v = v.and(false, "%d calls without an end", open)
			}
			return v, nil
		}, err
	})
}

// openTools returns the number of tool calls that have not ended.
func openTools(records []piRecord) int {
	open := 0
	for _, r := range records {
		switch r.Type {
		case "tool_execution_start":
			open++
		case "tool_execution_end":
			open--
		}
	}
	return open
}

func idleAbort(ctx context.Context, t *trial) (verdict, error) {
	c, err := t.pi(ctx)
	if err != nil {
		return verdict{}, err
	}
	stop, err := c.abort(ctx)
	if err != nil || !stop.answered {
		return stop.verdict(), err
	}
	fine, observed := c.normal(ctx)
	return grade(fine, "response after %s; next prompt: %s", span(stop.took), observed), nil
}

// queueAfterAbort checks whether a queued message starts by itself after a
// stop. The agent may keep or drop it; the result states which.
func queueAfterAbort(ctx context.Context, t *trial) (verdict, error) {
	c, err := t.pi(ctx)
	if err != nil {
		return verdict{}, err
	}
	if _, _, err := c.speaking(ctx); err != nil {
		return verdict{}, err
	}
	if _, err := c.sendAndWait(ctx, map[string]any{"type": "follow_up", "message": t.short().text}, t.opts.Patience); err != nil {
		return skipped("%s", oneLine(err.Error())), nil
	}
	stop, err := c.abort(ctx)
	if err != nil {
		return verdict{}, err
	}
	v := stop.watch(ctx, c).verdict()
	state, err := c.state(ctx)
	return v.and(true, "%d still queued", state.Pending), err
}

// piNextTurn runs a short turn after a stop during text, and after a stop
// during a tool.
func piNextTurn(ctx context.Context, t *trial) (verdict, error) {
	c, err := t.pi(ctx)
	if err != nil {
		return verdict{}, err
	}
	if _, _, err := c.speaking(ctx); err != nil {
		return verdict{}, err
	}
	if stop, err := c.abort(ctx); err != nil || !stop.idle {
		return stop.verdict(), err
	}
	fine, observed := c.normal(ctx)
	v := grade(fine, "after text: %s", observed)
	if t.target.missing(shelled) != "" {
		return v, nil
	}
	_, _, err = c.inTool(ctx)
	switch {
	case errors.Is(err, errNoTool) && !fine:
		return v.and(false, "%s", oneLine(err.Error())), nil
	case err != nil:
		return verdict{}, err
	}
	if stop, err := c.abort(ctx); err != nil || !stop.idle {
		return v.and(false, "in a tool: %s", stop.verdict().observed), err
	}
	fine, observed = c.normal(ctx)
	return v.and(fine, "after a tool: %s", observed), nil
}

func piExitOnEOF(ctx context.Context, t *trial) (verdict, error) {
	c, err := t.pi(ctx)
	if err != nil {
		return verdict{}, err
	}
	if t.target.missing(shelled) != "" {
		return c.onEOF(ctx, "idle"), nil
	}
	if _, _, err := c.inTool(ctx); err != nil {
		return verdict{}, err
	}
	return c.onEOF(ctx, "in a tool"), nil
}
