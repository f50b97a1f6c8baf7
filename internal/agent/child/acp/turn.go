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
	"github.com/bellcord/bellcord/internal/realdir"
)

// turn is one prompt that the agent processes.
type turn struct {
	*speaker
	session string          // the agent's session id
	ctx     context.Context // the turn's context: it is done on a stop
	w       *hub.Work

	answered   chan answer   // receives the response to the prompt, or the end of work without a prompt
	cancelSent chan struct{} // closed when the cancel has been sent or is no longer needed

	// The agent's requests. pending is their context, which is done at the end
	// of the turn, stopped or not.
	pending  context.Context
	dismiss  context.CancelCauseFunc
	work     sync.WaitGroup
	requests map[string]context.CancelCauseFunc // by the agent's request id; protected by speaker.mu

	elicited elicitations
	active   chan struct{} // holds a token if the agent has sent something; nil in the turn of a prompt

	held realdir.Held // the session's directories

	mu        sync.Mutex // held while bodies are emitted, to keep them in order
	closed    bool       // the prompt was answered: later updates are not part of the turn
	calls     []*call
	terminals map[string]*terminal
	own       int             // number of calls emitted for effects outside of the agent's calls
	messages  map[string]bool // ids of the messages in the turn

	lastContext bellcord.ContextUse // as last recorded

	imports bool           // the turn records an earlier conversation
	prompt  importedPrompt // a message of the user in it that is not complete
}

// errOver cancels the requests of a turn that is over.
var errOver = errors.New("the turn has ended")

// Turn implements child.Speaker.
func (s *speaker) Turn(ctx context.Context, w *hub.Work, p child.Prompt) error {
	blocks := s.blocks(p)
	text := p.Note + p.Text
	if err := w.Step(ctx, bellcord.StepStarted{Model: s.modelName(), EstimatedInput: int64(len(text)+3) / 4}); err != nil {
		return err // nothing was sent to the agent
	}
	t := s.startTurn(ctx, w, nil)
	defer s.finish(t)
	t.warnOfMode()
	s.wire.request(acp.MethodPrompt, promptRequest{t.session, blocks}, t.receiveResponse)
	select {
	case a := <-t.answered:
		return t.conclude(a)
	case <-ctx.Done():
		return t.cancelPrompt()
	}
}

// promptRequest is acp.PromptRequest with blocks as the client composed them.
type promptRequest struct {
	SessionID string `json:"sessionId"`
	Prompt    []any  `json:"prompt"`
}

// startTurn starts a turn. It begins with what the agent has sent since the last
// one, if that is work without a prompt.
func (s *speaker) startTurn(ctx context.Context, w *hub.Work, active chan struct{}) *turn {
	t := &turn{
		speaker: s, session: s.session, ctx: ctx, w: w, active: active, messages: map[string]bool{},
		answered: make(chan answer, 1), cancelSent: make(chan struct{}),
		requests: map[string]context.CancelCauseFunc{}, terminals: map[string]*terminal{},
	}
	t.pending, t.dismiss = context.WithCancelCause(ctx) // for the agent's requests: cancelling it does not stop the turn
	s.mu.Lock()
	s.turn = t
	title := s.title
	s.title = ""
	held := s.waiting.take()
	s.mu.Unlock()
	w.SetTitle(title)
	for _, m := range held {
		s.dispatch(m)
	}
	s.resumeReader()
	return t
}

// finish cancels the agent's requests in the turn and returns when all of them
// have ended.
func (s *speaker) finish(t *turn) {
	s.endTrail(t)
	s.mu.Lock()
	s.turn = nil
	s.mu.Unlock()
	select {
	case <-t.cancelSent:
	default:
		close(t.cancelSent)
	}
	t.dismiss(errOver)
	t.work.Wait()
}

// receiveResponse is called by the reader. Later messages are not part of the
// turn.
func (t *turn) receiveResponse(a answer) {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.endTrail(t)
	select {
	case t.answered <- a:
	default: // the end of work without a prompt was reported twice
	}
}

// Times of a stop.
const (
	// firstReminder and secondReminder are the times after which the cancel is
	// repeated if the agent has not responded: it may have lost the first one
	// while it started the turn.
	firstReminder  = 300 * time.Millisecond
	secondReminder = time.Second
	// forcedPatience replaces the rest of child.Patience after a forced stop.
	forcedPatience = 250 * time.Millisecond
)

// cancelPrompt sends the agent a cancel and waits for its response to the
// prompt. The content of the response does not matter.
func (t *turn) cancelPrompt() error {
	cancel := func() { t.wire.notify(acp.MethodCancel, acp.CancelNotification{SessionID: t.session}) }
	cancel()
	close(t.cancelSent)
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

// reply is an agent's response to a prompt. Usage is not in the stable schema.
type reply struct {
	acp.PromptResponse
	Usage *spent `json:"usage"`
}

// conclude ends a turn that was not stopped.
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
	end := bellcord.StepEnded{Usage: r.Usage.usage(), AgentReply: acp.MembersOf(a.result).Without("stopReason").JSON()}
	switch r.StopReason {
	case acp.StopMaxTokens, acp.StopMaxTurnRequests:
		end.Finish = bellcord.FinishMaxOutput
	case acp.StopRefusal:
		end.Finish = bellcord.FinishRefused
	case acp.StopCancelled:
		end.Finish = bellcord.FinishStopped
		return errors.Join(t.w.Emit(end), errors.New("the agent cancelled the turn by itself"))
	case acp.StopEndTurn:
		end.Finish = bellcord.FinishStop
	default: // not defined in the protocol
		end.Finish = bellcord.FinishStop
	}
	return t.w.Emit(end)
}

func (t *turn) isClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}
