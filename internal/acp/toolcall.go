package acp

import "encoding/json"

// ToolCall reports a new tool call.
type ToolCall struct {
	ToolCallID string             `json:"toolCallId"`
	Title      string             `json:"title"`
	Name       string             `json:"name,omitzero"`
	Kind       ToolKind           `json:"kind,omitzero"`
	Status     ToolCallStatus     `json:"status,omitzero"`
	Content    []ToolCallContent  `json:"content,omitzero"`
	Locations  []ToolCallLocation `json:"locations,omitzero"`
	RawInput   json.RawMessage    `json:"rawInput,omitzero"`
	RawOutput  json.RawMessage    `json:"rawOutput,omitzero"`
	Meta       Meta               `json:"_meta,omitzero"`
}

// ToolCallUpdate changes a tool call. Members that are present replace the
// earlier values.
type ToolCallUpdate struct {
	ToolCallID string             `json:"toolCallId"`
	Title      string             `json:"title,omitzero"`
	Name       string             `json:"name,omitzero"`
	Kind       ToolKind           `json:"kind,omitzero"`
	Status     ToolCallStatus     `json:"status,omitzero"`
	Content    []ToolCallContent  `json:"content,omitzero"`
	Locations  []ToolCallLocation `json:"locations,omitzero"`
	RawInput   json.RawMessage    `json:"rawInput,omitzero"`
	RawOutput  json.RawMessage    `json:"rawOutput,omitzero"`
	Meta       Meta               `json:"_meta,omitzero"`
}

// ToolKind is the kind of a tool, for display.
type ToolKind string

// The kinds of tools.
const (
	ToolRead       ToolKind = "read"
	ToolEdit       ToolKind = "edit"
	ToolDelete     ToolKind = "delete"
	ToolMove       ToolKind = "move"
	ToolSearch     ToolKind = "search"
	ToolExecute    ToolKind = "execute"
	ToolThink      ToolKind = "think"
	ToolFetch      ToolKind = "fetch"
	ToolSwitchMode ToolKind = "switch_mode"
	ToolOther      ToolKind = "other"
)

// ToolCallStatus is the status of a tool call.
type ToolCallStatus string

// The statuses of a tool call. Version 1 has no status for a call that was
// stopped.
const (
	CallPending    ToolCallStatus = "pending"
	CallInProgress ToolCallStatus = "in_progress"
	CallCompleted  ToolCallStatus = "completed"
	CallFailed     ToolCallStatus = "failed"
)

// ToolCallLocation is a file that a call reads or changes.
type ToolCallLocation struct {
	Path string `json:"path"`          // absolute
	Line int    `json:"line,omitzero"` // counted from 1
}

// ToolCallContent is a part of a call's output: a content block, a change to a
// file, or the output of a terminal. Its members depend on Type.
type ToolCallContent struct {
	Type       string        `json:"type"`
	Content    *ContentBlock `json:"content,omitzero"`
	Path       string        `json:"path,omitzero"`    // absolute
	OldText    *string       `json:"oldText,omitzero"` // nil for a new file
	NewText    *string       `json:"newText,omitzero"`
	TerminalID string        `json:"terminalId,omitzero"`

	Meta json.RawMessage `json:"_meta,omitzero"`

	raw json.RawMessage // replaces all members
}

// RawContent returns content of a hosted agent that is passed on as it is.
func RawContent(content json.RawMessage) ToolCallContent { return ToolCallContent{raw: content} }

// MarshalJSON implements json.Marshaler.
func (c ToolCallContent) MarshalJSON() ([]byte, error) {
	if c.raw != nil {
		return c.raw, nil
	}
	type plain ToolCallContent
	return json.Marshal(plain(c))
}

// Types of a call's content.
const (
	TypeContent  = "content"
	TypeDiff     = "diff"
	TypeTerminal = "terminal"
)

// TextContent returns text as content of a call.
func TextContent(text string) ToolCallContent {
	block := Text(text)
	return ToolCallContent{Type: TypeContent, Content: &block}
}

// Diff returns a change to a file as content of a call. before is nil for a new
// file.
func Diff(path string, before *string, after string) ToolCallContent {
	return ToolCallContent{Type: TypeDiff, Path: path, OldText: before, NewText: &after}
}

// Members of the _meta of a call with which agents show the output of a command,
// in a terminal that only displays it. TerminalDeltaMember is an older name of
// TerminalOutputMember, which some agents use.
const (
	TerminalInfoMember   = "terminal_info"
	TerminalOutputMember = "terminal_output"
	TerminalDeltaMember  = "terminal_output_delta"
	TerminalExitMember   = "terminal_exit"
)
