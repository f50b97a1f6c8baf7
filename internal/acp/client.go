package acp

// ReadTextFileRequest reads a file through the client: at most Limit lines,
// starting at Line, which is counted from 1. A zero value means no limit, or
// the first line.
type ReadTextFileRequest struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"` // absolute
	Line      int    `json:"line,omitzero"`
	Limit     int    `json:"limit,omitzero"`
}

// ReadTextFileResponse is the response to ReadTextFileRequest.
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

// CreateTerminalResponse is the response to CreateTerminalRequest.
type CreateTerminalResponse struct {
	TerminalID string `json:"terminalId"`
}

// TerminalOutputRequest reads the output so far.
type TerminalOutputRequest struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
}

// WaitForTerminalExitRequest waits until the command exits.
type WaitForTerminalExitRequest TerminalOutputRequest

// KillTerminalRequest kills the command. The terminal stays valid.
type KillTerminalRequest TerminalOutputRequest

// ReleaseTerminalRequest releases the terminal. This also kills the command.
type ReleaseTerminalRequest TerminalOutputRequest

// TerminalOutputResponse is the response to TerminalOutputRequest. ExitStatus
// is nil while the command is running.
type TerminalOutputResponse struct {
	Output     string              `json:"output"`
	Truncated  bool                `json:"truncated"`
	ExitStatus *TerminalExitStatus `json:"exitStatus,omitzero"`
}

// TerminalExitStatus is how a command ended: with an exit code or by a signal.
type TerminalExitStatus struct {
	ExitCode *int    `json:"exitCode"`
	Signal   *string `json:"signal"`
}

// WaitForTerminalExitResponse is the response to WaitForTerminalExitRequest.
type WaitForTerminalExitResponse TerminalExitStatus
