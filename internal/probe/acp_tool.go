package probe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/acp"
)

// inTool sends a prompt with a tool call that sleeps, and waits until its
// processes are running.
func (c *acpClient) inTool(ctx context.Context, session string) (*acpPrompt, string, error) {
	s, token := c.trial.sleepers()
	p, err := c.prompt(session, s)
	if err != nil {
		return nil, "", err
	}
	over := func() bool {
		for _, m := range c.messages.since(p.from) {
			if m.answers(p.id) {
				return true
			}
		}
		return false
	}
	if !asleep(ctx, token, normally, over) {
		return nil, "", fmt.Errorf("%w: %s%s", errNoTool, p.awaitAnswer(ctx, 0), c.lastWords())
	}
	return p, token, nil
}

// inToolAfterStop is inTool in a session whose last turn was stopped. If no
// command runs there, it tries one in a new process of the agent: if that one
// runs, the stop is the cause, and the error is a failure. Otherwise, the shell
// does not run at all, and the error is errNoTool.
func (c *acpClient) inToolAfterStop(ctx context.Context, session string) (*acpPrompt, error) {
	p, _, err := c.inTool(ctx, session)
	if !errors.Is(err, errNoTool) {
		return p, err
	}
	if _, _, control := c.trial.beginTool(ctx); control != nil {
		return nil, control
	}
	return nil, fmt.Errorf("after a stop no command runs: %s", withoutNoTool(err))
}

// withoutNoTool returns the text of an error without that of errNoTool.
func withoutNoTool(err error) string {
	return strings.TrimPrefix(err.Error(), errNoTool.Error()+": ")
}

// beginTool starts the agent and a turn with a tool that sleeps.
func (t *trial) beginTool(ctx context.Context) (*acpClient, *acpPrompt, error) {
	c, session, err := t.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	p, _, err := c.inTool(ctx, session)
	return c, p, err
}

// cancelInTool stops commands of several ages, each in a new session.
func cancelInTool(ctx context.Context, t *trial) (verdict, error) {
	c, err := t.acp(ctx)
	if err != nil {
		return verdict{}, err
	}
	return t.stopAtAges(ctx, c.process, func() (string, func() (verdict, error), error) {
		session, err := c.session(ctx)
		if err != nil {
			return "", nil, err
		}
		p, token, err := c.inTool(ctx, session)
		return token, func() (verdict, error) {
			a, err := p.cancelAndWait(ctx)
			if err != nil {
				return verdict{}, err
			}
			return p.verdict(a), nil
		}, err
	})
}

// stopAtAges stops commands of several ages: some agents end a command only right
// after its start. begin starts a command, and returns its token and the stop. The
// processes are counted at the time of the response, later while the agent is
// running, and after the agent has exited.
func (t *trial) stopAtAges(ctx context.Context, a *agent, begin func() (token string, stop func() (verdict, error), err error)) (verdict, error) {
	var left leftovers
	var v verdict
	for _, age := range t.opts.Ages {
		token, stop, err := begin()
		switch {
		case errors.Is(err, errNoTool) && len(left.tokens) > 0:
			return v.and(false, "the command after a stop did not run"), nil
		case err != nil:
			return verdict{}, err
		}
		pause(ctx, age)
		if v, err = stop(); err != nil {
			return verdict{}, err
		}
		if left.count(token, age); v.grade != Pass || left.first > 0 {
			break
		}
	}
	return t.aftermath(ctx, a, left, v), nil
}

// leftovers are the processes that stopped commands left alive.
type leftovers struct {
	tokens []string
	first  int           // processes at the responses
	oldest time.Duration // age of the last command at its stop
}

// count counts the processes of a command that was just stopped.
func (l *leftovers) count(token string, age time.Duration) {
	l.tokens, l.oldest = append(l.tokens, token), age
	l.first += len(holders(token))
}

