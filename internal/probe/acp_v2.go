package probe

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/acp"
)

// v2 is the draft of the next version of the protocol.
const v2 = 2

// errNotV2 means that the agent has selected another version. The check is
// skipped.
var errNotV2 = errors.New("the agent does not support version 2")

// helloV2 connects to the agent and asks for version 2. It returns the version
// that the agent has selected.
func (t *trial) helloV2(ctx context.Context) (*acpClient, int, error) {
	c, err := t.connectACP(ctx)
	if err != nil {
		return nil, 0, err
	}
	var hello struct {
		Version int `json:"protocolVersion"`
	}
	err = c.requestAndWait(ctx, acp.MethodInitialize, map[string]any{
		"protocolVersion": v2, "info": acp.Implementation{Name: "bellcord-probe", Version: "1"}, "capabilities": map[string]any{},
	}, &hello)
	return c, hello.Version, err
}

// v2Negotiation asks for version 2. An agent must select the highest version
// that it supports, so a selection of version 1 is correct, too.
func v2Negotiation(ctx context.Context, t *trial) (verdict, error) {
	_, version, err := t.helloV2(ctx)
	if err != nil {
		return failed("asked for version %d: %s", v2, oneLine(err.Error())), nil
	}
	return grade(version == acp.Version || version == v2, "asked for version %d, it selected version %d", v2, version), nil
}

// openV2 opens a session in version 2, or returns errNotV2.
func (t *trial) openV2(ctx context.Context) (*acpClient, string, error) {
	c, version, err := t.helloV2(ctx)
	switch {
	case err != nil:
		return nil, "", err
	case version != v2:
		return nil, "", errNotV2
	}
	session, err := c.session(ctx)
	return c, session, err
}

// v2Turn runs a short turn. Its prompt is answered at its insertion, with the id
// of the message and without a stop reason. The turn ends with the state idle and
// a stop reason, and nothing of it follows.
func v2Turn(ctx context.Context, t *trial) (verdict, error) {
	c, session, err := t.openV2(ctx)
	if errors.Is(err, errNotV2) {
		return skipped("%s", err), nil
	} else if err != nil {
		return verdict{}, err
	}
	p, err := c.prompt(session, t.short())
	if err != nil {
		return verdict{}, err
	}
	return p.endV2(ctx, acp.StopEndTurn, 2*t.opts.Patience), nil
}

// v2Cancel cancels a turn during its text.
func v2Cancel(ctx context.Context, t *trial) (verdict, error) {
	c, session, err := t.openV2(ctx)
	if errors.Is(err, errNotV2) {
		return skipped("%s", err), nil
	} else if err != nil {
		return verdict{}, err
	}
	p, err := c.prompt(session, t.long())
	if err != nil {
		return verdict{}, err
	}
	if _, n := c.messages.await(ctx, p.from, normally, func(m acpMessage) bool { return strings.HasPrefix(m.stateOf(session).Kind, "agent_") }); n < 0 {
		return failed("the turn produced no output"), nil
	}
	if err := p.sendLines(cancelOf(session)); err != nil {
		return verdict{}, err
	}
	return p.endV2(ctx, acp.StopCancelled, t.opts.Patience), nil
}

// updateV2 contains the members of an update that the checks use.
type updateV2 struct {
	Kind   string         `json:"sessionUpdate"`
	State  string         `json:"state"`
	Reason acp.StopReason `json:"stopReason"`
}

// stateOf returns the update in the message, if it belongs to the session.
func (m acpMessage) stateOf(session string) updateV2 {
	var p struct {
		Session string   `json:"sessionId"`
		Update  updateV2 `json:"update"`
	}
	if m.Method != acp.MethodUpdate || json.Unmarshal(m.Params, &p) != nil || p.Session != session {
		return updateV2{}
	}
	return p.Update
}

// endV2 waits for the end of a turn and grades it.
func (p *acpPrompt) endV2(ctx context.Context, want acp.StopReason, within time.Duration) verdict {
	log := p.c.messages
	idle, at := log.await(ctx, p.from, within, func(m acpMessage) bool {
		u := m.stateOf(p.session)
		return u.Kind == "state_update" && u.State == "idle" && u.Reason != ""
	})
	if at < 0 {
		return failed("no state idle with a stop reason after %s", span(within))
	}
	took := max(0, idle.at.Sub(p.since))
	reason := idle.stateOf(p.session).Reason
	inTime := want != acp.StopCancelled || took <= bound
	v := grade(reason == want && inTime, "idle with %s after %s", reason, span(took))
	answer, n := log.await(ctx, p.from, 0, func(m acpMessage) bool { return m.answers(p.id) })
	var inserted struct {
		Message string `json:"messageId"`
		Reason  string `json:"stopReason"`
	}
	switch {
	case n < 0:
		return v.and(false, "the prompt was not answered")
	case answer.Error != nil:
		return v.and(false, "the prompt was answered with %s", answer.reason())
	}
	_ = json.Unmarshal(answer.Result, &inserted)
	v = v.and(n < at && inserted.Message != "" && inserted.Reason == "", "prompt answered at its insertion: %t", n < at && inserted.Reason == "")
	quiet := p.c.trial.opts.Quiet
	late, found := log.await(ctx, at+1, quiet, func(m acpMessage) bool {
		kind := m.stateOf(p.session).Kind
		return strings.HasPrefix(kind, "agent_") || strings.HasPrefix(kind, "tool_call") || strings.HasPrefix(kind, "plan")
	})
	if found >= 0 {
		return v.and(false, "%s %s after idle", late.stateOf(p.session).Kind, span(late.at.Sub(idle.at)))
	}
	return v.and(true, "no updates of the turn in the %s after idle", span(quiet))
}
