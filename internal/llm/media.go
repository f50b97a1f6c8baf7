package llm

import "github.com/bellcord/bellcord"

// PDF is the media type of PDF documents.
const PDF = "application/pdf"

// Media is what a model accepts in addition to text.
type Media struct{ Images, PDFs bool }

// Accepts reports whether the model accepts content of a media type.
func (m Media) Accepts(mediaType string) bool {
	return m.Images && bellcord.IsImageType(mediaType) || m.PDFs && mediaType == PDF
}
