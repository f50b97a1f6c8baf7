package v2

import (
	"encoding/json"

	"github.com/bellcord/bellcord/internal/acp"
)

// StateUpdate is the state of a session's foreground work. StopReason and Error
// belong to the state idle.
type StateUpdate struct {
	State      State            `json:"state"`
	StopReason StopReason       `json:"stopReason,omitzero"`
	Error      *Error           `json:"error,omitzero"`
	Background []BackgroundWork `json:"background,omitzero"` // nil: not reported; empty: nothing runs
	Meta       acp.Meta         `json:"_meta,omitzero"`
}

// State is the state of a session.
type State string

// The states.
const (
	StateRunning        State = "running"
	StateIdle           State = "idle"
	StateRequiresAction State = "requires_action" // the work waits for the user
)

// StopReason is the reason why the foreground work ended.
type StopReason string

// StopError is the stop reason that version 1 does not have.
const StopError StopReason = "error"

// Error is the error that ended the work.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitzero"`
}

// BackgroundWork is work that continues after the foreground work has ended: a
// process, shown as a terminal.
type BackgroundWork struct {
	Type       string `json:"type"`
	TerminalID string `json:"terminalId"`
}

// BackgroundTerminal is the type of a BackgroundWork that is a terminal.
const BackgroundTerminal = "terminal"
