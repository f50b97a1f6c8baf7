package acp

// NewSessionRequest makes a session.
type NewSessionRequest struct {
	Cwd        string      `json:"cwd"`
	McpServers []McpServer `json:"mcpServers"`
}

// LoadSessionRequest opens a session again; its conversation is replayed.
type LoadSessionRequest struct {
	SessionID  string      `json:"sessionId"`
	Cwd        string      `json:"cwd"`
	McpServers []McpServer `json:"mcpServers"`
}

// ResumeSessionRequest opens a session again, without a replay.
type ResumeSessionRequest LoadSessionRequest

// McpServer is an MCP server that the agent connects to: a command, or a URL
// where Type is http or sse. Bellcord only reads it.
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

// NewSessionResponse answers NewSessionRequest.
type NewSessionResponse struct {
	SessionID     string                `json:"sessionId"`
	Modes         *SessionModeState     `json:"modes,omitzero"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero"`
}

// LoadSessionResponse answers LoadSessionRequest.
type LoadSessionResponse struct {
	Modes         *SessionModeState     `json:"modes,omitzero"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero"`
}

// ResumeSessionResponse answers ResumeSessionRequest.
type ResumeSessionResponse LoadSessionResponse

// SessionModeState is a session's mode and those it can have.
type SessionModeState struct {
	CurrentModeID  string        `json:"currentModeId"`
	AvailableModes []SessionMode `json:"availableModes"`
}

// SessionMode is a way in which an agent works.
type SessionMode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// SessionConfigOption is a setting of a session. CurrentValue is the value of
// one of the options, or a bool where Type is boolean.
type SessionConfigOption struct {
	ID           string                     `json:"id"`
	Name         string                     `json:"name"`
	Category     string                     `json:"category,omitzero"`
	Type         string                     `json:"type"`
	CurrentValue any                        `json:"currentValue"`
	Options      SessionConfigSelectOptions `json:"options,omitzero"`
}

// SessionConfigSelectOptions are the values of a setting.
type SessionConfigSelectOptions []SessionConfigSelectOption

// UnmarshalJSON implements json.Unmarshaler. Bellcord does not read the options
// of an agent, which may be in groups.
func (*SessionConfigSelectOptions) UnmarshalJSON([]byte) error { return nil }

// SessionConfigSelectOption is a value of a setting.
type SessionConfigSelectOption struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// SetSessionModeRequest changes the mode.
type SetSessionModeRequest struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
}

// SetSessionConfigOptionRequest changes a setting.
type SetSessionConfigOptionRequest struct {
	SessionID string `json:"sessionId"`
	ConfigID  string `json:"configId"`
	Value     string `json:"value"`
}

// SetSessionConfigOptionResponse has all settings after the change.
type SetSessionConfigOptionResponse struct {
	ConfigOptions []SessionConfigOption `json:"configOptions"`
}

// ListSessionsRequest asks for a page of the sessions, of one directory where
// Cwd is set.
type ListSessionsRequest struct {
	Cwd    string `json:"cwd,omitzero"`
	Cursor string `json:"cursor,omitzero"`
}

// ListSessionsResponse is a page; the next one is at NextCursor.
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
}

// CloseSessionRequest stops a session's turns and closes it.
type CloseSessionRequest struct {
	SessionID string `json:"sessionId"`
}

// DeleteSessionRequest deletes a session.
type DeleteSessionRequest CloseSessionRequest
