package react

import (
	"fmt"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

// Limits for the images of a conversation. Every request contains all of them,
// and the APIs accept requests of 20 MB after the encoding as base64.
const (
	mostImages     = 50
	mostImageBytes = 14 << 20
)

// imageBudget limits the images that results add to the conversation. An image
// stays in it until a compaction: removing an earlier one would change the
// beginning of the conversation (law 22).
type imageBudget struct {
	mu           sync.Mutex
	number, size int
}

// count sets the budget to the images of a conversation.
func (b *imageBudget) count(messages []bellcord.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.number, b.size = 0, 0
	for _, m := range messages {
		for _, image := range m.Images {
			b.number++
			b.size += len(image.Data)
		}
	}
}

// take adds the images of a result to the conversation. Images beyond the limits
// are removed, with a note in the result.
func (b *imageBudget) take(result *tool.Result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := result.Images[:0:0]
	for _, image := range result.Images {
		if b.number == mostImages || b.size+len(image.Data) > mostImageBytes {
			continue
		}
		b.number++
		b.size += len(image.Data)
		kept = append(kept, image)
	}
	if omitted := len(result.Images) - len(kept); omitted > 0 {
		result.Text += fmt.Sprintf("[%d of these omitted: the conversation has %d images of %d bytes, and a request can have %d of %d bytes]\n",
			omitted, b.number, b.size, mostImages, mostImageBytes)
		result.Images = kept
	}
}

// visible returns the messages without the images that the model does not
// accept: it may be another model than the one that got them. The text of a
// result names its images.
func (j *job) visible(messages []bellcord.Message) []bellcord.Message {
	for i, m := range messages {
		kept := m.Images[:0:0]
		for _, image := range m.Images {
			if m.Role == bellcord.RoleTool && j.model.Media.Accepts(image.Type) || m.Role != bellcord.RoleTool && !j.model.TextOnly {
				kept = append(kept, image)
			}
		}
		if len(kept) == len(m.Images) {
			continue
		}
		messages[i].Images = kept
		messages[i].Text = withNote(m.Text)
	}
	return messages
}

// withNote adds a note to the text of a message whose images are not sent.
func withNote(text string) string {
	const note = "[images are omitted: this model does not accept them]"
	if text == "" {
		return note
	}
	return text + "\n" + note
}
