package acp

import "encoding/json"

// Methods of a client for questions to the user.
const (
	MethodCreateElicitation   = "elicitation/create"
	MethodCompleteElicitation = "elicitation/complete" // a notification
)

// The modes of an elicitation.
const (
	ElicitForm = "form"
	ElicitURL  = "url"
)

// The actions with which a client answers an elicitation.
const (
	ElicitAccept  = "accept"
	ElicitDecline = "decline"
	ElicitCancel  = "cancel"
)

// ElicitationCapabilities lists the modes of elicitation that a client offers.
type ElicitationCapabilities struct {
	Form Supported `json:"form,omitzero"`
	URL  Supported `json:"url,omitzero"`
}

// CreateElicitationRequest shows a form or a URL to the user. It belongs to a
// session and, if ToolCallID is set, to a call of it, or to another request.
type CreateElicitationRequest struct {
	SessionID       string          `json:"sessionId,omitzero"`
	ToolCallID      string          `json:"toolCallId,omitzero"`
	RequestID       json.RawMessage `json:"requestId,omitzero"`
	Mode            string          `json:"mode"`
	Message         string          `json:"message"`
	RequestedSchema json.RawMessage `json:"requestedSchema,omitzero"` // of the form
	ElicitationID   string          `json:"elicitationId,omitzero"`   // of the URL
	URL             string          `json:"url,omitzero"`
}

// CreateElicitationResponse is the response to CreateElicitationRequest. Content
// contains the values of an accepted form.
type CreateElicitationResponse struct {
	Action  string                     `json:"action"`
	Content map[string]json.RawMessage `json:"content,omitzero"`
}

// CompleteElicitationNotification means that the user is done on the page of an
// elicitation by URL.
type CompleteElicitationNotification struct {
	ElicitationID string `json:"elicitationId"`
}
