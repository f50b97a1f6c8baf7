// Package acp contains the messages of the Agent Client Protocol, version 1, as
// Go types: those that Bellcord sends or reads, as an agent and as a client.
//
// Types have the names of their definitions in the official schema, and a test
// compares each type with its definition (testdata/schema.json). A type has all
// required members and, of the optional ones, those that Bellcord uses. Other
// members are ignored when a message is decoded.
//
// An optional member that is nil or zero is omitted; an empty list that is not
// nil is sent.
package acp

import (
	"encoding/json"
	"errors"
)

// Version is the version of the protocol.
const Version = 1

// Methods that an agent serves.
const (
	MethodInitialize      = "initialize"
	MethodAuthenticate    = "authenticate"
	MethodNewSession      = "session/new"
	MethodLoadSession     = "session/load"
	MethodResumeSession   = "session/resume"
	MethodListSessions    = "session/list"
	MethodCloseSession    = "session/close"
	MethodDeleteSession   = "session/delete"
	MethodSetMode         = "session/set_mode"
	MethodSetConfigOption = "session/set_config_option"
	MethodPrompt          = "session/prompt"
	MethodCancel          = "session/cancel" // a notification
)

// Methods that a client serves.
const (
	MethodUpdate            = "session/update" // a notification
	MethodRequestPermission = "session/request_permission"
	MethodReadTextFile      = "fs/read_text_file"
	MethodWriteTextFile     = "fs/write_text_file"
	MethodCreateTerminal    = "terminal/create"
	MethodTerminalOutput    = "terminal/output"
	MethodWaitForExit       = "terminal/wait_for_exit"
	MethodKillTerminal      = "terminal/kill"
	MethodReleaseTerminal   = "terminal/release"
)

// Methods that the stable schema does not contain, but some agents serve.
const (
	UnstableForkSession = "session/fork"
	UnstableSetModel    = "session/set_model" // older agents; now a config option
	UnstableSteering    = "_session/steering" // adds a prompt to the running turn
)

// MethodCancelRequest is a notification that both sides may send.
const MethodCancelRequest = "$/cancel_request"

// ErrorCode is an error code that the protocol adds to those of JSON-RPC.
type ErrorCode int

// The error codes that Bellcord uses.
const (
	AuthRequired     ErrorCode = -32000 // the client offers the methods of initialize
	ResourceNotFound ErrorCode = -32002 // a session or a file
)

// Meta is the member _meta: data outside of the protocol, by name.
type Meta map[string]any

// UnmarshalJSON implements json.Unmarshaler. A value that is not an object is
// treated as absent, without an error.
func (m *Meta) UnmarshalJSON(data []byte) error {
	var members map[string]any
	_ = json.Unmarshal(data, &members)
	*m = members
	return nil
}

// Decode decodes a message from a peer. As the schema requires, a member of the
// wrong type is treated as absent. A message that is not an object is an error.
func Decode(data []byte, message any) error {
	err := json.Unmarshal(data, message)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return nil
	}
	return err
}
