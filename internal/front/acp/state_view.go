package acp

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/acp/upgrade"
	"github.com/bellcord/bellcord/internal/acp/v2"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// stateView is the view of version 2: a prompt is answered when it becomes a part
// of the conversation, and the end of a turn is the state idle.
type stateView struct {
	*session
	*foreground
}

// foreground is the state of a session as last sent to the client. A view that
// replaces another one shares it. All fields are protected by mu, which is held
// while an update is sent, so that the client receives the states in order.
type foreground struct {
	mu       sync.Mutex
	quiet    bool                                // in a replay: nothing about the present is sent
	state    v2.State                            // as last sent
	reason   v2.StopReason                       // of the last end
	turn     bellcord.TurnID                     // the running turn, or ""
	stopping bool                                // a stop was requested for it
	open     map[string]string                   // open questions of the turn, with their calls
	calls    map[string]bool                     // calls of the turn that have started and not ended
	reply    json.RawMessage                     // members of the hosted agent's reply
	tasks    map[bellcord.TurnID]bellcord.Prompt // prompts of compactions that have not started

	messages
	cancellable    map[string]bellcord.StopRequest // calls that can be ended alone, by the client's id
	shownTerminals map[string]bool
	processes      map[int]string // terminals of background commands, by PID
	lastProcess    int
}

func newForeground() *foreground {
	f := &foreground{state: v2.StateIdle}
	f.reset()
	return f
}

func (f *foreground) reset() {
	f.turn, f.stopping, f.reply, f.messages = "", false, nil, messages{begun: map[string]bool{}}
	f.open, f.calls, f.tasks = map[string]string{}, map[string]bool{}, map[bellcord.TurnID]bellcord.Prompt{}
	f.shownTerminals, f.cancellable = map[string]bool{}, map[string]bellcord.StopRequest{}
}

func (v *stateView) echoes() bool        { return true }
func (v *stateView) needsHistory() bool  { return true }
func (v *stateView) modesAsOption() bool { return true }

// restart implements view.
func (v *stateView) restart() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.reset()
}

// inherit implements view.
func (v *stateView) inherit(old view) {
	if old, is := old.(*stateView); is {
		v.foreground = old.foreground
	}
}

// begin implements view. A turn that starts is running before its prompt is
// shown.
func (v *stateView) begin(ev bellcord.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.quiet = v.session.show.Replaying
	v.messages.begin(ev)
	switch b := ev.Body.(type) {
	case bellcord.TurnAccepted:
		if b.Task == bellcord.TaskCompact {
			v.tasks[ev.Turn] = b.Prompt
		}
	case bellcord.TurnStarted:
		v.turn = ev.Turn
		v.announce()
		if task, is := v.tasks[ev.Turn]; is {
			v.showUser(textBlock(commandText("compact", task.Text)), func(u v2.Update) { v.sendLogged(v2.SessionUpdate{Value: u}) })
		}
	default: // no other event has to be shown before its updates
	}
}

// end implements view.
func (v *stateView) end(ev bellcord.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch b := ev.Body.(type) {
	case bellcord.TurnStarted:
		delete(v.tasks, ev.Turn)
		if request := v.book.insert(ev.Turn); request != nil {
			v.server.conn.Reply(request, v2.PromptResponse{MessageID: string(ev.Turn)})
		}
	case bellcord.StepStarted:
		clear(v.calls)
	case bellcord.ToolCallStarted:
		v.calls[b.Call] = true
	case bellcord.ToolCallEnded:
		delete(v.calls, b.Call)
	case bellcord.QuestionOpened:
		v.open[b.Question.ID] = b.Question.Call
	case bellcord.QuestionAnswered:
		delete(v.open, b.Question)
	case bellcord.StopRequested:
		v.stopping = v.stopping || ev.Turn == v.turn && b.Cause.Mode != bellcord.StopAfterStep
	case bellcord.TurnEnded:
		delete(v.tasks, ev.Turn)
		v.reply = v.session.show.Reply()
	default: // no other event changes the state
	}
	v.announce()
	v.messages.end(ev)
}

// now returns the current state. The work waits for the user if a question is
// open and no other call is in progress.
func (f *foreground) now() v2.State {
	if f.turn == "" {
		return v2.StateIdle
	}
	if len(f.open) == 0 {
		return v2.StateRunning
	}
	asking := map[string]bool{}
	for _, call := range f.open {
		asking[call] = true
	}
	for call := range f.calls {
		if !asking[call] {
			return v2.StateRunning
		}
	}
	return v2.StateRequiresAction
}

// announce sends the state if it has changed. A turn that is being stopped only
// becomes idle, and settled sends that. The caller must hold mu.
func (v *stateView) announce() {
	now := v.now()
	if now == v.state || now == v2.StateIdle || v.stopping {
		return
	}
	v.state = now
	v.sendState(v.stateUpdate(v2.StateUpdate{State: now}))
}

// sendState sends a state of an event, except in a replay. It contains nothing
// of the conversation, so that clients that may not read get it too.
func (s *session) sendState(update any) {
	meta, known := s.sent.next()
	if !known && !s.show.Replaying {
		s.server.conn.Notify(acp.MethodUpdate, notification{SessionID: s.client, Update: update, Meta: meta})
	}
}

