package acp

import "encoding/json"

// SessionNotification reports a change in a session.
type SessionNotification struct {
	SessionID string        `json:"sessionId"`
	Update    SessionUpdate `json:"update"`
	Meta      Meta          `json:"_meta,omitzero"`
}

// ContentChunk is a part of a message.
type ContentChunk struct {
	Content   ContentBlock    `json:"content"`
	MessageID string          `json:"messageId,omitzero"` // chunks with the same id are parts of one message
	Meta      json.RawMessage `json:"_meta,omitzero"`
}

// UserMessageChunk is a part of the user's message.
type UserMessageChunk ContentChunk

// AgentMessageChunk is a part of the answer.
type AgentMessageChunk ContentChunk

// AgentThoughtChunk is a part of the agent's thinking.
type AgentThoughtChunk ContentChunk

// Plan contains the steps that the agent intends to do.
type Plan struct {
	Entries []PlanEntry `json:"entries"`
}

// PlanEntry is a step of a plan.
type PlanEntry struct {
	Content  string          `json:"content"`
	Priority string          `json:"priority"`
	Status   PlanEntryStatus `json:"status"`
}

// PlanEntryStatus is the status of a step.
type PlanEntryStatus string

// The statuses of a step.
const (
	PlanPending    PlanEntryStatus = "pending"
	PlanInProgress PlanEntryStatus = "in_progress"
	PlanCompleted  PlanEntryStatus = "completed"
)

// AvailableCommandsUpdate contains all commands that a prompt can start with.
type AvailableCommandsUpdate struct {
	AvailableCommands []AvailableCommand `json:"availableCommands"`
}

// AvailableCommand is a command. Input is nil if the command has no arguments.
type AvailableCommand struct {
	Name        string                    `json:"name"`
	Description string                    `json:"description"`
	Input       *UnstructuredCommandInput `json:"input,omitzero"`
}

// UnstructuredCommandInput describes the text after the name of a command.
type UnstructuredCommandInput struct {
	Hint string `json:"hint"`
}

// CurrentModeUpdate reports that the mode has changed.
type CurrentModeUpdate struct {
	CurrentModeID string `json:"currentModeId"`
}

// ConfigOptionUpdate contains all settings after a change.
type ConfigOptionUpdate struct {
	ConfigOptions []SessionConfigOption `json:"configOptions"`
}

// SessionInfoUpdate contains the title of the session.
type SessionInfoUpdate struct {
	Title     string `json:"title,omitzero"`
	UpdatedAt string `json:"updatedAt,omitzero"` // ISO 8601
}

// UsageUpdate contains the number of tokens in the context, its size, and the
// cost of the session.
type UsageUpdate struct {
	Used int64 `json:"used"`
	Size int64 `json:"size"`
	Cost Cost  `json:"cost,omitzero"`

	Meta json.RawMessage `json:"_meta,omitzero"`
}

// Cost is an amount of money.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// TimeFormat is the format of the protocol's times, in UTC.
const TimeFormat = "2006-01-02T15:04:05.000Z"
