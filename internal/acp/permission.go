package acp

// RequestPermissionRequest asks whether a call may run.
type RequestPermissionRequest struct {
	SessionID string             `json:"sessionId"`
	ToolCall  ToolCallUpdate     `json:"toolCall"`
	Options   []PermissionOption `json:"options"`
}

// PermissionOption is a possible answer.
type PermissionOption struct {
	OptionID string               `json:"optionId"`
	Name     string               `json:"name"`
	Kind     PermissionOptionKind `json:"kind"`
}

// PermissionOptionKind is what an option means.
type PermissionOptionKind string

// The kinds of options.
const (
	AllowOnce    PermissionOptionKind = "allow_once"
	AllowAlways  PermissionOptionKind = "allow_always"
	RejectOnce   PermissionOptionKind = "reject_once"
	RejectAlways PermissionOptionKind = "reject_always"
)

// RequestPermissionResponse answers RequestPermissionRequest.
type RequestPermissionResponse struct {
	Outcome RequestPermissionOutcome `json:"outcome"`
}

// RequestPermissionOutcome is the option that a person chose, or that the turn
// was cancelled first.
type RequestPermissionOutcome struct {
	Outcome  string `json:"outcome"`
	OptionID string `json:"optionId,omitzero"`
}

// The outcomes.
const (
	OutcomeSelected  = "selected"
	OutcomeCancelled = "cancelled"
)

// Selected returns the response that chooses an option.
func Selected(option string) RequestPermissionResponse {
	return RequestPermissionResponse{RequestPermissionOutcome{OutcomeSelected, option}}
}

// CancelledPermission returns the response of a cancelled turn.
func CancelledPermission() RequestPermissionResponse {
	return RequestPermissionResponse{RequestPermissionOutcome{Outcome: OutcomeCancelled}}
}
