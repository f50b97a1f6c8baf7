package acp

import (
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/acp/blocks"
	"github.com/bellcord/bellcord/internal/agent/child"
)

// blocks returns the prompt's content blocks, as the client composed them, and
// the note as a text block before them. Attached files are embedded resources. If
// the agent does not accept images or resources, their text is sent.
func (s *speaker) blocks(p child.Prompt) []any {
	var all []any
	if p.Note != "" {
		all = append(all, acp.Text(p.Note))
	}
	if len(p.Blocks) > 0 && s.accepts(p.Blocks) {
		for _, b := range p.Blocks {
			all = append(all, blocks.Compose(b, p.Prompt))
		}
		return all
	}
	text, embeds := p.FullText(), s.hello.Load().can.PromptCapabilities.EmbeddedContext
	if embeds {
		text = p.Text
	}
	if s.hello.Load().can.PromptCapabilities.Image {
		for _, i := range p.Images {
			all = append(all, blocks.Image(i))
		}
	} else if n := len(p.Images); n > 0 {
		text += fmt.Sprintf("\n\n[images omitted, because this agent does not accept images: %d]", n)
	}
	all = append(all, acp.Text(text))
	for _, f := range p.Files {
		if embeds {
			all = append(all, blocks.File(f))
		}
	}
	for _, l := range p.Links {
		all = append(all, blocks.Link(l))
	}
	return all
}

// accepts reports whether the agent accepts all blocks.
func (s *speaker) accepts(blocks []bellcord.Block) bool {
	can := s.hello.Load().can.PromptCapabilities
	for _, b := range blocks {
		if b.Type == "image" && !can.Image || b.Type == "resource" && !can.EmbeddedContext {
			return false
		}
	}
	return true
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
