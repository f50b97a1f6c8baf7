package acp

import "encoding/json"

// PromptRequest starts a turn.
type PromptRequest struct {
	SessionID string         `json:"sessionId"`
	Prompt    []ContentBlock `json:"prompt"`
	Meta      Meta           `json:"_meta,omitzero"`
}

// PromptResponse is the response to PromptRequest. It ends the turn.
type PromptResponse struct {
	StopReason StopReason `json:"stopReason"`
	Meta       Meta       `json:"_meta,omitzero"`
}

// StopReason is the reason why a turn ended.
type StopReason string

// All stop reasons of version 1.
const (
	StopEndTurn         StopReason = "end_turn"
	StopMaxTokens       StopReason = "max_tokens"
	StopMaxTurnRequests StopReason = "max_turn_requests"
	StopRefusal         StopReason = "refusal"
	StopCancelled       StopReason = "cancelled"
)

// CancelNotification stops the turns of a session.
type CancelNotification CloseSessionRequest

// CancelRequestNotification cancels one request.
type CancelRequestNotification struct {
	RequestID json.RawMessage `json:"requestId"`
}
