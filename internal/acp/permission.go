package acp

import "encoding/json"

// RequestPermissionRequest requests permission to run a tool call.
type RequestPermissionRequest struct {
	SessionID string             `json:"sessionId"`
	ToolCall  ToolCallUpdate     `json:"toolCall"`
	Options   []PermissionOption `json:"options"`
	Meta      Meta               `json:"_meta,omitzero"`
}

// PermissionOption is a possible answer to the request.
type PermissionOption struct {
	OptionID string               `json:"optionId"`
	Name     string               `json:"name"`
	Kind     PermissionOptionKind `json:"kind"`
	Meta     json.RawMessage      `json:"_meta,omitzero"`
}

// PermissionOptionKind is the meaning of an option.
type PermissionOptionKind string

// The kinds of options.
const (
	AllowOnce    PermissionOptionKind = "allow_once"
	AllowAlways  PermissionOptionKind = "allow_always"
	RejectOnce   PermissionOptionKind = "reject_once"
	RejectAlways PermissionOptionKind = "reject_always"
)

// RequestPermissionResponse is the response to RequestPermissionRequest.
type RequestPermissionResponse struct {
	Outcome RequestPermissionOutcome `json:"outcome"`
}

// RequestPermissionOutcome contains the option that the user chose, or states
// that the turn was cancelled before.
type RequestPermissionOutcome struct {
	Outcome  string `json:"outcome"`
	OptionID string `json:"optionId,omitzero"`
}

// The outcomes of a permission request.
const (
	OutcomeSelected  = "selected"
	OutcomeCancelled = "cancelled"
)

// Selected returns the response that selects an option.
func Selected(option string) RequestPermissionResponse {
	return RequestPermissionResponse{RequestPermissionOutcome{OutcomeSelected, option}}
}

// CancelledPermission returns the response for a cancelled turn.
func CancelledPermission() RequestPermissionResponse {
	return RequestPermissionResponse{RequestPermissionOutcome{Outcome: OutcomeCancelled}}
}
