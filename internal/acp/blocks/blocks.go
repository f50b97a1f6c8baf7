// Package blocks converts prompts between Bellcord's form and the content blocks
// of the Agent Client Protocol.
package blocks

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/url"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// Compose returns a block in the form of the protocol.
func Compose(b bellcord.Block, p bellcord.Prompt) any {
	var block any
	switch {
	case b.Type == "text":
		block = acp.Text(b.Text)
	case b.Type == "image" && b.Number > 0 && b.Number <= len(p.Images):
		block = Image(p.Images[b.Number-1])
	case b.Type == "link" && b.Number > 0 && b.Number <= len(p.Links):
		block = Link(p.Links[b.Number-1])
	default:
		return b.Content
	}
	if len(b.Meta) == 0 {
		return block
	}
	data, err := json.Marshal(block)
	if err != nil {
		return block
	}
	members := acp.MembersOf(b.Meta)
	maps.Copy(members, acp.MembersOf(data))
	return members
}

// Image returns an image as a block.
func Image(i bellcord.Image) acp.ContentBlock {
	return acp.Image(i.Type, base64.StdEncoding.EncodeToString(i.Data))
}

// Link returns a link as a block. A link without a name is named by its URI.
func Link(l bellcord.Link) acp.ContentBlock {
	if l.Name == "" {
		l.Name = l.URI
	}
	return acp.Link(l.Name, l.URI)
}

// File returns an attached file as an embedded resource. The file has a name and
// no place, so its URI has a scheme that nothing can be read from.
func File(f bellcord.File) acp.ContentBlock {
	return acp.Resource((&url.URL{Scheme: "attachment", Path: "/" + f.Name}).String(), f.Text)
}
