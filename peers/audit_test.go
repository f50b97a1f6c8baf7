package peers_test

import (
	"fmt"
	"slices"
)

// audit checks a record against the guarantees of a stop and of the protocol. It checks the frames
// in wire order:
//
//   - every request has exactly one answer; only a permission request that the agent has
//     withdrawn may have none
//   - there is no update of a session between a prompt's answer and the next prompt,
//     and none at all after its close; over HTTP, the rest of a replay may follow the
//     load's answer, because the two come on different streams
//   - when a prompt is answered, every tool call it showed has ended, and every
//     permission request is answered or withdrawn
//   - a prompt that was open when a cancel came is answered cancelled, and so is
//     one that a close ended, before the close is answered
type audit struct {
	schema   schema
	streams  bool                // the record is of HTTP, with a stream for each session
	requests map[string]*request // by sender and id
	sessions map[string]*conversation
	problems []string
}

type request struct {
	message
	session   string
	answered  bool
	stopped   bool // the answer must be "cancelled"
	withdrawn bool // by $/cancel_request
}

// conversation contains the open state of one session.
type conversation struct {
	prompts        []*request
	permissions    []*request
	replays        int             // loads without an answer
	lateReplay     bool            // a load is answered, and its replay may still come on another stream
	allowedUpdates map[string]bool // updates that are allowed without a prompt
	tools          map[string]bool // tool calls; false after they have ended
	closed         bool
}

func newAudit(s schema) *audit {
	return &audit{schema: s, requests: map[string]*request{}, sessions: map[string]*conversation{}}
}

func (a *audit) problem(m message, format string, args ...any) {
	a.problems = append(a.problems, fmt.Sprintf(format, args...)+"\n    "+m.String())
}

// of returns the conversation of a session and creates it on first use.
func (a *audit) of(session string) *conversation {
	if a.sessions[session] == nil {
		a.sessions[session] = &conversation{allowedUpdates: map[string]bool{}, tools: map[string]bool{}}
	}
	return a.sessions[session]
}

// run returns the faults in the frames of one connection.
func (a *audit) run(messages []message) []string {
	for _, m := range messages {
		a.see(m)
	}
	for _, r := range a.requests {
		if !r.answered && !r.withdrawn {
			a.problem(r.message, "never answered")
		}
	}
	return a.problems
}

func (a *audit) see(m message) {
	method := m.Method
	if m.isAnswer() {
		other := map[string]string{"client": "agent", "agent": "client"}[m.From]
		r := a.requests[other+string(m.ID)]
		if r == nil {
			a.problem(m, "answers nothing that was asked")
			return
		}
		method = r.Method
		if r.answered {
			a.problem(m, "a second answer")
		}
		r.answered = true
		a.answer(r, m)
	}
	if err := a.schema.check(m, method); err != nil {
		a.problem(m, "against the schema: %v", err)
	}
	switch {
	case m.isRequest():
		a.request(m)
	case m.isNotification():
		a.notification(m)
	}
}

func (a *audit) request(m message) {
	r := &request{message: m, session: m.params.SessionID}
	if old := a.requests[m.From+string(m.ID)]; old != nil && !old.answered {
		a.problem(m, "the id is in use")
	}
	a.requests[m.From+string(m.ID)] = r
	c := a.of(r.session)
	if m.From == "client" {
		c.lateReplay = false
	}
	switch m.Method {
	case "session/prompt":
		c.prompts = append(c.prompts, r)
		clear(c.allowedUpdates)
	case "session/request_permission":
		if len(c.prompts) == 0 {
			a.problem(m, "a permission is asked for without a prompt")
		}
		c.permissions = append(c.permissions, r)
	case "session/load":
		c.replays, c.closed = c.replays+1, false
	case "session/resume":
		c.closed = false
	case "session/close", "session/delete":
		c.stop()
	case "session/set_mode", "session/set_config_option":
		c.allowedUpdates["current_mode_update"], c.allowedUpdates["config_option_update"] = true, true
	}
}

func (a *audit) answer(r *request, m message) {
	c := a.of(r.session)
	switch r.Method {
	case "session/prompt":
		c.prompts = slices.DeleteFunc(c.prompts, func(p *request) bool { return p == r })
		if r.stopped && m.params.StopReason != "cancelled" {
			a.problem(m, "the prompt was stopped and is not answered cancelled")
		}
		a.nothingOpen(c, m)
	case "session/new", "session/load", "session/resume":
		if r.Method == "session/new" {
			c = a.of(m.params.SessionID)
		}
		if r.Method == "session/load" {
			c.replays--
			if c.lateReplay = a.streams; !a.streams {
				a.nothingOpen(c, m)
			}
		}
		c.allowedUpdates["available_commands_update"], c.allowedUpdates["session_info_update"] = true, true
	case "session/close", "session/delete":
		if len(c.prompts) > 0 {
			a.problem(m, "answered before the session's prompts")
		}
		c.closed = m.Error == nil
	}
}

// nothingOpen checks the conditions at the end of a turn.
func (a *audit) nothingOpen(c *conversation, m message) {
	for id, open := range c.tools {
		if open {
			a.problem(m, "tool call %s has not ended", id)
		}
	}
	for _, p := range c.permissions {
		if !p.answered && !p.withdrawn {
			a.problem(m, "permission %s is neither answered nor withdrawn", p.ID)
			p.withdrawn = true // report it only once
		}
	}
	c.permissions = nil
}

func (c *conversation) stop() {
	for _, p := range c.prompts {
		p.stopped = true
	}
}

func (a *audit) notification(m message) {
	c := a.of(m.params.SessionID)
	switch m.Method {
	case "session/cancel":
		c.stop()
	case "$/cancel_request":
		if r := a.requests[m.From+string(m.params.RequestID)]; r == nil {
			a.problem(m, "withdraws nothing that was asked")
		} else if !r.answered {
			r.withdrawn, r.stopped = m.From == "agent", true
		}
	case "session/update":
		a.update(c, m)
	}
}

func (a *audit) update(c *conversation, m message) {
	u := m.params.Update
	switch {
	case c.closed:
		a.problem(m, "told of a closed session")
	case len(c.prompts) == 0 && c.replays == 0 && !c.lateReplay && !c.allowedUpdates[u.Kind]:
		a.problem(m, "%s is told while no prompt is open", u.Kind)
	}
	open, known := c.tools[u.ToolCallID]
	switch {
	case u.Kind == "tool_call" && known && c.replays == 0 && !c.lateReplay:
		a.problem(m, "this call was shown before")
	case u.Kind == "tool_call_update" && !known:
		a.problem(m, "this call was never shown")
	case u.Kind == "tool_call_update" && !open:
		a.problem(m, "this call had ended")
	}
	if u.Kind == "tool_call" || u.Kind == "tool_call_update" {
		c.tools[u.ToolCallID] = u.Status != "completed" && u.Status != "failed"
	}
}
