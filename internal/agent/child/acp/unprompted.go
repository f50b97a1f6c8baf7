package acp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// Agents that report the end of such work do it with an update (version 2 of the
// protocol, or the usage that names another origin than the user), or with
// methodTurnEnded. The work of other agents ends when no call and no request is
// open and the agent has sent nothing for quietTime, or for quietBeforePrompt if a
// prompt waits.
const (
	methodTurnEnded   = "_session/turn_ended"
	quietTime         = 30 * time.Second
	quietBeforePrompt = 2 * time.Second
)

// Continue implements child.Unprompted.
func (s *speaker) Continue(ctx context.Context, w *hub.Work) error {
	err := w.Step(ctx, bellcord.StepStarted{Model: s.modelName()})
	t := s.startTurn(ctx, w, make(chan struct{}, 1))
	defer s.finish(t)
	defer context.AfterFunc(s.wire.life, func() { t.receiveResponse(answer{err: jsonrpc.ErrClosed}) })()
	if err != nil && ctx.Err() == nil { // the store has failed: the work cannot be recorded
		t.leaveOpen()
		return err
	}
	return t.followWork()
}

// followWork returns when the agent has ended its work.
func (t *turn) followWork() error {
	quiet, followed := quietTime, t.w.Report().Followed()
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	for {
		select {
		case a := <-t.answered:
			return t.concludeWork(a)
		case <-t.ctx.Done():
			return t.cancelPrompt()
		case <-t.active:
		case <-followed:
			quiet, followed = quietBeforePrompt, nil
		case <-timer.C:
			if !t.isBusy() {
				return t.concludeWork(answer{})
			}
		}
		timer.Reset(quiet)
	}
}

// concludeWork ends a turn that was not stopped.
func (t *turn) concludeWork(a answer) error {
	if a.err != nil {
		t.leaveOpen()
		return lost(a.err)
	}
	t.receiveResponse(a) // what follows is not part of the turn
	t.closeOpen()
	return t.w.Emit(bellcord.StepEnded{Finish: bellcord.FinishStop})
}

// isBusy reports whether a call or a request of the agent is open.
func (t *turn) isBusy() bool {
	t.speaker.mu.Lock()
	requests := len(t.requests)
	t.speaker.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.calls {
		if !c.ended {
			return true
		}
	}
	return requests > 0
}

// noteActivity restarts the time after which work without a prompt counts as ended.
func (t *turn) noteActivity() {
	select {
	case t.active <- struct{}{}: // blocks if active is nil
	default:
	}
}

// endWork handles methodTurnEnded.
func (s *speaker) endWork(params json.RawMessage) {
	var p received
	_ = json.Unmarshal(params, &p) // invalid params contain no session id
	if t, ours := s.at(p.SessionID); ours && t != nil && t.active != nil {
		t.receiveResponse(answer{})
	}
}

// endsWork reports whether an update is the last one of work without a prompt.
func endsWork(r received) bool {
	if u, is := r.value.(acp.UsageUpdate); is {
		var meta struct {
			Origin struct {
				Kind string `json:"kind"`
			} `json:"_claude/origin"`
		}
		return json.Unmarshal(u.Meta, &meta) == nil && meta.Origin.Kind != "" && meta.Origin.Kind != "human"
	}
	return stateOf(r) == "idle"
}

// stateOf returns the state in an update of version 2, or "".
func stateOf(r received) string {
	var u struct {
		State string `json:"state"`
	}
	if r.kind != "state_update" || json.Unmarshal(r.Update, &u) != nil {
		return ""
	}
	return u.State
}