// stateUpdate returns a state with the background work. The caller must hold mu.
func (v *stateView) stateUpdate(u v2.StateUpdate) v2.SessionUpdate {
	u.Background = v.backgroundWork()
	return v2.SessionUpdate{Value: u}
}

// settled implements view. It reports the end of a turn that had started, and
// answers the prompt of one that had not.
func (v *stateView) settled(turn bellcord.TurnID, r bellcord.Receipt, finish bellcord.Finish, send func(update any)) {
	v.mu.Lock()
	if turn == v.turn {
		end := endOf(r, finish)
		end.Meta = v.endMeta(r)
		v.turn, v.stopping, v.state, v.reason = "", false, v2.StateIdle, end.StopReason
		clear(v.open)
		clear(v.calls)
		send(v.stateUpdate(end))
	}
	v.mu.Unlock()
	request, ours := v.book.request(turn)
	if !ours {
		return
	}
	defer v.book.removePrompt(turn)
	if request != nil {
		v.answerLate(request, turn, r, finish)
	}
}

// answerLate answers a prompt when its turn has ended: with an error if the turn
// never started, and so its prompt never became a part of the conversation.
func (v *stateView) answerLate(request json.RawMessage, turn bellcord.TurnID, r bellcord.Receipt, finish bellcord.Finish) {
	if !r.Times.Started.IsZero() {
		v.server.conn.Reply(request, v2.PromptResponse{MessageID: string(turn)})
		return
	}
	_, failed := stopReason(r, finish)
	if failed == nil {
		failed = &jsonrpc.Error{Code: jsonrpc.RequestCancelled, Message: "the prompt was stopped before it started"}
	}
	failed.Data = v.receipt(r)
	v.server.conn.ReplyError(request, failed)
}

// endOf returns the state at the end of a turn. Cancelled means that the client
// or a person stopped it; other limits than those of the protocol are errors.
func endOf(r bellcord.Receipt, finish bellcord.Finish) v2.StateUpdate {
	reason, failed := stopReason(r, finish)
	if r.End == bellcord.EndStopped && (r.Cause.Kind == bellcord.CauseDeadline || r.Cause.Kind == bellcord.CauseShutdown) {
		failed = &jsonrpc.Error{Code: jsonrpc.InternalError, Message: r.Cause.Error()}
	}
	if failed != nil {
		return v2.StateUpdate{State: v2.StateIdle, StopReason: v2.StopError, Error: &v2.Error{Code: failed.Code, Message: failed.Message}}
	}
	return v2.StateUpdate{State: v2.StateIdle, StopReason: v2.StopReason(reason)}
}

// endMeta returns the _meta of a turn's end: the hosted agent's, and the receipt.
func (v *stateView) endMeta(r bellcord.Receipt) acp.Meta {
	meta := acp.Meta{}
	_ = json.Unmarshal(acp.MembersOf(v.reply)["_meta"], &meta) // empty if there is none
	if receipt := v.receipt(r); receipt != nil {
		meta["bellcord/receipt"] = receipt
	}
	return meta
}

// resumed implements view: the current state precedes the reply that reopens a
// session.
func (v *stateView) resumed() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.quiet, v.state = false, v.now()
	now := v2.StateUpdate{State: v.state}
	if now.State == v2.StateIdle {
		now.StopReason = v.reason
	}
	v.sendNow(v.stateUpdate(now))
}

// ran implements view. A command is work in the foreground; while a turn is
// running, that turn's end is the end of the work.
func (v *stateView) ran(command, text string) any {
	v.mu.Lock()
	defer v.mu.Unlock()
	id, idle := string(bellcord.NewTurnID()), v.state == v2.StateIdle
	if idle {
		v.sendNow(v.stateUpdate(v2.StateUpdate{State: v2.StateRunning}))
	}
	v.sendNow(v2.SessionUpdate{Value: v2.UserMessage{MessageID: id, Content: []json.RawMessage{textBlock(command)}}})
	if text != "" {
		v.sendNow(v2.SessionUpdate{Value: v2.AgentMessage{MessageID: id, Content: []json.RawMessage{textBlock(text)}}})
	}
	if idle {
		v.sendNow(v.stateUpdate(v2.StateUpdate{State: v2.StateIdle, StopReason: v2.StopReason(acp.StopEndTurn)}))
	}
	return v2.PromptResponse{MessageID: id}
}

// permission implements view.
func (v *stateView) permission(p acp.RequestPermissionRequest) any { return upgrade.Permission(p) }

// dismissed implements view: without a choice the operation is not approved. It
// is no stop of the turn.
func (v *stateView) dismissed(turn bellcord.TurnID, q bellcord.Question) {
	reply := rejection(q)
	if !q.HasForm() {
		for _, kind := range []acp.PermissionOptionKind{acp.RejectOnce, acp.RejectAlways} {
			if i := slices.IndexFunc(q.Choices, func(c bellcord.Choice) bool { return c.Kind == string(kind) }); i >= 0 {
				reply.Choice = q.Choices[i].ID
				break
			}
		}
	}
	_ = v.answerQuestion(turn, q.ID, reply, v.server.clientName()) // an answer that comes too late is no error
}
