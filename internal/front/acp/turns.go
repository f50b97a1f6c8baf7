package acp

import (
	"encoding/json"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
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
	said, err := readContent(p.Prompt)
	if err != nil {
		s.sendReply(m.ID, failure(err))
		return
	}
	v, err := sess.hub.Configure(sess.id, bellcord.SessionUpdated{}) // reads the session, without I/O
	if err != nil {
		s.sendReply(m.ID, failure(err))
		return
	}
	command, text, err := commandNames.Parse(said.Text, v.Agent != "")
	switch {
	case err != nil:
		s.sendReply(m.ID, sess.replyText("", err))
	case command != nil:
		s.obey(m.ID, sess, command.Name, command.Rest)
	default:
		said.Text = text
		s.accept(m.ID, sess, said)
	}
}

// accept starts a turn with the configured limits.
func (s *Server) accept(request json.RawMessage, sess *session, said bellcord.Prompt) {
	prompt := s.config.Load().Prompt
	prompt.Text, prompt.Images, prompt.Links, prompt.Task = said.Text, said.Images, said.Links, said.Task
	prompt.Turn, prompt.OnDisconnect = bellcord.NewTurnID(), bellcord.StopOnDisconnect
	sess.book.expect(prompt.Turn, request)
	turn, err := sess.hub.Prompt(sess.id, prompt)
	if err != nil {
		sess.book.removePrompt(prompt.Turn)
		s.sendReply(request, failure(err))
		return
	}
	s.work.Go(func() { sess.watch(turn) })
}

// cancel stops the session's running turn and every prompt accepted before.
func (s *Server) cancel(m jsonrpc.Message) {
	defer s.sendReply(m.ID, answer{result: struct{}{}}) // a client that sends it as a request waits for a reply
	p, err := decode[acp.CancelNotification](m.Params)
	if err != nil {
		return
	}
	if sess, err := s.session(p.SessionID); err == nil {
		sess.stopSession(s.cause(bellcord.CausePerson, acp.MethodCancel))
	}
}

// stopSession stops the running and queued turns of the session in every
// process: a second window of the editor is another process.
func (s *session) stopSession(cause bellcord.Cause) *hub.Stopping {
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
	for _, sess := range s.sessions {
		if turn := sess.book.turnOf(p.RequestID); turn != "" {
			sess.hub.Stop(bellcord.StopRequest{Turn: turn, Cause: s.cause(bellcord.CausePerson, acp.MethodCancelRequest), Queue: bellcord.QueueNext})
		}
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
		return "", &jsonrpc.Error{Code: jsonrpc.InternalError, Message: "the process that ran the turn died"}
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
