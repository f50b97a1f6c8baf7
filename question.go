package bellcord

import (
	"encoding/json"
)

// Question is put to a person; the turn waits for the answer. Text can stand
// alone, but it is cut where the call is long. Tool, Arguments and Changes
// are the whole call, for fronts that can show it.
type Question struct {
	ID        string          `json:"id"`
	Call      string          `json:"call,omitempty"` // the tool call it is about
	Text      string          `json:"text"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Changes   []Change        `json:"changes,omitempty"` // to files, if the call is allowed
	Choices   []Choice        `json:"choices"`
}

// Change is a change to a file: New replaces Old, which is the whole file or a
// part of it. Old is nil where the file does not exist or cannot be shown.
type Change struct {
	Path string  `json:"path"` // absolute
	Old  *string `json:"old,omitempty"`
	New  string  `json:"new"`
}

// Choice is one possible answer.
type Choice struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Kind string `json:"kind" enum:"allow_once,allow_always,reject_once,reject_always"`
}
