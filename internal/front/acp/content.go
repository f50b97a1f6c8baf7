package acp

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// Limits for the images in a prompt, as accepted by the models.
const (
	mostImages    = 20
	mostImageSize = 5 << 20 // bytes per image, decoded
)

var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// content is a prompt under construction. The text contains a placeholder for
// each image and link at its position.
type content struct {
	parts  []string
	images []bellcord.Image
	links  []bellcord.Link
}

// readContent converts the blocks of a prompt. Content that models do not
// accept is an error and never silently dropped. readContent does no I/O: the
// turn follows links.
func readContent(blocks []acp.ContentBlock) (bellcord.Prompt, error) {
	var c content
	for i, b := range blocks {
		if err := c.addBlock(b); err != nil {
			return bellcord.Prompt{}, invalid(fmt.Sprintf("prompt: block %d: %v", i+1, err))
		}
	}
	text := strings.Join(c.parts, "\n")
	if strings.TrimSpace(text) == "" {
		return bellcord.Prompt{}, invalid("the prompt is empty")
	}
	return bellcord.Prompt{Text: text, Images: c.images, Links: c.links}, nil
}

func (c *content) addBlock(b acp.ContentBlock) error {
	switch b.Type {
	case acp.TypeText:
		if b.Text != nil {
			c.parts = append(c.parts, *b.Text)
		}
	case acp.TypeImage:
		return c.addImage(b.MimeType, b.Data)
	case acp.TypeLink:
		return c.addLink(bellcord.Link{Name: b.Name, URI: b.URI})
	case acp.TypeResource:
		return c.addResource(b.Resource)
	default:
		return fmt.Errorf("unsupported content type %q", b.Type)
	}
	return nil
}

func (c *content) addLink(link bellcord.Link) error {
	if link.URI == "" {
		return errors.New("the resource link has no uri")
	}
	c.links = append(c.links, link)
	c.parts = append(c.parts, "["+link.Name+"]("+link.URI+")")
	return nil
}

func (c *content) addResource(r *acp.EmbeddedResourceResource) error {
	switch {
	case r == nil:
		return errors.New("the embedded resource is missing")
	case r.Text != nil:
		c.parts = append(c.parts, "<resource uri=\""+r.URI+"\">\n"+*r.Text+"\n</resource>")
		return nil
	case strings.HasPrefix(r.MimeType, "image/"):
		return c.addImage(r.MimeType, r.Blob)
	}
	return fmt.Errorf("unsupported resource %s: it is neither text nor an image", r.URI)
}

func (c *content) addImage(mimeType, encoded string) error {
	n := len(c.images) + 1
	switch {
	case n > mostImages:
		return fmt.Errorf("too many images (at most %d)", mostImages)
	case !slices.Contains(imageTypes, mimeType):
		return fmt.Errorf("image %d: unsupported type %q (use %s)", n, mimeType, strings.Join(imageTypes, ", "))
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
