package acp

// SessionNotification reports what happens in a session.
type SessionNotification struct {
	SessionID string        `json:"sessionId"`
	Update    SessionUpdate `json:"update"`
}

// ContentChunk is a piece of a message.
type ContentChunk struct {
	Content ContentBlock `json:"content"`
}

// UserMessageChunk is a piece of what the person said.
type UserMessageChunk ContentChunk

// AgentMessageChunk is a piece of the answer.
type AgentMessageChunk ContentChunk

// AgentThoughtChunk is a piece of the agent's thoughts.
type AgentThoughtChunk ContentChunk

// Plan is what the agent is going to do.
type Plan struct {
	Entries []PlanEntry `json:"entries"`
}

// PlanEntry is a step of a plan.
type PlanEntry struct {
	Content  string          `json:"content"`
	Priority string          `json:"priority"`
	Status   PlanEntryStatus `json:"status"`
}

// PlanEntryStatus is how far a step is.
type PlanEntryStatus string

// The states of a step.
const (
	PlanPending    PlanEntryStatus = "pending"
	PlanInProgress PlanEntryStatus = "in_progress"
	PlanCompleted  PlanEntryStatus = "completed"
)

// AvailableCommandsUpdate has all commands that a prompt can begin with.
type AvailableCommandsUpdate struct {
	AvailableCommands []AvailableCommand `json:"availableCommands"`
}

// AvailableCommand is a command. Input is nil for one without arguments.
type AvailableCommand struct {
	Name        string                    `json:"name"`
	Description string                    `json:"description"`
	Input       *UnstructuredCommandInput `json:"input,omitzero"`
}

// UnstructuredCommandInput describes what follows the name of a command.
type UnstructuredCommandInput struct {
	Hint string `json:"hint"`
}

// CurrentModeUpdate means that the mode has changed.
type CurrentModeUpdate struct {
	CurrentModeID string `json:"currentModeId"`
}

// ConfigOptionUpdate has all settings after a change.
type ConfigOptionUpdate struct {
	ConfigOptions []SessionConfigOption `json:"configOptions"`
}

// SessionInfoUpdate describes the session.
type SessionInfoUpdate struct {
	Title     string `json:"title,omitzero"`
	UpdatedAt string `json:"updatedAt,omitzero"` // ISO 8601
}

// UsageUpdate is how many tokens of the context are in use, and what the session
// has cost.
type UsageUpdate struct {
	Used int64 `json:"used"`
	Size int64 `json:"size"`
	Cost Cost  `json:"cost,omitzero"`
}

// Cost is an amount of money.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}
