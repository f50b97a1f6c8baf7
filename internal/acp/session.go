package acp

// NewSessionRequest creates a session.
type NewSessionRequest struct {
	Cwd        string      `json:"cwd"`
	McpServers []McpServer `json:"mcpServers"`
	Meta       Meta        `json:"_meta,omitzero"`

	AdditionalDirectories []string `json:"additionalDirectories,omitzero"` // absolute paths
}

// LoadSessionRequest reopens a session and replays its conversation.
type LoadSessionRequest struct {
	SessionID  string      `json:"sessionId"`
	Cwd        string      `json:"cwd"`
	McpServers []McpServer `json:"mcpServers"`
	Meta       Meta        `json:"_meta,omitzero"`

	AdditionalDirectories []string `json:"additionalDirectories,omitzero"` // all of them, as absolute paths
}

// ResumeSessionRequest reopens a session without a replay.
type ResumeSessionRequest LoadSessionRequest

// McpServer is an MCP server that the agent connects to: a command, or a URL if
// Type is http or sse. Bellcord only reads it.
type McpServer struct {
	Type    string        `json:"type,omitzero"`
	Name    string        `json:"name"`
	Command string        `json:"command"`
	Args    []string      `json:"args"`
	Env     []EnvVariable `json:"env"`
	URL     string        `json:"url"`
	Headers []HTTPHeader  `json:"headers"`
}

// EnvVariable is an environment variable.
type EnvVariable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// HTTPHeader is a header of requests to an MCP server.
type HTTPHeader EnvVariable

// NewSessionResponse is the response to NewSessionRequest.
type NewSessionResponse struct {
	SessionID     string                `json:"sessionId"`
	Modes         *SessionModeState     `json:"modes,omitzero"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero"`
	Meta          Meta                  `json:"_meta,omitzero"`
}

// LoadSessionResponse is the response to LoadSessionRequest.
type LoadSessionResponse struct {
	Modes         *SessionModeState     `json:"modes,omitzero"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero"`
}

// ResumeSessionResponse is the response to ResumeSessionRequest.
type ResumeSessionResponse LoadSessionResponse

// SessionModeState contains a session's current mode and its available modes.
type SessionModeState struct {
	CurrentModeID  string        `json:"currentModeId"`
	AvailableModes []SessionMode `json:"availableModes"`
}

// SessionMode is a mode of operation of an agent.
type SessionMode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// SessionConfigOption is a setting of a session. CurrentValue is the value of
// one of the options, or a bool if Type is boolean.
type SessionConfigOption struct {
	ID           string                     `json:"id"`
	Name         string                     `json:"name"`
	Category     string                     `json:"category,omitzero"`
	Type         string                     `json:"type"`
	CurrentValue any                        `json:"currentValue"`
	Options      SessionConfigSelectOptions `json:"options,omitzero"`
}

// SessionConfigSelectOptions contains the possible values of a setting.
type SessionConfigSelectOptions []SessionConfigSelectOption

// UnmarshalJSON implements json.Unmarshaler. It ignores the options of an
// agent, which may be grouped.
func (*SessionConfigSelectOptions) UnmarshalJSON([]byte) error { return nil }

// SessionConfigSelectOption is a possible value of a setting.
type SessionConfigSelectOption struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// SetSessionModeRequest changes the mode of a session.
type SetSessionModeRequest struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
}

// SetSessionConfigOptionRequest changes a setting of a session.
type SetSessionConfigOptionRequest struct {
	SessionID string `json:"sessionId"`
	ConfigID  string `json:"configId"`
	Value     string `json:"value"`
}

// SetSessionConfigOptionResponse contains all settings after the change.
type SetSessionConfigOptionResponse struct {
	ConfigOptions []SessionConfigOption `json:"configOptions"`
}

// ListSessionsRequest requests a page of the sessions. If Cwd is set, only
// sessions in that directory are listed.
type ListSessionsRequest struct {
	Cwd    string `json:"cwd,omitzero"`
	Cursor string `json:"cursor,omitzero"`
}

// ListSessionsResponse is a page of sessions. NextCursor requests the next
// page.
type ListSessionsResponse struct {
	Sessions   []SessionInfo `json:"sessions"`
	NextCursor string        `json:"nextCursor,omitzero"`
}

// SessionInfo describes a session in a list.
type SessionInfo struct {
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
	Title     string `json:"title,omitzero"`
	UpdatedAt string `json:"updatedAt,omitzero"` // ISO 8601

	AdditionalDirectories []string `json:"additionalDirectories,omitzero"`
}

// CloseSessionRequest stops the turns of a session and closes it.
type CloseSessionRequest struct {
	SessionID string `json:"sessionId"`
}

// DeleteSessionRequest deletes a session.
type DeleteSessionRequest CloseSessionRequest