// aftermath counts the processes that stopped commands left alive.
func (t *trial) aftermath(ctx context.Context, a *agent, left leftovers, v verdict) verdict {
	pause(ctx, t.opts.Later)
	second, third := 0, 0
	for _, token := range left.tokens {
		second += len(holders(token))
	}
	_, _, report := a.shutDown()
	for _, token := range left.tokens {
		third += tokens(append(report.Ended, report.Survivors...), token)
	}
	return v.and(left.first+second+third == 0, "stopped up to %s after the start: %d processes alive at the answer, %d after %s, %d after the agent exited",
		span(left.oldest), left.first, second, span(t.opts.Later), third)
}

func toolFinalStatus(ctx context.Context, t *trial) (verdict, error) {
	c, p, err := t.beginTool(ctx)
	if err != nil {
		return verdict{}, err
	}
	a, err := p.cancelAndWait(ctx)
	switch {
	case err != nil:
		return verdict{}, err
	case a.n < 0:
		return p.verdict(a), nil
	}
	status := map[string]acp.ToolCallStatus{}
	var order []string
	for _, m := range c.messages.since(p.from)[:a.n-p.from] {
		call, now := m.toolCall()
		if m.session != p.session || call == "" {
			continue
		}
		if _, known := status[call]; !known {
			order, status[call] = append(order, call), "no status"
		}
		if now != "" {
			status[call] = now
		}
	}
	if len(order) == 0 {
		return failed("the agent never reported the call"), nil
	}
	final, words := true, make([]string, len(order))
	for i, tool := range order {
		words[i] = string(status[tool])
		final = final && isFinal(status[tool])
	}
	return grade(final, "at the answer: %s", strings.Join(words, ", ")), nil
}

// errNoPermissionRequest means that the agent runs commands without requesting permission.
var errNoPermissionRequest = errors.New("started like this, the agent runs commands without asking")

// awaitPermissionRequest sends a prompt with a tool call that needs permission, and waits for
// the permission request.
func (t *trial) awaitPermissionRequest(ctx context.Context) (p *acpPrompt, question acpMessage, token string, err error) {
	c, session, err := t.open(ctx)
	if err != nil {
		return nil, question, "", err
	}
	c.holding.Store(true)
	s, token := t.sleepers()
	if p, err = c.prompt(session, s); err != nil {
		return nil, question, "", err
	}
	settled := func(m acpMessage) bool { return m.isPermissionRequest(session) || m.answers(p.id) }
	ran := asleep(ctx, token, normally, func() bool {
		m, n := c.messages.await(ctx, p.from, 0, settled)
		question = m
		return n >= 0
	})
	switch {
	case ran:
		return nil, question, "", errNoPermissionRequest
	case !question.isPermissionRequest(session):
		err = fmt.Errorf("%w, and the agent did not ask for permission: %s%s", errNoTool, p.awaitAnswer(ctx, 0), c.lastWords())
		return nil, question, "", err
	}
	return p, question, token, nil
}

// notBegun adds to the verdict whether the command ran although the client did
// not permit it.
func (t *trial) notBegun(ctx context.Context, token string, v verdict) verdict {
	pause(ctx, t.opts.Quiet)
	if t.began(token) {
		return v.and(false, "the command ran without the permission")
	}
	return v.and(true, "the command did not run")
}

func permissionUnanswered(ctx context.Context, t *trial) (verdict, error) {
	p, _, token, err := t.awaitPermissionRequest(ctx)
	if errors.Is(err, errNoPermissionRequest) {
		return skipped("%s", err), nil
	}
	if err != nil {
		return verdict{}, err
	}
	a, err := p.cancelAndWait(ctx)
	if err != nil {
		return verdict{}, err
	}
	return t.notBegun(ctx, token, p.verdict(a)), nil
}

func permissionCancelled(ctx context.Context, t *trial) (verdict, error) {
	p, question, token, err := t.awaitPermissionRequest(ctx)
	if errors.Is(err, errNoPermissionRequest) {
		return skipped("%s", err), nil
	}
	if err != nil {
		return verdict{}, err
	}
	outcome := encode(map[string]any{"jsonrpc": "2.0", "id": question.ID, "result": acp.CancelledPermission()})
	if err := p.sendLines(cancelOf(p.session), outcome); err != nil {
		return verdict{}, err
	}
	return t.notBegun(ctx, token, p.verdict(p.awaitAnswer(ctx, t.opts.Patience))), nil
}
