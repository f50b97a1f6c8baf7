package acp

import "encoding/json"

// ToolCall shows a tool call for the first time.
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

// ToolCallUpdate changes a tool call: members that are there replace those
// before.
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

// ToolKind is what a tool does, for the client to show.
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

// ToolCallStatus is how far a call is.
type ToolCallStatus string

// The states of a call. Version 1 has none for a call that was stopped.
const (
	CallPending    ToolCallStatus = "pending"
	CallInProgress ToolCallStatus = "in_progress"
	CallCompleted  ToolCallStatus = "completed"
	CallFailed     ToolCallStatus = "failed"
)

// ToolCallLocation is a file that a call reads or changes.
type ToolCallLocation struct {
	Path string `json:"path"` // absolute
}

// ToolCallContent is a part of what a call shows: a block, a change to a file,
// or the output of a terminal. Which members it has depends on Type.
type ToolCallContent struct {
	Type       string        `json:"type"`
	Content    *ContentBlock `json:"content,omitzero"`
	Path       string        `json:"path,omitzero"`    // absolute
	OldText    *string       `json:"oldText,omitzero"` // nil for a new file
	NewText    *string       `json:"newText,omitzero"`
	TerminalID string        `json:"terminalId,omitzero"`
}

// Types of a call's content.
const (
	TypeContent  = "content"
	TypeDiff     = "diff"
	TypeTerminal = "terminal"
)

// TextContent returns text as a call's content.
func TextContent(text string) ToolCallContent {
	block := Text(text)
	return ToolCallContent{Type: TypeContent, Content: &block}
}

// Diff returns a change to a file.
func Diff(path string, before *string, after string) ToolCallContent {
	return ToolCallContent{Type: TypeDiff, Path: path, OldText: before, NewText: &after}
}
