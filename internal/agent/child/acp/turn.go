package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/agent/child"
)

// turn is one prompt that the agent works on.
type turn struct {
	*speaker
	session string          // as the agent names it
	ctx     context.Context // the turn's own: its end is the stop
	w       *hub.Work

	answered chan answer   // gets the prompt's answer
	told     chan struct{} // closed when the agent has been told of the stop, or need not be

	// Of what the agent asks for: it ends with the turn, stopped or not.
	errands  context.Context
	dismiss  context.CancelCauseFunc
	work     sync.WaitGroup
	requests map[string]context.CancelCauseFunc // by the agent's id; guarded by the speaker's lock

	mu        sync.Mutex // held while bodies are emitted, so that they keep their order
	closed    bool       // the prompt is answered: what comes now is no part of the turn
	calls     []*call
	terminals map[string]*terminal
	lastUse   int64 // of the context, as the agent told it
	own       int   // calls that are ours, not the agent's
}

// errOver ends what the agent asked for in a turn that is over.
var errOver = errors.New("the turn has ended")

// Turn implements child.Speaker.
func (s *speaker) Turn(ctx context.Context, w *hub.Work, text string) error {
	blocks := s.blocks(w.Prompt, text)
	if err := w.Step(ctx, bellcord.StepStarted{Model: s.spoken(), EstimatedInput: int64(len(text)+3) / 4}); err != nil {
		return err // the agent has heard of nothing
	}
	t := s.startTurn(ctx, w)
	defer s.finish(t)
	s.wire.request(acp.MethodPrompt, acp.PromptRequest{SessionID: t.session, Prompt: blocks}, t.receiveResponse)
	select {
	case a := <-t.answered:
		return t.conclude(a)
	case <-ctx.Done():
		return t.cancelPrompt()
	}
}

func (s *speaker) startTurn(ctx context.Context, w *hub.Work) *turn {
	t := &turn{
		speaker: s, session: s.session, ctx: ctx, w: w,
		answered: make(chan answer, 1), told: make(chan struct{}),
		requests: map[string]context.CancelCauseFunc{}, terminals: map[string]*terminal{},
	}
	t.errands, t.dismiss = context.WithCancelCause(ctx) // of the agent's requests: it cannot end the turn, and the turn ends it
	s.mu.Lock()
	s.turn = t
	title := s.title
	s.title = ""
	s.mu.Unlock()
	w.SetTitle(title)
	return t
}

// finish ends all that was done for the agent in the turn, and returns when it
// is over.
func (s *speaker) finish(t *turn) {
	s.mu.Lock()
	s.turn = nil
	s.mu.Unlock()
	select {
	case <-t.told:
	default:
		close(t.told)
	}
	t.dismiss(errOver)
	t.work.Wait()
}

// receiveResponse is called by the reader: whatever it reads next is too late.
func (t *turn) receiveResponse(a answer) {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.answered <- a
}

// Of a stop.
const (
	// firstReminder and secondReminder are when an agent that has not answered is
	// told again: the first word may have been lost in its start of the turn.
	firstReminder  = 300 * time.Millisecond
	secondReminder = time.Second
	// forcedPatience is what is left of child.Patience after a forced stop.
	forcedPatience = 250 * time.Millisecond
)

// cancelPrompt sends the agent a cancel and waits for its response to the
// prompt. The content of the response does not matter.
func (t *turn) cancelPrompt() error {
	cancel := func() { t.wire.notify(acp.MethodCancel, acp.CancelNotification{SessionID: t.session}) }
	cancel()
	close(t.told)
	first, second, last := time.NewTimer(firstReminder), time.NewTimer(secondReminder), time.NewTimer(child.Patience)
	defer first.Stop()
	defer second.Stop()
	defer last.Stop()
	forced := bellcord.Forced(t.ctx)
	for {
		select {
		case a := <-t.answered:
			t.leaveOpen()
			if errors.Is(lost(a.err), child.ErrGone) {
				return child.ErrGone
			}
			return context.Cause(t.ctx)
		case <-first.C:
			cancel()
		case <-second.C:
			cancel()
		case <-forced:
			forced = nil
			last.Reset(forcedPatience)
		case <-last.C:
			t.leaveOpen()
			return child.ErrDeaf
		}
	}
}

// reply is an agent's answer to a prompt. Usage is not in the stable schema.
type reply struct {
	acp.PromptResponse
	Usage *spent `json:"usage"`
}

// conclude is the end of a turn that was not stopped.
func (t *turn) conclude(a answer) error {
	if a.err != nil {
		t.leaveOpen()
		if err := lost(a.err); errors.Is(err, child.ErrGone) {
			return err
		}
		return fmt.Errorf("the agent failed: %w", plainly(a.err))
	}
	var r reply
	if err := json.Unmarshal(a.result, &r); err != nil {
		t.leaveOpen()
		return fmt.Errorf("reading the agent's answer: %w", err)
	}
	t.closeOpen()
	end := bellcord.StepEnded{Usage: r.Usage.usage()}
	switch r.StopReason {
	case acp.StopMaxTokens, acp.StopMaxTurnRequests:
		end.Finish = bellcord.FinishMaxOutput
	case acp.StopRefusal:
		end.Finish = bellcord.FinishRefused
	case acp.StopCancelled:
		return errors.Join(t.w.Emit(bellcord.StepEnded{Finish: bellcord.FinishStopped, Usage: end.Usage}), errors.New("the agent cancelled the turn by itself"))
	case acp.StopEndTurn:
		end.Finish = bellcord.FinishStop
	default: // a reason that is not in the protocol
		end.Finish = bellcord.FinishStop
	}
	return t.w.Emit(end)
}

func (t *turn) isClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}
