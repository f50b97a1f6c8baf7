package bellcord

import (
	"encoding/json"
	"slices"
)

// Role is the author of a message.
type Role string

// The roles of a conversation.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of a conversation as it is sent to a model.
type Message struct {
	Role Role
	Seq  int64 // sequence number of the message's first event; 0 for a summary
	Text string

	Images []Image // of a user message, sent before the text, or of a tool message, sent after it

	// Fields of an assistant message. The calls follow the text; a tool message
	// for each of them follows directly.
	Model    string // the provider/model that wrote it
	Thinking []Thinking
	Calls    []CallRequest

	// Fields of a tool message.
	Call   string // id of the call
	Name   string // name of the tool
	Failed bool
}

// Image is a picture that a prompt or the result of a call contains. The result
// of a call may also contain a document, of type application/pdf.
type Image struct {
	Type string `json:"type"` // media type, such as image/png
	Data []byte `json:"data"`
}

// ImageTypes returns the media types of the images that models accept.
func ImageTypes() []string {
	return []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
}

// IsImageType reports whether a media type is one of ImageTypes.
func IsImageType(mediaType string) bool { return slices.Contains(ImageTypes(), mediaType) }

// Thinking is a block of a model's thinking. At is its position in the
// message's text, as a character index. A block without a signature is
// incomplete.
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
	Signature json.RawMessage // set by models that sign their calls
}

// OriginalCall is a tool call as the model wrote it, before its name or its
// arguments were repaired.
type OriginalCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}
