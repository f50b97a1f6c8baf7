package peers_test

import (
	"fmt"
	"slices"
	"strings"
)

// audit2 checks a record of version 2 as audit does for version 1, in wire order:
//
//   - every request has exactly one answer; only a permission request that the
//     agent has withdrawn may have none
//   - there is no update of a turn while the session is idle, except in a replay,
//     and none at all after its close
//   - when the session becomes idle, every tool call has ended, and every
//     permission request is answered or withdrawn
//   - work that was running when a cancel or a close came ends cancelled; a prompt
//     that was not inserted then is refused, or is inserted and ends cancelled;
//     after a close this comes before its answer
//   - an inserted prompt is shown as a message with the id of its answer
//   - a resume is answered after the state of the session
type audit2 struct {
	schema   schema
	requests map[string]*request // by sender and id
	sessions map[string]*states
	problems []string
}

// states is the state of one session.
type states struct {
	state       string // as last reported
	stopped     bool   // a cancel came while it was running
	prompts     []*request
	permissions []*request
	resuming    int             // resumes without an answer
	reported    bool            // the state was reported since the last resume
	tools       map[string]bool // tool calls; false after they have ended
	shown       map[string]bool // ids of user messages
	inserted    map[string]bool // ids of answered prompts
	closed      bool
}

func newAudit2(s schema) *audit2 {
	return &audit2{schema: s, requests: map[string]*request{}, sessions: map[string]*states{}}
}

func (a *audit2) problem(m message, format string, args ...any) {
	a.problems = append(a.problems, fmt.Sprintf(format, args...)+"\n    "+m.String())
}

func (a *audit2) of(session string) *states {
	if a.sessions[session] == nil {
		a.sessions[session] = &states{state: "idle", tools: map[string]bool{}, shown: map[string]bool{}, inserted: map[string]bool{}}
	}
	return a.sessions[session]
}

// run returns the faults in the frames of one connection.
func (a *audit2) run(messages []message) []string {
	for _, m := range messages {
		a.see(m)
	}
	for _, r := range a.requests {
		if !r.answered && !r.withdrawn {
			a.problem(r.message, "never answered")
		}
	}
	for _, c := range a.sessions {
		for id := range c.inserted {
			if !c.shown[id] {
				a.problems = append(a.problems, "the prompt "+id+" was inserted and is not shown")
			}
		}
		if c.state != "idle" {
			a.problems = append(a.problems, "at the end of the record a session is "+c.state)
		}
	}
	return a.problems
}

func (a *audit2) see(m message) {
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
	if err := a.schema.check(m, method); err != nil && !strings.HasPrefix(method, "_") { // extensions of hosted agents
		a.problem(m, "against the schema: %v", err)
	}
	c := a.of(m.params.SessionID)
	switch {
	case m.isRequest():
		a.request(c, m)
	case m.Method == "session/cancel":
		c.stop()
	case m.Method == "$/cancel_request":
		if r := a.requests[m.From+string(m.params.RequestID)]; r == nil {
			a.problem(m, "withdraws nothing that was asked")
		} else if !r.answered {
			r.withdrawn, r.stopped = m.From == "agent", true
		}
	case m.Method == "session/update":
		a.update(c, m)
	}
}

func (c *states) stop() {
	c.stopped = c.stopped || c.state != "idle"
	for _, p := range c.prompts {
		p.stopped = true
	}
}

func (a *audit2) request(c *states, m message) {
	r := &request{message: m, session: m.params.SessionID}
	a.requests[m.From+string(m.ID)] = r
	switch m.Method {
	case "session/prompt":
		c.prompts = append(c.prompts, r)
	case "session/request_permission":
		if c.state == "idle" {
			a.problem(m, "a permission is asked for while the session is idle")
		}
		c.permissions = append(c.permissions, r)
	case "session/resume":
		c.resuming, c.closed, c.reported = c.resuming+1, false, false
	case "session/close", "session/delete":
		c.stop()
	}
}

func (a *audit2) answer(r *request, m message) {
	c := a.of(r.session)
	switch r.Method {
	case "session/prompt":
		c.prompts = slices.DeleteFunc(c.prompts, func(p *request) bool { return p == r })
		if m.Error == nil {
			c.inserted[m.params.MessageID] = true
			c.stopped = c.stopped || r.stopped && c.state != "idle"
		}
	case "session/resume":
		if c.resuming--; m.Error == nil && !c.reported {
			a.problem(m, "answered before the state")
		}
	case "session/close", "session/delete":
		if c.state != "idle" {
			a.problem(m, "answered while the session is %s", c.state)
		}
		c.closed = m.Error == nil
	}
}

// anytime are the updates that belong to no turn.
var anytime = []string{"state_update", "available_commands_update", "config_option_update", "session_info_update", "usage_update", "terminal_update"}

func (a *audit2) update(c *states, m message) {
	u := m.params.Update
	switch {
	case c.closed:
		a.problem(m, "told of a closed session")
	case c.state == "idle" && c.resuming == 0 && !slices.Contains(anytime, u.Kind):
		a.problem(m, "%s is told while the session is idle", u.Kind)
	}
	switch u.Kind {
	case "user_message":
		c.shown[u.MessageID] = true
	case "tool_call_update":
		if open, known := c.tools[u.ToolCallID]; known && !open && c.resuming == 0 {
			a.problem(m, "this call had ended")
		}
		if u.Status != "" {
			c.tools[u.ToolCallID] = !slices.Contains([]string{"completed", "failed", "cancelled"}, u.Status)
		}
	case "state_update":
		a.state(c, m)
	}
}

func (a *audit2) state(c *states, m message) {
	u := m.params.Update
	c.reported = true
	ends := c.state != "idle" && u.State == "idle"
	c.state = u.State
	if !ends {
		return
	}
	if c.stopped && u.StopReason != "cancelled" {
		a.problem(m, "the work was stopped and has not ended cancelled")
	}
	c.stopped = false
	for id, open := range c.tools {
		if open {
			a.problem(m, "tool call %s has not ended", id)
		}
	}
	for _, p := range c.permissions {
		if !p.answered && !p.withdrawn {
			a.problem(m, "permission %s is neither answered nor withdrawn", p.ID)
		}
	}
	c.permissions = nil
}
