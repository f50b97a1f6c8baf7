package v2

import (
	"encoding/json"

	"github.com/bellcord/bellcord/internal/acp"
)

// ToolCallUpdate shows a tool call or changes it. Members that are present
// replace the earlier values.
type ToolCallUpdate struct {
	ToolCallID   string                 `json:"toolCallId"`
	Title        string                 `json:"title,omitzero"`
	Name         string                 `json:"name,omitzero"`
	Kind         acp.ToolKind           `json:"kind,omitzero"`
	Status       acp.ToolCallStatus     `json:"status,omitzero"`
	Content      []ToolCallContent      `json:"content,omitzero"`
	Locations    []acp.ToolCallLocation `json:"locations,omitzero"`
	RawInput     json.RawMessage        `json:"rawInput,omitzero"`
	RawOutput    json.RawMessage        `json:"rawOutput,omitzero"`
	Capabilities json.RawMessage        `json:"capabilities,omitzero"` // Cancellable, or null for none
	Meta         acp.Meta               `json:"_meta,omitzero"`
}

// CallCancelled is the status of a call that a stop ended. Version 1 does not
// have it.
const CallCancelled acp.ToolCallStatus = "cancelled"

// Cancellable returns the capabilities of a call that tool_call/cancel can end.
func Cancellable() json.RawMessage { return json.RawMessage(`{"cancel":{}}`) }

// ToolCallContent is a part of a call's output: a content block, changes to
// files, or a terminal. Its members depend on Type.
type ToolCallContent struct {
	Type       string          `json:"type"`
	Content    json.RawMessage `json:"content,omitzero"`
	Changes    []DiffChange    `json:"changes,omitzero"`
	Patch      *DiffPatch      `json:"patch,omitzero"`
	TerminalID string          `json:"terminalId,omitzero"`
	Meta       json.RawMessage `json:"_meta,omitzero"`
}

// DiffChange is a change to one file.
type DiffChange struct {
	Operation string `json:"operation"`
	Path      string `json:"path"` // absolute
}

// Operations of a DiffChange.
const (
	OperationAdd    = "add"
	OperationModify = "modify"
)

// DiffPatch is the text of the changes.
type DiffPatch struct {
	Format string `json:"format"`
	Text   string `json:"text"`
}

// FormatGitPatch is the format of a DiffPatch: git's, with absolute paths
// without prefixes.
const FormatGitPatch = "git_patch"

// TerminalUpdate shows a terminal of the agent or changes it.
type TerminalUpdate struct {
	TerminalID string              `json:"terminalId"`
	Command    string              `json:"command,omitzero"`
	Cwd        string              `json:"cwd,omitzero"`
	ExitStatus *TerminalExitStatus `json:"exitStatus,omitzero"` // the command has ended
}

// TerminalExitStatus is how a command ended, as far as it is known.
type TerminalExitStatus struct {
	ExitCode *int   `json:"exitCode,omitzero"`
	Signal   string `json:"signal,omitzero"`
}

// TerminalOutputChunk is more output of a terminal, in base64.
type TerminalOutputChunk struct {
	TerminalID string `json:"terminalId"`
	Data       string `json:"data"`
}
