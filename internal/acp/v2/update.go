package v2

import (
	"encoding/json"

	"github.com/bellcord/bellcord/internal/acp"
)

// UpdateSessionNotification reports a change in a session.
type UpdateSessionNotification struct {
	SessionID string        `json:"sessionId"`
	Update    SessionUpdate `json:"update"`
	Meta      acp.Meta      `json:"_meta,omitzero"`
}

// SessionUpdate contains one update.
type SessionUpdate struct{ Value Update }

// Update is one of the updates of this package.
type Update interface{ kind() string }

// MarshalJSON implements json.Marshaler. It adds the kind to the members of the
// update.
func (u SessionUpdate) MarshalJSON() ([]byte, error) {
	if raw, is := u.Value.(RawUpdate); is {
		return raw, nil
	}
	if u.Value == nil {
		return []byte("null"), nil
	}
	return acp.WithKind(u.Value.kind(), u.Value)
}

// RawUpdate is an update of a hosted agent that is passed on as it is.
type RawUpdate json.RawMessage

func (RawUpdate) kind() string { return "" }

// Message replaces the content of a message, or begins it. Content contains
// content blocks. Each kind of message has its own ids.
type Message struct {
	MessageID string            `json:"messageId"`
	Content   []json.RawMessage `json:"content,omitzero"`
	Meta      json.RawMessage   `json:"_meta,omitzero"`
}

// ContentChunk continues a message. Content is a content block.
type ContentChunk struct {
	MessageID string          `json:"messageId"`
	Content   json.RawMessage `json:"content"`
	Meta      json.RawMessage `json:"_meta,omitzero"`
}

// UserMessage is a message of the user.
type UserMessage Message

// AgentMessage is an answer of the agent.
type AgentMessage Message

// AgentThought is the agent's thinking.
type AgentThought Message

// UserMessageChunk continues a UserMessage.
type UserMessageChunk ContentChunk

// AgentMessageChunk continues an AgentMessage.
type AgentMessageChunk ContentChunk

// AgentThoughtChunk continues an AgentThought.
type AgentThoughtChunk ContentChunk

// SessionInfoUpdate is equal to that of version 1.
type SessionInfoUpdate acp.SessionInfoUpdate

// UsageUpdate is equal to that of version 1.
type UsageUpdate acp.UsageUpdate

// Notice is equal to that of version 1.
type Notice acp.Notice

// CompactionUpdate is equal to that of version 1.
type CompactionUpdate acp.CompactionUpdate

// PlanUpdate contains the steps that the agent intends to do.
type PlanUpdate struct {
	Plan PlanItems `json:"plan"`
}

// PlanItems is a plan as a list of steps.
type PlanItems struct {
	Type    string          `json:"type"`
	PlanID  string          `json:"planId"`
	Entries []acp.PlanEntry `json:"entries"`
}

// PlanOfItems is the type of PlanItems.
const PlanOfItems = "items"

// AvailableCommandsUpdate contains all commands that a prompt can start with.
type AvailableCommandsUpdate struct {
	AvailableCommands []json.RawMessage `json:"availableCommands"`
}

// ConfigOptionUpdate contains all settings after a change.
type ConfigOptionUpdate struct {
	ConfigOptions []json.RawMessage `json:"configOptions"`
}

func (UserMessage) kind() string             { return "user_message" }
func (AgentMessage) kind() string            { return "agent_message" }
func (AgentThought) kind() string            { return "agent_thought" }
func (UserMessageChunk) kind() string        { return "user_message_chunk" }
func (AgentMessageChunk) kind() string       { return "agent_message_chunk" }
func (AgentThoughtChunk) kind() string       { return "agent_thought_chunk" }
func (SessionInfoUpdate) kind() string       { return "session_info_update" }
func (UsageUpdate) kind() string             { return "usage_update" }
func (Notice) kind() string                  { return "notice" }
func (CompactionUpdate) kind() string        { return "compaction_update" }
func (PlanUpdate) kind() string              { return "plan_update" }
func (AvailableCommandsUpdate) kind() string { return "available_commands_update" }
func (ConfigOptionUpdate) kind() string      { return "config_option_update" }
func (StateUpdate) kind() string             { return "state_update" }
func (ToolCallUpdate) kind() string          { return "tool_call_update" }
func (TerminalUpdate) kind() string          { return "terminal_update" }
func (TerminalOutputChunk) kind() string     { return "terminal_output_chunk" }
