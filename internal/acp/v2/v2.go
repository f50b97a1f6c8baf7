// Package v2 contains the messages of the Agent Client Protocol, version 2, that
// differ from those of version 1 and that Bellcord sends or reads as an agent.
// Version 2 is a draft: testdata/schema.json has the state that these types
// follow.
//
// Types have the names of their definitions in the schema. Values that have not
// changed since version 1 have the types of package acp.
package v2

import (
	"encoding/json"

	"github.com/bellcord/bellcord/internal/acp"
)

// Version is the version of the protocol.
const Version = 2

// Methods that an agent serves in addition to those of version 1.
// session/load, session/set_mode and authenticate do not exist in version 2.
const (
	MethodLogin          = "auth/login"
	MethodLogout         = "auth/logout"
	MethodCancelToolCall = "tool_call/cancel"
	MethodCancelTerminal = "terminal/cancel"
)

// InitializeRequest opens a connection.
type InitializeRequest struct {
	ProtocolVersion int                `json:"protocolVersion"`
	Info            acp.Implementation `json:"info"`
	Capabilities    ClientCapabilities `json:"capabilities,omitzero"`
	Meta            json.RawMessage    `json:"_meta,omitzero"`
}

// ClientCapabilities lists what a client offers to an agent.
type ClientCapabilities struct {
	Auth        ClientAuthCapabilities      `json:"auth,omitzero"`
	Elicitation acp.ElicitationCapabilities `json:"elicitation,omitzero"`
	Meta        json.RawMessage             `json:"_meta,omitzero"`
}

// ClientAuthCapabilities lists the kinds of logins that a client offers in
// addition to those that the agent performs itself.
type ClientAuthCapabilities struct {
	Terminal acp.Supported `json:"terminal,omitzero"`
}

// InitializeResponse is the response to InitializeRequest.
type InitializeResponse struct {
	ProtocolVersion int                `json:"protocolVersion"`
	Info            acp.Implementation `json:"info"`
	Capabilities    AgentCapabilities  `json:"capabilities"`
	AuthMethods     []AuthMethod       `json:"authMethods,omitzero"`
	Meta            json.RawMessage    `json:"_meta,omitzero"`
}

// AgentCapabilities lists what an agent supports.
type AgentCapabilities struct {
	Session SessionCapabilities `json:"session"`
}

// SessionCapabilities lists what an agent supports in addition to session/new,
// list, resume, close, prompt and cancel.
type SessionCapabilities struct {
	Prompt                PromptCapabilities `json:"prompt"`
	MCP                   McpCapabilities    `json:"mcp"`
	Delete                acp.Supported      `json:"delete,omitzero"`
	AdditionalDirectories acp.Supported      `json:"additionalDirectories,omitzero"`
}

// PromptCapabilities lists what a prompt may contain in addition to text and
// links.
type PromptCapabilities struct {
	Image           acp.Supported `json:"image,omitzero"`
	Audio           acp.Supported `json:"audio,omitzero"`
	EmbeddedContext acp.Supported `json:"embeddedContext,omitzero"`
}

// McpCapabilities lists the transports to MCP servers that an agent supports.
type McpCapabilities struct {
	Stdio acp.Supported `json:"stdio,omitzero"`
	HTTP  acp.Supported `json:"http,omitzero"`
}

// AuthMethod is a login method. Args and Env belong to a login in a terminal.
type AuthMethod struct {
	Type        string            `json:"type"` // agent or terminal
	MethodID    string            `json:"methodId"`
	Name        string            `json:"name"`
	Description string            `json:"description,omitzero"`
	Args        []string          `json:"args,omitzero"`
	Env         []acp.EnvVariable `json:"env,omitzero"`
	Meta        json.RawMessage   `json:"_meta,omitzero"`
}

// ReplayFrom is the position in a session's history at which a replay begins.
type ReplayFrom struct {
	Type string `json:"type"`
}

// ReplayStart is the type of a ReplayFrom that is the beginning.
const ReplayStart = "start"

// PromptResponse states that a prompt is part of the conversation. The prompt's
// end is a StateUpdate.
type PromptResponse struct {
	MessageID string   `json:"messageId"`
	Meta      acp.Meta `json:"_meta,omitzero"`
}

// CancelToolCallRequest ends one tool call that has the capability.
type CancelToolCallRequest struct {
	SessionID  string `json:"sessionId"`
	ToolCallID string `json:"toolCallId"`
}

// RequestPermissionRequest requests permission for an operation.
type RequestPermissionRequest struct {
	SessionID   string                   `json:"sessionId"`
	Title       string                   `json:"title"`
	Description string                   `json:"description,omitzero"`
	Subject     RequestPermissionSubject `json:"subject"`
	Options     []acp.PermissionOption   `json:"options"`
	Meta        acp.Meta                 `json:"_meta,omitzero"`
}

// RequestPermissionSubject is the operation: a tool call. The client applies
// ToolCall like an update.
type RequestPermissionSubject struct {
	Type     string         `json:"type"`
	ToolCall ToolCallUpdate `json:"toolCall"`
}

// SubjectToolCall is the type of a RequestPermissionSubject.
const SubjectToolCall = "tool_call"
