package acp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/acp/upgrade"
	"github.com/bellcord/bellcord/internal/acp/v2"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// showCall sends an update of a call. In version 1 the terminal of a call is in
// its _meta; in version 2 it has its own updates.
func (v *stateView) showCall(u acp.ToolCallUpdate, put func(v2.Update)) {
	u.Meta = maps.Clone(u.Meta)
	v.showTerminal(u.Meta, put)
	update := upgrade.ToolCall(u)
	if update.Meta = u.Meta; len(update.Meta) == 0 {
		update.Meta = nil
	}
	for _, c := range update.Content {
		if c.Type == acp.TypeTerminal {
			v.beginTerminal(v2.TerminalUpdate{TerminalID: c.TerminalID}, put)
		}
	}
	if !isEmpty(u) {
		v.offerCancel(&update)
		put(update)
	}
}

// isEmpty reports whether an update changes nothing of a call.
func isEmpty(u acp.ToolCallUpdate) bool {
	u.ToolCallID = ""
	return string(acp.Encode(u)) == `{"toolCallId":""}` || string(acp.Encode(u)) == `{"toolCallId":"","_meta":{}}`
}

// showTerminal sends the description of a terminal in the _meta of its call, and
// removes it there.
func (v *stateView) showTerminal(meta acp.Meta, put func(v2.Update)) {
	var info, output, delta struct {
		Terminal string `json:"terminal_id"`
		Cwd      string `json:"cwd"`
		Data     string `json:"data"`
	}
	var exit struct {
		Terminal string `json:"terminal_id"`
		Code     *int   `json:"exit_code"`
		Signal   string `json:"signal"`
	}
	if take(meta, acp.TerminalInfoMember, &info) {
		v.beginTerminal(v2.TerminalUpdate{TerminalID: info.Terminal, Cwd: info.Cwd}, put)
	}
	if take(meta, acp.TerminalOutputMember, &output) {
		put(v2.TerminalOutputChunk{TerminalID: output.Terminal, Data: base64.StdEncoding.EncodeToString([]byte(output.Data))})
	}
	if take(meta, acp.TerminalDeltaMember, &delta) {
		put(v2.TerminalOutputChunk{TerminalID: delta.Terminal, Data: base64.StdEncoding.EncodeToString([]byte(delta.Data))})
	}
	if take(meta, acp.TerminalExitMember, &exit) {
		put(v2.TerminalUpdate{TerminalID: exit.Terminal, ExitStatus: &v2.TerminalExitStatus{ExitCode: exit.Code, Signal: exit.Signal}})
	}
}

// take removes a member of _meta and decodes it. It reports whether there was
// one.
func take(meta acp.Meta, name string, into any) bool {
	value, has := meta[name]
	delete(meta, name)
	return has && json.Unmarshal(acp.Encode(value), into) == nil
}

// beginTerminal shows a terminal once.
func (v *stateView) beginTerminal(u v2.TerminalUpdate, put func(v2.Update)) {
	if !v.shownTerminals[u.TerminalID] {
		v.shownTerminals[u.TerminalID] = true
		put(u)
	}
}

// backgroundWork returns the commands that outlive their turn, each shown as a
// terminal, or nil if they are not known. The caller must hold mu.
func (v *stateView) backgroundWork() []v2.BackgroundWork {
	running := v.server.config.Load().Background
	if running == nil || v.quiet || v.isHosted() || !v.server.may(bellcord.ScopeRead) {
		return nil
	}
	work, still := []v2.BackgroundWork{}, map[int]string{}
	for _, p := range running(v.id) {
		id, known := v.processes[p.PID]
		if !known {
			v.lastProcess++
			id = fmt.Sprintf("background-%d-%d", p.PID, v.lastProcess)
			v.sendNow(v2.SessionUpdate{Value: v2.TerminalUpdate{TerminalID: id, Command: p.Name, Cwd: v.dir()}})
		}
		still[p.PID] = id
		work = append(work, v2.BackgroundWork{Type: v2.BackgroundTerminal, TerminalID: id})
	}
	for pid, id := range v.processes {
		if still[pid] == "" {
			v.sendNow(v2.SessionUpdate{Value: v2.TerminalUpdate{TerminalID: id, ExitStatus: &v2.TerminalExitStatus{}}})
		}
	}
	v.processes = still
	return work
}

// offerCancel adds to an update whether the call can be ended alone: a call of
// the built-in agent that is running in this process can. The caller must hold
// mu.
func (v *stateView) offerCancel(u *v2.ToolCallUpdate) {
	started, starts := v.event.Body.(bellcord.ToolCallStarted)
	_, offered := v.cancellable[u.ToolCallID]
	switch {
	case starts && u.Status == acp.CallInProgress && !v.isHosted() && v.runsHere(v.event.Turn):
		v.cancellable[u.ToolCallID] = bellcord.StopRequest{Turn: v.event.Turn, Call: started.Call}
		u.Capabilities = v2.Cancellable()
	case offered && u.Status != "" && u.Status != acp.CallInProgress:
		delete(v.cancellable, u.ToolCallID)
		u.Capabilities = json.RawMessage("null")
	}
}

// runsHere reports whether a turn is running in this process.
func (s *session) runsHere(id bellcord.TurnID) bool {
	return slices.ContainsFunc(s.hub.Unsettled(), func(t *hub.Turn) bool { return t.ID == id })
}

// cancelCall ends one call, by the same path as every stop. The reply means that
// the call is being ended; its end is an update.
func (s *Server) cancelCall(m jsonrpc.Message) {
	p, err := decode[v2.CancelToolCallRequest](m.Params)
	var sess *session
	if err == nil {
		sess, err = s.session(p.SessionID)
	}
	if err == nil {
		err = s.allow(bellcord.ScopeStop)
	}
	if err != nil {
		s.sendReply(m.ID, failure(err))
		return
	}
	request, known := bellcord.StopRequest{}, false
	if v, is := sess.view.(*stateView); is {
		v.mu.Lock()
		request, known = v.cancellable[p.ToolCallID]
		v.mu.Unlock()
	}
	request.Cause = s.cause(bellcord.CausePerson, v2.MethodCancelToolCall)
	if known {
		_, err = sess.hub.Stop(request).Wait(s.life) // returns immediately for a call
	}
	if !known || err != nil {
		s.sendReply(m.ID, failure(invalid("the call is unknown, has ended, or cannot be cancelled alone")))
		return
	}
	s.sendReply(m.ID, answer{result: struct{}{}})
}
