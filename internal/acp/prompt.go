package acp

import "encoding/json"

// PromptRequest starts a turn.
type PromptRequest struct {
	SessionID string         `json:"sessionId"`
	Prompt    []ContentBlock `json:"prompt"`
}

// PromptResponse ends the turn.
type PromptResponse struct {
	StopReason StopReason `json:"stopReason"`
	Meta       Meta       `json:"_meta,omitzero"`
}

// StopReason is why a turn ended.
type StopReason string

// The reasons. There is no other in version 1.
const (
	StopEndTurn         StopReason = "end_turn"
	StopMaxTokens       StopReason = "max_tokens"
	StopMaxTurnRequests StopReason = "max_turn_requests"
	StopRefusal         StopReason = "refusal"
	StopCancelled       StopReason = "cancelled"
)

// CancelNotification stops a session's turns.
type CancelNotification CloseSessionRequest

// CancelRequestNotification cancels one request.
type CancelRequestNotification struct {
	RequestID json.RawMessage `json:"requestId"`
}
