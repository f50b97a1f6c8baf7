package blocks

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// Limits for the images in a prompt, as accepted by the models.
const (
	mostImages    = 20
	mostImageSize = 5 << 20 // bytes per image, decoded
)

// content is a prompt under construction. The text contains a placeholder for
// each image and link at its position.
type content struct {
	parts  []string
	images []bellcord.Image
	links  []bellcord.Link
	blocks []bellcord.Block
	hosted bool // for a hosted agent, which may accept more than models do
}

// Read converts the blocks of a prompt. Content that models do not accept is an
// error and never silently dropped. Read does no I/O: the turn follows links.
// params are the parameters of the request, from which the blocks were decoded.
//
// If hosted is set, the prompt has the blocks as the client composed them, for a
// hosted agent, which may accept more than models do.
func Read(blocks []acp.ContentBlock, params json.RawMessage, hosted bool) (bellcord.Prompt, error) {
	c := content{hosted: hosted}
	var raw struct {
		Prompt []json.RawMessage `json:"prompt"`
	}
	_ = json.Unmarshal(params, &raw) // blocks were decoded from the same list
	for i, b := range blocks {
		if err := c.addBlock(b, raw.Prompt[i]); err != nil {
			return bellcord.Prompt{}, fmt.Errorf("prompt: block %d: %w", i+1, err)
		}
	}
	text := strings.Join(c.parts, "\n")
	if strings.TrimSpace(text) == "" {
		return bellcord.Prompt{}, errors.New("the prompt is empty")
	}
	return bellcord.Prompt{Text: text, Images: c.images, Links: c.links, Blocks: c.composed()}, nil
}

// composed returns the blocks of a prompt for a hosted agent, or nil if the text
// represents them completely.
func (c *content) composed() []bellcord.Block {
	if !c.hosted || len(c.blocks) == 1 && c.blocks[0].Type == "text" && c.blocks[0].Meta == nil {
		return nil
	}
	return c.blocks
}

// addBlock adds a block. raw is the block as the client sent it.
func (c *content) addBlock(b acp.ContentBlock, raw json.RawMessage) error {
	switch b.Type {
	case acp.TypeText:
		if b.Text != nil {
			c.parts = append(c.parts, *b.Text)
			c.compose(bellcord.Block{Type: "text", Text: *b.Text, Meta: acp.MembersOf(raw).Without("type", "text").JSON()})
		}
	case acp.TypeImage:
		if err := c.addImage(b.MimeType, b.Data); err != nil {
			return err
		}
		c.compose(bellcord.Block{Type: "image", Number: len(c.images), Meta: acp.MembersOf(raw).Without("type", "mimeType", "data").JSON()})
	case acp.TypeLink:
		if err := c.addLink(bellcord.Link{Name: b.Name, URI: b.URI}); err != nil {
			return err
		}
		c.compose(bellcord.Block{Type: "link", Number: len(c.links), Meta: acp.MembersOf(raw).Without("type", "name", "uri").JSON()})
	case acp.TypeResource:
		return c.addResource(b.Resource, raw)
	default:
		if !c.hosted {
			return fmt.Errorf("unsupported content type %q", b.Type)
		}
		c.parts = append(c.parts, "["+b.Type+"]")
		c.compose(bellcord.Block{Type: "other", Content: raw})
	}
	return nil
}

func (c *content) compose(b bellcord.Block) { c.blocks = append(c.blocks, b) }

func (c *content) addLink(link bellcord.Link) error {
	if link.URI == "" {
		return errors.New("the resource link has no uri")
	}
	c.links = append(c.links, link)
	c.parts = append(c.parts, "["+link.Name+"]("+link.URI+")")
	return nil
}

func (c *content) addResource(r *acp.EmbeddedResourceResource, raw json.RawMessage) error {
	c.compose(bellcord.Block{Type: "resource", Content: raw})
	switch {
	case r == nil:
		return errors.New("the embedded resource is missing")
	case r.Text != nil:
		c.parts = append(c.parts, "<resource uri=\""+r.URI+"\">\n"+*r.Text+"\n</resource>")
		return nil
	case strings.HasPrefix(r.MimeType, "image/"):
		return c.addImage(r.MimeType, r.Blob)
	}
	if c.hosted {
		c.parts = append(c.parts, "["+r.URI+"]")
		return nil
	}
	return fmt.Errorf("unsupported resource %s: it is neither text nor an image", r.URI)
}

func (c *content) addImage(mimeType, encoded string) error {
	n := len(c.images) + 1
	switch {
	case n > mostImages:
		return fmt.Errorf("too many images (at most %d)", mostImages)
	case !bellcord.IsImageType(mimeType):
		return fmt.Errorf("image %d: unsupported type %q (use %s)", n, mimeType, strings.Join(bellcord.ImageTypes(), ", "))
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	switch {
	case err != nil:
		return fmt.Errorf("image %d: invalid base64: %w", n, err)
	case len(data) == 0:
		return fmt.Errorf("image %d is empty", n)
	case len(data) > mostImageSize:
		return fmt.Errorf("image %d is too large: %d bytes (at most %d MB)", n, len(data), mostImageSize>>20)
	}
	c.images = append(c.images, bellcord.Image{Type: mimeType, Data: data})
	c.parts = append(c.parts, fmt.Sprintf("[image %d]", n))
	return nil
}
