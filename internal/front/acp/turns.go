package acp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/acp/blocks"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// prompt accepts a turn; a cancel after it returns finds the turn. The
// session's follower replies when it has seen the turn's end.
func (s *Server) prompt(m jsonrpc.Message) {
	if !m.IsRequest() { // a notification gets no reply
		return
	}
	p, err := decode[acp.PromptRequest](m.Params)
	if err != nil {
		s.sendReply(m.ID, failure(err))
		return
	}
	sess, err := s.session(p.SessionID)
	if err != nil {
		s.sendReply(m.ID, failure(err))
		return
	}
	input, err := s.readPrompt(p.Prompt, m.Params, sess.isHosted())
	if err == nil {
		input.Turn, err = turnOf(p.Meta)
	}
	if err != nil {
		s.sendReply(m.ID, failure(err))
		return
	}
	v, err := sess.hub.Configure(sess.id, bellcord.SessionUpdated{}) // reads the session, without I/O
	if err != nil {
		s.sendReply(m.ID, failure(err))
		return
	}
	command, text, err := sess.parseCommand(input.Text, v.Agent != "")
	switch {
	case err != nil:
		s.sendReply(m.ID, sess.replyText(input.Text, "", err))
	case command != nil:
		s.obey(m.ID, sess, command.Name, command.Rest)
	default:
		if input.Text != text {
			input.Text, input.Blocks = text, nil
		}
		s.accept(m.ID, sess, input)
	}
}

// accept starts a turn with the configured limits.
func (s *Server) accept(request json.RawMessage, sess *session, input bellcord.Prompt) {
	prompt := s.config.Load().Prompt
	prompt.Text, prompt.Images, prompt.Links, prompt.Task = input.Text, input.Images, input.Links, input.Task
	prompt.Blocks = input.Blocks
	prompt.Turn, prompt.OnDisconnect = cmp.Or(input.Turn, bellcord.NewTurnID()), sess.onDisconnect()
	if err := s.mayPrompt(sess, prompt.Turn); err != nil {
		s.sendReply(request, failure(err))
		return
	}
	sess.book.expect(prompt.Turn, request)
	s.applyEarlyCancel(request, sess, prompt.Turn)
	turn, err := sess.hub.Prompt(sess.id, prompt)
	if input.Turn != "" && errors.Is(err, bellcord.ErrTurnExists) {
		s.work.Go(func() { sess.adopt(input.Turn, prompt.Text) })
		return
	}
	if err != nil {
		sess.book.removePrompt(prompt.Turn)
		s.sendReply(request, failure(err))
		return
	}
	sess.bindToViewers(prompt)
	s.work.Go(func() { sess.watch(turn) })
}

// cancel stops the session's running turn and every prompt accepted before. A
// sub-agent of the hosted agent has no turn: its cancel goes to the agent.
func (s *Server) cancel(m jsonrpc.Message) {
	defer s.sendReply(m.ID, answer{result: struct{}{}}) // a client that sends it as a request waits for a reply
	p, err := decode[acp.CancelNotification](m.Params)
	if err != nil {
		return
	}
	if _, err := s.session(p.SessionID); err != nil && s.passToParent(p.SessionID, m) {
		return
	}
	s.cancelSession(bellcord.SessionID(p.SessionID), s.cause(bellcord.CausePerson, acp.MethodCancel))
}

// stopSession stops the running and queued turns of the session in every
// process: a second window of the editor is another process.
func (s *session) stopSession(cause bellcord.Cause) *hub.Stopping {
	s.cancelUndos()
	return s.hub.Stop(bellcord.StopRequest{Session: s.id, Cause: cause, Queue: bellcord.QueueDrop, Everywhere: true})
}

// cancelRequest stops the turn of one prompt; later prompts are not affected.
func (s *Server) cancelRequest(m jsonrpc.Message) {
	defer s.sendReply(m.ID, answer{result: struct{}{}})
	p, err := decode[acp.CancelRequestNotification](m.Params)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := false
	for _, sess := range s.sessions {
		sess.cancelUndo(p.RequestID)
		if turn := sess.book.turnOf(p.RequestID); turn != "" {
			found = true
			sess.hub.Stop(bellcord.StopRequest{Turn: turn, Cause: s.cause(bellcord.CausePerson, acp.MethodCancelRequest), Queue: bellcord.QueueNext})
		}
	}
	if network := s.config.Load().Network; !found && network != nil && network.Unordered {
		s.early.keep(p.RequestID)
	}
}

// stopReason converts a turn's end to an ACP stop reason, or to an error.
func stopReason(r bellcord.Receipt, finish bellcord.Finish) (acp.StopReason, *jsonrpc.Error) {
	switch r.End {
	case bellcord.EndStopped:
		switch r.Cause.Kind {
		case bellcord.CauseStepLimit:
			return acp.StopMaxTurnRequests, nil
		case bellcord.CauseBudget:
			return acp.StopMaxTokens, nil
		case bellcord.CausePerson, bellcord.CauseDeadline, bellcord.CauseShutdown, bellcord.CauseReplaced, bellcord.CauseDisconnect:
		}
		return acp.StopCancelled, nil
	case bellcord.EndFailed:
		return "", &jsonrpc.Error{Code: jsonrpc.InternalError, Message: r.Error}
	case bellcord.EndLost:
		return "", &jsonrpc.Error{Code: jsonrpc.InternalError, Message: lostText(r.Processes)}
	case bellcord.EndDone:
	}
	switch finish {
	case bellcord.FinishMaxOutput:
		return acp.StopMaxTokens, nil
	case bellcord.FinishRefused:
		return acp.StopRefusal, nil
	case bellcord.FinishStop, bellcord.FinishToolCalls, bellcord.FinishContextFull, bellcord.FinishStopped, bellcord.FinishFailed, bellcord.FinishOther:
	}
	return acp.StopEndTurn, nil
}

// lostText describes a lost turn with the words of the other fronts. It contains
// whether its processes are known.
func lostText(p bellcord.Processes) string {
	text := "the turn is lost: Bellcord ended during this turn"
	if unknown := p.UnknownText(); unknown != "" {
		text += "; processes " + unknown
	}
	return text
}

// readPrompt converts the blocks of a prompt. Blocks that cannot be sent to the
// session's agent are an error of the client.
func (s *Server) readPrompt(list []acp.ContentBlock, params json.RawMessage, hosted bool) (bellcord.Prompt, error) {
	audio := s.hostedOffers().AgentCapabilities.PromptCapabilities.Audio
	for i, b := range list {
		if hosted && !audio && b.Type == "audio" {
			return bellcord.Prompt{}, invalid(fmt.Sprintf("prompt: block %d: the agent does not accept audio", i+1))
		}
	}
	p, err := blocks.Read(list, params, hosted)
	if err != nil {
		return p, invalid(err.Error())
	}
	return p, nil
}
