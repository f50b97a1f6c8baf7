package probe

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// acpMessage is one line of an agent, and what of it matters here.
type acpMessage struct {
	jsonrpc.Message
	at      time.Time
	session string
	update  string // its kind
	tool    string // the id of the call
	status  string
	text    string
	options []permissionOption
}

type permissionOption struct {
	ID   string `json:"optionId"`
	Kind string `json:"kind"`
}

// readMessage takes what it understands; what is no message is none.
func readMessage(at time.Time, line []byte) (acpMessage, bool) {
	m := acpMessage{at: at}
	if json.Unmarshal(line, &m.Message) != nil {
		return m, false
	}
	var p struct {
		SessionID string             `json:"sessionId"`
		Options   []permissionOption `json:"options"`
		Update    struct {
			Kind    string          `json:"sessionUpdate"`
			Tool    string          `json:"toolCallId"`
			Status  string          `json:"status"`
			Content json.RawMessage `json:"content"`
		} `json:"update"`
	}
	_ = json.Unmarshal(m.Params, &p) // what has another shape is not looked for
	m.session, m.options = p.SessionID, p.Options
	m.update, m.tool, m.status = p.Update.Kind, p.Update.Tool, p.Update.Status
	var said struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(p.Update.Content, &said) == nil {
		m.text = said.Text
	}
	return m, true
}

// answers reports whether this is an answer to a request of ours.
func (m acpMessage) answers(id string) bool {
	return m.Method == "" && strings.Trim(string(m.ID), `"`) == id
}

// speaks reports whether this is text of a turn.
func (m acpMessage) speaks(session string) bool {
	return m.session == session && (m.update == "agent_message_chunk" || m.update == "agent_thought_chunk")
}

// works reports whether this is content of a turn: what must not come after
// its answer. Titles, usage and the like may.
func (m acpMessage) works(session string) bool {
	return m.speaks(session) || m.session == session && (m.update == "tool_call" || m.update == "tool_call_update" || m.update == "plan")
}

// asks reports whether this asks the client for permission.
func (m acpMessage) asks(session string) bool {
	return m.Method == "session/request_permission" && m.session == session
}

// allowed is the answer that lets a call run; this once, if it can be, so that
// an agent asks again in the next check.
func (m acpMessage) allowed() map[string]any {
	for _, kind := range []string{"allow_once", "allow"} {
		for _, o := range m.options {
			if strings.HasPrefix(o.Kind, kind) {
				return map[string]any{"outcome": "selected", "optionId": o.ID}
			}
		}
	}
	return cancelledOutcome
}

var cancelledOutcome = map[string]any{"outcome": "cancelled"}

// reason is how a prompt was answered, in one word where it is a stop reason.
func (m acpMessage) reason() string {
	if m.Error != nil {
		return oneLine(fmt.Sprintf("error %d %q", m.Error.Code, m.Error.Message))
	}
	var r struct {
		StopReason string `json:"stopReason"`
	}
	if json.Unmarshal(m.Result, &r) != nil || r.StopReason == "" {
		return "an answer without a stop reason"
	}
	return r.StopReason
}
