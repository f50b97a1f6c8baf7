package acp

import "encoding/json"

// ContentBlock is a part of a prompt or of an answer. Its members depend on
// Type; Text, Image, Link and Resource return the blocks that Bellcord
// sends.
type ContentBlock struct {
	Type     string                    `json:"type"`
	Text     *string                   `json:"text,omitzero"` // plain or Markdown
	MimeType string                    `json:"mimeType,omitzero"`
	Data     string                    `json:"data,omitzero"` // of an image, in base64
	Name     string                    `json:"name,omitzero"` // of a link
	URI      string                    `json:"uri,omitzero"`
	Resource *EmbeddedResourceResource `json:"resource,omitzero"`

	Annotations json.RawMessage `json:"annotations,omitzero"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// Types of content blocks. Blocks of other types are shown by their type only.
const (
	TypeText     = "text"
	TypeImage    = "image"
	TypeLink     = "resource_link"
	TypeResource = "resource"
)

// Text returns a text block.
func Text(text string) ContentBlock { return ContentBlock{Type: TypeText, Text: &text} }

// Image returns an image block. data is encoded in base64.
func Image(mimeType, data string) ContentBlock {
	return ContentBlock{Type: TypeImage, MimeType: mimeType, Data: data}
}

// Link returns a link to a file that the agent can read.
func Link(name, uri string) ContentBlock { return ContentBlock{Type: TypeLink, Name: name, URI: uri} }

// Resource returns the text of a file as a block.
func Resource(uri, text string) ContentBlock {
	return ContentBlock{Type: TypeResource, Resource: &EmbeddedResourceResource{URI: uri, MimeType: "text/plain", Text: &text}}
}

// EmbeddedResourceResource is the text of a file, or its bytes in base64. Its
// URI may select lines.
type EmbeddedResourceResource struct {
	URI      string  `json:"uri"`
	MimeType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     string  `json:"blob,omitempty"`
}
