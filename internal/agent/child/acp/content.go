package acp

import (
	"encoding/base64"
	"fmt"

	"github.com/bellcord/bellcord"
)

// blocks is a prompt as the agent gets it: pictures, the text, and what the
// person pointed at. An agent that takes no pictures is told that there were
// some, so that it can say so.
func (s *speaker) blocks(p bellcord.Prompt, text string) []obj {
	var all []obj
	if s.images {
		for _, i := range p.Images {
			all = append(all, obj{"type": "image", "mimeType": i.Type, "data": base64.StdEncoding.EncodeToString(i.Data)})
		}
	} else if n := len(p.Images); n > 0 {
		text += fmt.Sprintf("\n\n[images shown with this, which this agent does not take: %d]", n)
	}
	all = append(all, obj{"type": "text", "text": text})
	for _, l := range p.Links {
		if l.Name == "" {
			l.Name = l.URI
		}
		all = append(all, obj{"type": "resource_link", "name": l.Name, "uri": l.URI})
	}
	return all
}

// block is a piece of content that an agent sends.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
	URI  string `json:"uri"`
	Name string `json:"name"`

	Resource struct {
		Text string `json:"text"`
		URI  string `json:"uri"`
	} `json:"resource"`
}

// said is the content as text; what is none is named.
func (b block) said() string {
	switch b.Type {
	case "text":
		return b.Text
	case "resource_link":
		return fmt.Sprintf("[%s](%s)", b.Name, b.URI)
	case "resource":
		if b.Resource.Text != "" {
			return b.Resource.Text
		}
		return "[" + b.Resource.URI + "]"
	case "":
		return ""
	}
	return "[" + b.Type + "]"
}
