package probe

import (
	"context"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord/internal/acp"
)

// backgroundWork runs a command that starts processes in the background and
// exits. Every call must have ended at the answer to the prompt. Processes that
// continue after it must end with the session.
func backgroundWork(ctx context.Context, t *trial) (verdict, error) {
	p, a, err := t.leave(ctx, staysForYears)
	if err != nil {
		return verdict{}, err
	}
	c, session, token := p.c, p.session, p.token
	first := len(holders(token))
	pause(ctx, t.opts.Later)
	second := len(holders(token))
	open := openCalls(c.messages.since(p.from)[:a.n-p.from], session)
	v := grade(len(open) == 0, "%s; %d calls without an end; %d processes alive at the answer, %d after %s", a.reason(), len(open), first, second, span(t.opts.Later))
	if second == 0 {
		return v, nil
	}
	return c.endBackground(ctx, session, token, v)
}

// endBackground tries to end work that has outlived its turn, and adds what is
// left to the verdict: after a cancel, and after session/close if the agent
// supports it.
func (c *acpClient) endBackground(ctx context.Context, session, token string, v verdict) (verdict, error) {
	if err := c.writeLines(cancelOf(session)); err != nil {
		return verdict{}, err
	}
	pause(ctx, c.trial.opts.Later)
	left := len(holders(token))
	v = v.and(true, "%d after a cancel", left)
	if !c.info.AgentCapabilities.SessionCapabilities.Close {
		return v.and(left == 0, "session/close is not offered"), nil
	}
	var closed struct{}
	if err := c.requestAndWait(ctx, acp.MethodCloseSession, acp.CloseSessionRequest{SessionID: session}, &closed); err != nil {
		return v.and(false, "%s", oneLine(err.Error())), nil
	}
	pause(ctx, c.trial.opts.Later)
	left = len(holders(token))
	return v.and(left == 0, "%d after session/close", left), nil
}

// leave starts the agent and runs a command that leaves processes in the
// background. It returns the answer to its prompt.
func (t *trial) leave(ctx context.Context, stay staying) (*leaver, acpAnswer, error) {
	c, session, err := t.open(ctx)
	if err != nil {
		return nil, acpAnswer{}, err
	}
	s, token := t.leavers(stay)
	p, err := c.prompt(session, s)
	if err != nil {
		return nil, acpAnswer{}, err
	}
	a := p.awaitAnswer(ctx, normally)
	switch {
	case a.n < 0:
		err = fmt.Errorf("a command with a background process: %s", a)
	case !t.began(token):
		err = fmt.Errorf("%w: %s%s", errNoTool, a, c.lastWords())
	}
	return &leaver{p, token}, a, err
}

// leaver is a prompt whose command leaves processes with the token.
type leaver struct {
	*acpPrompt
	token string
}

// staying is how long processes stay in the background: the digits of their
// time in seconds that precede the token.
type staying string

const (
	staysForYears staying = ""
	endsSoon      staying = "1."
)

// leavers returns a prompt for a turn with a shell command that leaves two
// sleeping processes in the background.
func (t *trial) leavers(stay staying) (s script, token string) {
	s, token = t.sleepers()
	quiet := ">/dev/null 2>&1 </dev/null"
	args := t.target.ShellArgs(fmt.Sprintf("mkdir %[1]s && { sleep %[2]s1 %[3]s & sleep %[2]s2 %[3]s & } ; echo started",
		onceOf(token), string(stay)+token, quiet))
	s.text = fmt.Sprintf("%s [tool %s %s] [then [say %s]]", s.nonce, t.target.ShellTool, args, shortReply(s.nonce))
	return s, token
}

// openCalls returns the calls of a session whose last status is not final.
func openCalls(messages []acpMessage, session string) []string {
	status := map[string]acp.ToolCallStatus{}
	for _, m := range messages {
		if call, now := m.toolCall(); m.session == session && call != "" && (now != "" || status[call] == "") {
			status[call] = now
		}
	}
	var open []string
	for call, now := range status {
		if !isFinal(now) {
			open = append(open, strings.TrimSpace(call+" "+string(now)))
		}
	}
	return open
}

// isFinal reports whether a call with this status has ended.
func isFinal(status acp.ToolCallStatus) bool {
	return status == acp.CallCompleted || status == acp.CallFailed || status == "cancelled"
}
