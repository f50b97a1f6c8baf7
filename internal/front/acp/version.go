package acp

import (
	"encoding/json"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// version is the version of the protocol on a connection, which initialize
// negotiates. The server works with the messages of version 1; the other
// versions convert them.
type version interface {
	// receive converts a message of the client to version 1. It returns false
	// if it has handled the message itself.
	receive(m jsonrpc.Message) (jsonrpc.Message, bool)
	// result converts the result of a request from version 1.
	result(result any) any
	// view returns the view of a session.
	view(s *session) view
	// stoppedCall returns the status of a call that a stop ended.
	stoppedCall() acp.ToolCallStatus
}

// view shows a session to the client in a version of the protocol. Its methods
// are called by the session's follower, except where they say otherwise.
type view interface {
	// show sends an update of version 1 with the given function. Any goroutine
	// may call it.
	show(u acp.Update, send func(update any))
	// begin and end are called before and after the updates of an event.
	begin(ev bellcord.Event)
	end(ev bellcord.Event)
	// modesAsOption reports whether the modes of a hosted agent are shown as one
	// of its options.
	modesAsOption() bool
	// echoes reports whether the client's own prompts are shown to it.
	echoes() bool

	// settled is called when a turn has ended, after its last update. finish is
	// the finish reason of its last step. Any goroutine may call it.
	settled(turn bellcord.TurnID, r bellcord.Receipt, finish bellcord.Finish, send func(update any))
	// ran shows a command that is not a turn, with its result, and returns the
	// result of its prompt. Any goroutine may call it.
	ran(command, text string) any

	// restart discards what was derived from events. inherit takes over the
	// state of the view of the same session that this one replaces.
	restart()
	inherit(old view)
	// needsHistory reports whether a session can be resumed only with what its
	// log contains. resumed is called before the reply that reopens a session.
	needsHistory() bool
	resumed()

	// permission converts a request for permission. dismissed is called, by any
	// goroutine, when the client answers it without a choice.
	permission(p acp.RequestPermissionRequest) any
	dismissed(turn bellcord.TurnID, q bellcord.Question)
}

// speaks returns the negotiated version.
func (s *Server) speaks() version {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// version1 is the stable version.
type version1 struct{}

func (version1) receive(m jsonrpc.Message) (jsonrpc.Message, bool) { return m, true }
func (version1) result(result any) any                             { return result }
func (version1) view(s *session) view                              { return promptView{s} }

// stoppedCall implements version. Version 1 has no other status for a call that
// was stopped, and clients drop updates with an unknown status.
func (version1) stoppedCall() acp.ToolCallStatus { return acp.CallFailed }

// promptView is the view of version 1: the response to a prompt is the end of
// its turn.
type promptView struct{ *session }

func (promptView) show(u acp.Update, send func(update any)) { send(acp.SessionUpdate{Value: u}) }
func (promptView) begin(bellcord.Event)                     {}
func (promptView) end(bellcord.Event)                       {}
func (promptView) echoes() bool                             { return false }
func (promptView) modesAsOption() bool                      { return false }
func (promptView) restart()                                 {}
func (promptView) inherit(view)                             {}
func (promptView) needsHistory() bool                       { return false }
func (promptView) resumed()                                 {}

func (promptView) permission(p acp.RequestPermissionRequest) any { return p }

// settled implements view: it answers the prompt of the turn and then removes it
// from the book.
func (v promptView) settled(turn bellcord.TurnID, r bellcord.Receipt, finish bellcord.Finish, _ func(any)) {
	request, ours := v.book.request(turn)
	if !ours {
		return
	}
	defer v.book.removePrompt(turn)
	reason, failed := stopReason(r, finish)
	receipt := v.receipt(r)
	if failed != nil {
		failed.Data = receipt
		v.server.conn.ReplyError(request, failed)
		return
	}
	response := acp.PromptResponse{StopReason: reason}
	if receipt != nil {
		response.Meta = acp.Meta{"bellcord/receipt": receipt}
	}
	v.server.conn.Reply(request, merged(v.session.show.Reply(), response))
}

// ran implements view.
func (v promptView) ran(_, text string) any {
	if text != "" {
		v.update(acp.AgentMessageChunk{Content: acp.Text(text)})
	}
	return acp.PromptResponse{StopReason: acp.StopEndTurn}
}

// dismissed implements view: a client of version 1 reports this only when it
// cancels the turn.
func (v promptView) dismissed(turn bellcord.TurnID, _ bellcord.Question) {
	if v.server.may(bellcord.ScopeStop) {
		v.hub.Stop(bellcord.StopRequest{Turn: turn, Cause: v.server.cause(bellcord.CausePerson, "permission cancelled"), Queue: bellcord.QueueNext})
	}
}

// receipt returns a receipt for a client that may read it, or nil.
func (s *session) receipt(r bellcord.Receipt) json.RawMessage {
	receipt, err := json.Marshal(r)
	if err != nil || !s.server.may(bellcord.ScopeRead) {
		return nil
	}
	return receipt
}
