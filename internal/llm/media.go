package llm

import "slices"

// PDF is the media type of PDF documents.
const PDF = "application/pdf"

// imageTypes are the media types of pictures that every model with images
// accepts.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Media is what a model accepts in addition to text.
type Media struct{ Images, PDFs bool }

// Accepts reports whether the model accepts content of a media type.
func (m Media) Accepts(mediaType string) bool {
	return m.Images && IsImage(mediaType) || m.PDFs && mediaType == PDF
}

// IsImage reports whether a media type is one of a picture that models with
// images accept.
func IsImage(mediaType string) bool { return slices.Contains(imageTypes, mediaType) }
