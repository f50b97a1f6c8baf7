package acp

// ReadTextFileRequest reads a file as the client has it: from Line, counted from
// 1, at most Limit lines; 0 means all.
type ReadTextFileRequest struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"` // absolute
	Line      int    `json:"line,omitzero"`
	Limit     int    `json:"limit,omitzero"`
}

// ReadTextFileResponse answers ReadTextFileRequest.
type ReadTextFileResponse struct {
	Content string `json:"content"`
}

// WriteTextFileRequest creates or replaces a file.
type WriteTextFileRequest struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"` // absolute
	Content   string `json:"content"`
}

// CreateTerminalRequest runs a command in a terminal of the client.
type CreateTerminalRequest struct {
	SessionID       string        `json:"sessionId"`
	Command         string        `json:"command"`
	Args            []string      `json:"args,omitzero"`
	Env             []EnvVariable `json:"env,omitzero"`
	Cwd             string        `json:"cwd,omitzero"`
	OutputByteLimit *int          `json:"outputByteLimit,omitzero"` // the newest output is kept
}

// CreateTerminalResponse answers CreateTerminalRequest.
type CreateTerminalResponse struct {
	TerminalID string `json:"terminalId"`
}

// TerminalOutputRequest asks for the output so far.
type TerminalOutputRequest struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
}

// WaitForTerminalExitRequest waits for the end of the command.
type WaitForTerminalExitRequest TerminalOutputRequest

// KillTerminalRequest kills the command. The terminal stays.
type KillTerminalRequest TerminalOutputRequest

// ReleaseTerminalRequest gives the terminal back, which kills the command, too.
type ReleaseTerminalRequest TerminalOutputRequest

// TerminalOutputResponse answers TerminalOutputRequest. ExitStatus is nil while
// the command runs.
type TerminalOutputResponse struct {
	Output     string              `json:"output"`
	Truncated  bool                `json:"truncated"`
	ExitStatus *TerminalExitStatus `json:"exitStatus,omitzero"`
}

// TerminalExitStatus is how a command ended: with a code, or by a signal.
type TerminalExitStatus struct {
	ExitCode *int    `json:"exitCode"`
	Signal   *string `json:"signal"`
}

// WaitForTerminalExitResponse answers WaitForTerminalExitRequest.
type WaitForTerminalExitResponse TerminalExitStatus
