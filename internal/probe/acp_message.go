package probe

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// acpMessage is one message of an agent, with the parameters that the checks
// use.
type acpMessage struct {
	jsonrpc.Message
	at      time.Time
	session string
	update  acp.SessionUpdate
	options []acp.PermissionOption
}

// readMessage decodes a line. It returns false if the line is not a message.
// Parameters in an unexpected form are ignored.
func readMessage(at time.Time, line []byte) (acpMessage, bool) {
	m := acpMessage{at: at}
	if json.Unmarshal(line, &m.Message) != nil {
		return m, false
	}
	if m.Method == "" && m.ID == nil && m.Result == nil && m.Error == nil {
		return m, false // such as a line of a log in JSON
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

// answers reports whether the message is the response to the request with this
// id.
func (m acpMessage) answers(id string) bool {
	return m.Method == "" && strings.Trim(string(m.ID), `"`) == id
}

// isText reports whether the message is text of a turn in the session.
func (m acpMessage) isText(session string) bool {
	switch m.update.Value.(type) {
	case acp.AgentMessageChunk, acp.AgentThoughtChunk:
		return m.session == session
	}
	return false
}

// works reports whether the message is content of a turn, which must not follow
// the response to the prompt. Titles, usage and similar updates may follow it.
func (m acpMessage) works(session string) bool {
	switch m.update.Value.(type) {
	case acp.ToolCall, acp.ToolCallUpdate, acp.Plan:
		return m.session == session
	}
	return m.isText(session)
}

// addedText returns the text that the message adds to the answer.
func (m acpMessage) addedText() string {
	if chunk, is := m.update.Value.(acp.AgentMessageChunk); is && chunk.Content.Text != nil {
		return *chunk.Content.Text
	}
	return ""
}

// toolCall returns the id and the status of the tool call in the message, or
// "".
func (m acpMessage) toolCall() (id string, status acp.ToolCallStatus) {
	switch u := m.update.Value.(type) {
	case acp.ToolCall:
		return u.ToolCallID, u.Status
	case acp.ToolCallUpdate:
		return u.ToolCallID, u.Status
	}
	return "", ""
}

// isPermissionRequest reports whether the message is a permission request in the session.
func (m acpMessage) isPermissionRequest(session string) bool {
	return m.Method == acp.MethodRequestPermission && m.session == session
}

// allowed returns the response that permits a call; only once, if the agent
// offers that, so that it requests permission again in the next check.
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

// reason returns how a prompt was answered: its stop reason, or a description
// of the error.
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
