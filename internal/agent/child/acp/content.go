package acp

import (
	"encoding/base64"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// blocks returns the prompt's content blocks: the images, the text and the
// links. If the agent does not accept images, a note in the text states how
// many were omitted.
func (s *speaker) blocks(p bellcord.Prompt, text string) []acp.ContentBlock {
	var all []acp.ContentBlock
	if s.images {
		for _, i := range p.Images {
			all = append(all, acp.Image(i.Type, base64.StdEncoding.EncodeToString(i.Data)))
		}
	} else if n := len(p.Images); n > 0 {
		text += fmt.Sprintf("\n\n[images omitted, because this agent does not accept images: %d]", n)
	}
	all = append(all, acp.Text(text))
	for _, l := range p.Links {
		if l.Name == "" {
			l.Name = l.URI
		}
		all = append(all, acp.Link(l.Name, l.URI))
	}
	return all
}

// textOf returns a block of the agent as text. Other content is replaced by its
// name in brackets.
func textOf(b *acp.ContentBlock) string {
	switch {
	case b == nil || b.Type == "":
		return ""
	case b.Type == acp.TypeText && b.Text != nil:
		return *b.Text
	case b.Type == acp.TypeText:
		return ""
	case b.Type == acp.TypeLink:
		return fmt.Sprintf("[%s](%s)", b.Name, b.URI)
	case b.Type == acp.TypeResource && b.Resource != nil:
		if text := b.Resource.Text; text != nil && *text != "" {
			return *text
		}
		return "[" + b.Resource.URI + "]"
	}
	return "[" + b.Type + "]"
}
