package probe

import (
	"context"
	"encoding/json"
	"time"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

func acpChecks() []check {
	return []check{
		{"cancel-mid-stream", "12, 16", nothing, cancelMidStream},
		{"cancel-same-write", "2", nothing, cancelSameWrite},
		{"cancel-in-tool", "15", shelled, cancelInTool},
		{"tool-final-status", "25", shelled, toolFinalStatus},
		{"permission-unanswered", "13, 30", shelled, permissionUnanswered},
		{"permission-cancelled", "30", shelled, permissionCancelled},
		{"cancel-request", "4", nothing, cancelRequest},
		{"overlapping-prompts", "29, 36", nothing, overlappingPrompts},
		{"close-mid-turn", "10", nothing, closeMidTurn},
		{"quiet-after-answer", "20", nothing, quietAfterAnswer},
		{"idle-cancel", "3", nothing, idleCancel},
		{"double-cancel", "7, 8", nothing, doubleCancel},
		{"next-turn", "1", nothing, nextTurn},
		{"history-paired", "21, 25", shelled, historyPaired},
		{"background-work", "15, 25", shelled, backgroundWork},
		{"unprompted-work", "15, 17", shelled, unpromptedWork},
		{"exit-on-eof", "15", started, exitOnEOF},
		{"cancel-after-cut", "4, 10", dialed, cancelAfterCut},
		{"v2-negotiation", "2", nothing, v2Negotiation},
		{"v2-turn", "20", nothing, v2Turn},
		{"v2-cancel", "12, 20", nothing, v2Cancel},
		{"messages-only", "–", nothing, messagesOnly}, // the last one: it grades the output of all others
	}
}

// startTalking starts the agent and a turn, and waits until it produces text.
func (t *trial) startTalking(ctx context.Context) (*acpClient, *acpPrompt, error) {
	c, session, err := t.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	p, err := c.speaking(ctx, session)
	return c, p, err
}

func cancelMidStream(ctx context.Context, t *trial) (verdict, error) {
	_, p, err := t.startTalking(ctx)
	if err != nil {
		return verdict{}, err
	}
	a, err := p.cancelAndWait(ctx)
	if err != nil || t.target.Model == nil {
		return p.verdict(a), err
	}
	if !t.left(ctx, p.nonce) {
		return p.verdict(a).and(false, "the model request is still open"), nil
	}
	return p.verdict(a).and(true, "the model request is closed"), nil
}

// cancelSameWrite counts lost cancels. The turns are shorter than in other
// checks, because after each lost cancel the check waits for the end of the
// turn.
func cancelSameWrite(ctx context.Context, t *trial) (verdict, error) {
	c, err := t.acp(ctx)
	if err != nil {
		return verdict{}, err
	}
	var tried, lost, hung int
	var slowest time.Duration
	var wrong acpAnswer
	for tried < t.opts.Tries && hung < 3 {
		session, err := c.session(ctx)
		if err != nil {
			return verdict{}, err
		}
		p, line := c.compose(session, t.talk(min(3*time.Second, t.opts.Patience*5/6)))
		if err := p.sendLines(line, cancelOf(session)); err != nil {
			return verdict{}, err
		}
		a := p.awaitAnswer(ctx, t.opts.Patience)
		tried++
		slowest = max(slowest, a.took)
		if !a.cancelled() {
			lost, wrong = lost+1, a
		}
		if a.n < 0 {
			hung++
		}
	}
	if lost > 0 {
		return failed("%d of %d lost: %s", lost, tried, wrong), nil
	}
	return passed("0 of %d lost, the slowest cancelled after %s", tried, span(slowest)), nil
}

// cancelRequest sends $/cancel_request, which an agent may ignore.
func cancelRequest(ctx context.Context, t *trial) (verdict, error) {
	_, p, err := t.startTalking(ctx)
	if err != nil {
		return verdict{}, err
	}
	if err := p.sendLines(notification(acp.MethodCancelRequest, acp.CancelRequestNotification{RequestID: json.RawMessage(p.id)})); err != nil {
		return verdict{}, err
	}
	a := p.awaitAnswer(ctx, t.opts.Patience/4)
	switch {
	case a.n < 0:
		return skipped("ignored for %s", span(a.took)), nil
	case a.Error != nil && a.Error.Code == jsonrpc.RequestCancelled:
		return passed("%s", a), nil
	}
	return p.verdict(a), nil
}

func doubleCancel(ctx context.Context, t *trial) (verdict, error) {
	c, p, err := t.startTalking(ctx)
	if err != nil {
		return verdict{}, err
	}
	if err := p.sendLines(cancelOf(p.session), cancelOf(p.session)); err != nil {
		return verdict{}, err
	}
	a := p.awaitAnswer(ctx, t.opts.Patience)
	if a.n < 0 {
		return p.verdict(a), nil
	}
	pause(ctx, t.opts.Quiet)
	answers := 0
	for _, m := range c.messages.since(p.from) {
		if m.answers(p.id) {
			answers++
		}
	}
	return grade(answers == 1, "%d answer(s), the first %s", answers, a), nil
}

// quietAfterAnswer stops one turn during its text and one during its tool.
func quietAfterAnswer(ctx context.Context, t *trial) (verdict, error) {
	c, p, err := t.startTalking(ctx)
	if err != nil {
		return verdict{}, err
	}
	v, err := p.quiet(ctx)
	if err != nil || v.grade != Pass || t.target.missing(shelled) != "" {
		return v, err
	}
	if p, err = c.inToolAfterStop(ctx, p.session); err != nil {
		return verdict{}, err
	}
	return p.quiet(ctx)
}

// quiet stops the turn and checks that no updates of it follow its response.
func (p *acpPrompt) quiet(ctx context.Context) (verdict, error) {
	a, err := p.cancelAndWait(ctx)
	if err != nil || a.n < 0 {
		return skipped("%s", a), err
	}
	watched := p.c.trial.opts.Quiet
	m, n := p.c.messages.await(ctx, a.n+1, watched, func(m acpMessage) bool { return m.works(p.session) })
	if n < 0 {
		return passed("no updates of the turn in the %s after its answer", span(watched)), nil
	}
	return failed("%s %s after the answer", m.update.Kind(), span(m.at.Sub(a.at))), nil
}
