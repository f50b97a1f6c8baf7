package acp

// InitializeRequest opens a connection.
type InitializeRequest struct {
	ProtocolVersion    int                `json:"protocolVersion"`
	ClientCapabilities ClientCapabilities `json:"clientCapabilities"`
	ClientInfo         Implementation     `json:"clientInfo,omitzero"`
}

// ClientCapabilities lists what a client offers to an agent.
type ClientCapabilities struct {
	FS       FileSystemCapabilities `json:"fs"`
	Terminal bool                   `json:"terminal"` // all methods of terminals

	Elicitation ElicitationCapabilities `json:"elicitation,omitzero"`
	Auth        AuthCapabilities        `json:"auth,omitzero"`

	Meta Meta `json:"_meta,omitzero"`
}

// AuthCapabilities lists the kinds of AuthMethod that a client supports in
// addition to those that the agent performs itself.
type AuthCapabilities struct {
	Terminal bool `json:"terminal"` // the client can start the agent's program in a terminal
}

// FileSystemCapabilities lists the file methods that a client offers.
type FileSystemCapabilities struct {
	ReadTextFile  bool `json:"readTextFile"`
	WriteTextFile bool `json:"writeTextFile"`
}

// Implementation identifies a program. Title is its display name.
type Implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitzero"`
	Version string `json:"version"`
}

// InitializeResponse is the response to InitializeRequest.
type InitializeResponse struct {
	ProtocolVersion   int               `json:"protocolVersion"`
	AgentInfo         Implementation    `json:"agentInfo,omitzero"`
	AgentCapabilities AgentCapabilities `json:"agentCapabilities"`
	AuthMethods       []AuthMethod      `json:"authMethods,omitzero"`
}

// AgentCapabilities lists what an agent supports.
type AgentCapabilities struct {
	LoadSession         bool                `json:"loadSession"`
	PromptCapabilities  PromptCapabilities  `json:"promptCapabilities"`
	McpCapabilities     McpCapabilities     `json:"mcpCapabilities"`
	SessionCapabilities SessionCapabilities `json:"sessionCapabilities"`
}

// PromptCapabilities lists what a prompt may contain in addition to text and
// links.
type PromptCapabilities struct {
	Image           bool `json:"image"`
	Audio           bool `json:"audio"`
	EmbeddedContext bool `json:"embeddedContext"`
}

// McpCapabilities lists the transports to MCP servers that an agent supports in
// addition to stdio.
type McpCapabilities struct {
	HTTP bool `json:"http"`
	SSE  bool `json:"sse"`
}

// SessionCapabilities lists the session methods that an agent supports in
// addition to session/new, session/prompt and session/cancel.
type SessionCapabilities struct {
	List   Supported `json:"list,omitzero"`
	Resume Supported `json:"resume,omitzero"`
	Close  Supported `json:"close,omitzero"`
	Delete Supported `json:"delete,omitzero"`

	AdditionalDirectories Supported `json:"additionalDirectories,omitzero"` // of the requests that open a session
}

// Supported is a capability that the schema represents as an object without
// members. It is omitted if it is false.
type Supported bool

// MarshalJSON implements json.Marshaler.
func (Supported) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

// UnmarshalJSON implements json.Unmarshaler. It also accepts true and false,
// which some agents send.
func (s *Supported) UnmarshalJSON(data []byte) error {
	*s = string(data) != "null" && string(data) != "false"
	return nil
}

// AuthMethod is a login method. The agent performs it itself or, if Type is
// terminal, the client starts the agent's program with Args in a terminal.
type AuthMethod struct {
	Type        string   `json:"type,omitzero"`
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitzero"`
	Args        []string `json:"args,omitzero"`

	Meta Meta `json:"_meta,omitzero"`
}

// TerminalAuth is the Type of an AuthMethod in a terminal.
const TerminalAuth = "terminal"

// AuthenticateRequest selects an AuthMethod that the agent performs itself.
type AuthenticateRequest struct {
	MethodID string `json:"methodId"`
}
