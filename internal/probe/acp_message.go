package probe

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// acpMessage is one line of an agent, and what of it matters here.
type acpMessage struct {
	jsonrpc.Message
	at      time.Time
	session string
	update  acp.SessionUpdate
	options []acp.PermissionOption
}

// readMessage takes what it understands; what is no message is none, and
// parameters that have another shape are not looked at.
func readMessage(at time.Time, line []byte) (acpMessage, bool) {
	m := acpMessage{at: at}
	if json.Unmarshal(line, &m.Message) != nil {
		return m, false
	}
	switch m.Method {
	case acp.MethodUpdate:
		var n acp.SessionNotification
		_ = acp.Decode(m.Params, &n)
		m.session, m.update = n.SessionID, n.Update
	case acp.MethodRequestPermission:
		var p acp.RequestPermissionRequest
		_ = acp.Decode(m.Params, &p)
		m.session, m.options = p.SessionID, p.Options
	}
	return m, true
}

// answers reports whether this is an answer to a request of ours.
func (m acpMessage) answers(id string) bool {
	return m.Method == "" && strings.Trim(string(m.ID), `"`) == id
}

// speaks reports whether this is text of a turn.
func (m acpMessage) speaks(session string) bool {
	switch m.update.Value.(type) {
	case acp.AgentMessageChunk, acp.AgentThoughtChunk:
		return m.session == session
	}
	return false
}

// works reports whether this is content of a turn: what must not come after
// its answer. Titles, usage and the like may.
func (m acpMessage) works(session string) bool {
	switch m.update.Value.(type) {
	case acp.ToolCall, acp.ToolCallUpdate, acp.Plan:
		return m.session == session
	}
	return m.speaks(session)
}

// addedText is what the message adds to the answer.
func (m acpMessage) addedText() string {
	if chunk, is := m.update.Value.(acp.AgentMessageChunk); is && chunk.Content.Text != nil {
		return *chunk.Content.Text
	}
	return ""
}

// toolCall returns the tool call that the message is about, and its state; "" for
// none.
func (m acpMessage) toolCall() (id string, status acp.ToolCallStatus) {
	switch u := m.update.Value.(type) {
	case acp.ToolCall:
		return u.ToolCallID, u.Status
	case acp.ToolCallUpdate:
		return u.ToolCallID, u.Status
	}
	return "", ""
}

// asks reports whether this asks the client for permission.
func (m acpMessage) asks(session string) bool {
	return m.Method == acp.MethodRequestPermission && m.session == session
}

// allowed is the answer that lets a call run; this once, if it can be, so that
// an agent asks again in the next check.
func (m acpMessage) allowed() acp.RequestPermissionResponse {
	for _, kind := range []string{"allow_once", "allow"} {
		for _, o := range m.options {
			if strings.HasPrefix(string(o.Kind), kind) {
				return acp.Selected(o.OptionID)
			}
		}
	}
	return acp.CancelledPermission()
}

// reason is how a prompt was answered, in one word where it is a stop reason.
func (m acpMessage) reason() string {
	if m.Error != nil {
		return oneLine(fmt.Sprintf("error %d %q", m.Error.Code, m.Error.Message))
	}
	var r acp.PromptResponse
	if json.Unmarshal(m.Result, &r) != nil || r.StopReason == "" {
		return "an answer without a stop reason"
	}
	return string(r.StopReason)
}
