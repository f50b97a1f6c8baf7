package probe

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/acp"
)

// acpPrompt is a prompt that was sent.
type acpPrompt struct {
	script
	c       *acpClient
	session string
	id      string
	from    int       // position in the journal where its turn starts
	since   time.Time // when the prompt or the stop was sent
}

// compose returns a prompt and the line that sends it.
func (c *acpClient) compose(session string, s script) (*acpPrompt, []byte) {
	id, line := c.request(acp.MethodPrompt, acp.PromptRequest{SessionID: session, Prompt: []acp.ContentBlock{acp.Text(s.text)}})
	return &acpPrompt{script: s, c: c, session: session, id: id, from: c.messages.len(), since: time.Now()}, line
}

func (c *acpClient) prompt(session string, s script) (*acpPrompt, error) {
	p, line := c.compose(session, s)
	return p, c.writeLines(line)
}

// speaking sends a long prompt and waits until its turn produces text.
func (c *acpClient) speaking(ctx context.Context, session string) (*acpPrompt, error) {
	p, err := c.prompt(session, c.trial.long())
	if err != nil {
		return nil, err
	}
	m, n := c.messages.await(ctx, p.from, normally, func(m acpMessage) bool { return m.isText(session) || m.answers(p.id) })
	switch {
	case n < 0:
		return nil, fmt.Errorf("the turn produced no output%s", c.lastWords())
	case m.answers(p.id):
		return nil, fmt.Errorf("%s before the turn produced any output", m.reason())
	}
	return p, nil
}

// acpAnswer is the first response to a prompt, or its absence.
type acpAnswer struct {
	acpMessage
	n     int           // position in the journal; -1 if there was no response
	took  time.Duration // until the response arrived or the wait ended
	early bool          // arrived before the stop was sent
}

// awaitAnswer waits for the response, for a limited time.
func (p *acpPrompt) awaitAnswer(ctx context.Context, within time.Duration) acpAnswer {
	m, n := p.c.messages.await(ctx, p.from, within, func(m acpMessage) bool { return m.answers(p.id) })
	if n < 0 {
		return acpAnswer{n: n, took: time.Since(p.since)}
	}
	return acpAnswer{m, n, max(0, m.at.Sub(p.since)), m.at.Before(p.since)}
}

// sendLines writes the lines that should end the turn. The response is timed
// from here on.
func (p *acpPrompt) sendLines(lines ...[]byte) error {
	p.since = time.Now()
	return p.c.writeLines(lines...)
}

// cancelAndWait sends a cancel and waits for the response to the prompt.
func (p *acpPrompt) cancelAndWait(ctx context.Context) (acpAnswer, error) {
	if err := p.sendLines(cancelOf(p.session)); err != nil {
		return acpAnswer{}, err
	}
	return p.awaitAnswer(ctx, p.c.trial.opts.Patience), nil
}

func (a acpAnswer) String() string {
	if a.n < 0 {
		return "no answer after " + span(a.took)
	}
	words := a.reason() + " after " + span(a.took)
	if a.reason() == string(acp.StopCancelled) && a.took > bound {
		words += ", later than " + span(bound)
	}
	return words
}

func (a acpAnswer) cancelled() bool {
	return a.n >= 0 && a.reason() == string(acp.StopCancelled) && a.took <= bound
}

// verdict grades a response to a cancel. Without a scripted model, the turn may
// have ended before the cancel; that is a skip.
func (p *acpPrompt) verdict(a acpAnswer) verdict {
	if a.early && !p.c.trial.target.scripted() {
		return skipped("%s before the cancel", a.reason())
	}
	return grade(a.cancelled(), "%s", a)
}

// normal runs a short turn and reports whether it ended normally, with a
// description of what was observed.
func (c *acpClient) normal(ctx context.Context, session string) (bool, string, error) {
	p, err := c.prompt(session, c.trial.short())
	if err != nil {
		return false, "", err
	}
	a := p.awaitAnswer(ctx, normally)
	if a.n < 0 || a.reason() != string(acp.StopEndTurn) {
		return false, a.String(), nil
	}
	if c.trial.target.scripted() && !strings.Contains(c.messagesBetween(p.from, a.n, session), shortReply(p.nonce)) {
		return false, "end_turn without the expected text", nil
	}
	return true, "end_turn", nil
}

// messagesBetween returns the text of a session between two positions of the
// journal.
func (c *acpClient) messagesBetween(from, to int, session string) string {
	var b strings.Builder
	for _, m := range c.messages.since(from)[:to-from] {
		if m.session == session {
			b.WriteString(m.addedText())
		}
	}
	return b.String()
}
