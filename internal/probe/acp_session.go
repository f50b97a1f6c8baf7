package probe

import (
	"context"
	"errors"
	"strings"

	"github.com/bellcord/bellcord/internal/acp"
)

// overlappingPrompts sends a second prompt while a turn is running. The agent
// may queue it, reject it, or replace the first turn. It fails if a prompt is
// never answered or the first one cannot be cancelled.
func overlappingPrompts(ctx context.Context, t *trial) (verdict, error) {
	c, first, err := t.startTalking(ctx)
	if err != nil {
		return verdict{}, err
	}
	second, err := c.prompt(first.session, t.short())
	if err != nil {
		return verdict{}, err
	}
	refused := second.awaitAnswer(ctx, t.opts.Quiet/2) // time for the agent to reject it
	words := "second queued"
	switch {
	case first.awaitAnswer(ctx, 0).n >= 0:
		words = "second replaced the first"
	case refused.n >= 0 && refused.Error != nil:
		words = "second rejected"
	case refused.n >= 0:
		words = "second answered while the first was running"
	}
	a, err := first.cancelAndWait(ctx)
	if err != nil {
		return verdict{}, err
	}
	b := second.awaitAnswer(ctx, 2*t.opts.Patience)
	answered := func(a acpAnswer) string {
		if a.n < 0 {
			return a.String()
		}
		return a.reason()
	}
	return grade(a.cancelled() && b.n >= 0, "%s; after the cancel: first %s, second %s", words, a, answered(b)), nil
}

func closeMidTurn(ctx context.Context, t *trial) (verdict, error) {
	c, session, err := t.open(ctx)
	if err != nil {
		return verdict{}, err
	}
	if !c.info.AgentCapabilities.SessionCapabilities.Close {
		return skipped("the agent does not support session/close"), nil
	}
	p, err := c.speaking(ctx, session)
	if err != nil {
		return verdict{}, err
	}
	id, line := c.request(acp.MethodCloseSession, acp.CloseSessionRequest{SessionID: session})
	closing := &acpPrompt{c: c, session: session, id: id, from: p.from}
	if err := closing.sendLines(line); err != nil {
		return verdict{}, err
	}
	closed := closing.awaitAnswer(ctx, t.opts.Patience)
	a := p.awaitAnswer(ctx, t.opts.Patience)
	switch {
	case a.n < 0:
		return failed("prompt: %s", a), nil
	case closed.n < 0:
		return failed("close: %s", closed), nil
	case closed.Error != nil:
		return failed("close: %s", closed), nil
	case closed.n < a.n:
		return failed("close answered %s before the prompt", span(a.at.Sub(closed.at))), nil
	}
	return passed("prompt %s, then close after %s", a.reason(), span(closed.took)), nil
}

// idleCancel sends a cancel while no turn is running. Opening another session
// in between ensures that the agent has read the cancel before the prompt.
func idleCancel(ctx context.Context, t *trial) (verdict, error) {
	c, session, err := t.open(ctx)
	if err != nil {
		return verdict{}, err
	}
	if err := c.writeLines(cancelOf(session)); err != nil {
		return verdict{}, err
	}
	if _, err := c.session(ctx); err != nil {
		return verdict{}, err
	}
	fine, observed, err := c.normal(ctx, session)
	return grade(fine, "next prompt: %s", observed), err
}

// nextTurn runs a short turn after a stop during text, and after a stop during
// a tool.
func nextTurn(ctx context.Context, t *trial) (verdict, error) {
	c, p, err := t.startTalking(ctx)
	if err != nil {
		return verdict{}, err
	}
	if a, err := p.cancelAndWait(ctx); err != nil || a.n < 0 {
		return p.verdict(a), err
	}
	fine, observed, err := c.normal(ctx, p.session)
	if err != nil || t.target.missing(shelled) != "" {
		return grade(fine, "after text: %s", observed), err
	}
	v := grade(fine, "after text: %s", observed)
	p, err = c.inToolAfterStop(ctx, p.session)
	switch {
	case errors.Is(err, errNoTool) && fine:
		return verdict{}, err
	case err != nil:
		return v.and(false, "%s", oneLine(err.Error())), nil
	}
	if a, err := p.cancelAndWait(ctx); err != nil || a.n < 0 {
		return v.and(false, "in a tool: %s", a), err
	}
	fine, observed, err = c.normal(ctx, p.session)
	return v.and(fine, "after a tool: %s", observed), err
}

// historyPaired stops one turn during its text and one during its tool, and
// checks how the model request of the third turn represents them.
func historyPaired(ctx context.Context, t *trial) (verdict, error) {
	c, text, err := t.startTalking(ctx)
	if err != nil {
		return verdict{}, err
	}
	cut, err := text.cancelAndWait(ctx)
	if err != nil || cut.n < 0 {
		return text.verdict(cut), err
	}
	tool, err := c.inToolAfterStop(ctx, text.session)
	if err != nil {
		return verdict{}, err
	}
	if a, err := tool.cancelAndWait(ctx); err != nil || a.n < 0 {
		return tool.verdict(a), err
	}
	last, err := c.prompt(text.session, t.short())
	if err != nil {
		return verdict{}, err
	}
	a := last.awaitAnswer(ctx, normally)
	for _, q := range t.target.Model.Requests() {
		if strings.Contains(q.Prompt, last.nonce) {
			return gradeHistory(q.Raw, stops{text.nonce, tool.nonce, last.nonce, c.messagesBetween(text.from, cut.n, text.session)}), nil
		}
	}
	return failed("the agent sent no further model request: %s", a), nil
}

// exitOnEOF closes the agent's input, during a tool if possible.
func exitOnEOF(ctx context.Context, t *trial) (verdict, error) {
	c, session, err := t.open(ctx)
	if err != nil {
		return verdict{}, err
	}
	if t.target.missing(shelled) != "" {
		return c.process.onEOF(ctx, "idle"), nil
	}
	if _, _, err := c.inTool(ctx, session); err != nil {
		return verdict{}, err
	}
	return c.process.onEOF(ctx, "in a tool"), nil
}
