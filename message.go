package bellcord

import (
	"encoding/json"
)

// Role says whose words a message holds.
type Role string

// The roles of a conversation.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of a conversation as a model is told it.
type Message struct {
	Role Role
	Seq  int64 // of the event it begins with; 0 for a summary
	Text string

	Images []Image // of a user, before the text

	// Of an assistant. The calls come after the text; each is answered by a tool
	// message that follows directly.
	Model    string // the provider/model that said it
	Thinking []Thinking
	Calls    []CallRequest

	// Of a tool message.
	Call   string // the call it answers
	Name   string // of the tool
	Failed bool
}

// Image is a picture that a person showed.
type Image struct {
	Type string `json:"type"` // such as image/png
	Data []byte `json:"data"`
}

// Thinking is a block of a model's thoughts, before the character of the
// message's text with the index At. Without a signature it was not finished.
type Thinking struct {
	At        int
	Text      string
	Signature json.RawMessage
}

// CallRequest is a tool call as the model made it.
type CallRequest struct {
	ID        string
	Name      string
	Arguments json.RawMessage // a complete JSON object
	Signature json.RawMessage // of the model that made it, where it makes one
}
