package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

const mostText = 64 << 10 // maximum bytes of a result for the model

// finished returns the result of a call that the server has answered.
func finished(r *sdk.CallToolResult, media llm.Media) tool.Result {
	result := tool.Result{Text: clip(contentText(r), mostText), Failed: r.IsError, Fate: bellcord.CallFinished}
	attach(&result, r, media)
	if r.NeedsInput() || len(r.InputRequests) > 0 {
		result.Failed = true
		result.Text = "error: the tool requires input from the user first, which is not supported"
	}
	return result
}

// mostAttached is the maximum number of images in a result.
const mostAttached = 10

// attach adds the images and documents of a result for a model that accepts
// them, or notes why it does not get them.
func attach(result *tool.Result, r *sdk.CallToolResult, media llm.Media) {
	n := 0
	for _, c := range r.Content {
		file, ok := fileOf(c)
		if !ok {
			continue
		}
		if n++; n == 1 {
			result.Text = strings.TrimSuffix(result.Text, "\n") + "\n"
		}
		if n > mostAttached {
			result.Text += fmt.Sprintf("[images after the first %d are omitted]\n", mostAttached)
			return
		}
		result.Attach(media, fmt.Sprintf("image %d", n), file)
	}
}

// fileOf returns the picture or document in a content.
func fileOf(c sdk.Content) (bellcord.Image, bool) {
	var file bellcord.Image
	switch c := c.(type) {
	case *sdk.ImageContent:
		file = bellcord.Image{Type: c.MIMEType, Data: c.Data}
	case *sdk.EmbeddedResource:
		if c.Resource != nil && len(c.Resource.Blob) > 0 {
			file = bellcord.Image{Type: c.Resource.MIMEType, Data: c.Resource.Blob}
		}
	}
	file.Type = strings.ToLower(strings.TrimSpace(file.Type))
	return file, bellcord.IsImageType(file.Type) || file.Type == llm.PDF
}

// contentText returns the content as text for a model: text unchanged, other
// content as a short description, and the structured content if there is no
// text.
func contentText(r *sdk.CallToolResult) string {
	var parts []string
	plain := false
	for _, c := range r.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			plain = plain || t.Text != ""
			parts = append(parts, t.Text)
			continue
		}
		parts = append(parts, name(c))
	}
	if !plain && r.StructuredContent != nil {
		if data, err := json.Marshal(r.StructuredContent); err == nil {
			parts = append(parts, string(data))
		}
	}
	return strings.Join(parts, "\n")
}

func name(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.ImageContent:
		return fmt.Sprintf("[image %s, %d bytes]", c.MIMEType, len(c.Data))
	case *sdk.AudioContent:
		return fmt.Sprintf("[audio %s, %d bytes]", c.MIMEType, len(c.Data))
	case *sdk.ResourceLink:
		return fmt.Sprintf("[resource %s]", words(c.URI, c.MIMEType))
	case *sdk.EmbeddedResource:
		if c.Resource == nil {
			break
		}
		return fmt.Sprintf("[resource %s, %d bytes]", words(c.Resource.URI, c.Resource.MIMEType), len(c.Resource.Text)+len(c.Resource.Blob))
	}
	return fmt.Sprintf("[%T]", c)
}

func words(s ...string) string { return strings.TrimSpace(strings.Join(s, " ")) }

// clip shortens text that is longer than most bytes to its head and tail, and
// makes it valid UTF-8.
func clip(s string, most int) string {
	if len(s) > most {
		head, tail := s[:most/2], s[len(s)-most/2:]
		s = fmt.Sprintf("%s\n[… %d bytes omitted …]\n%s", head, len(s)-len(head)-len(tail), tail)
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
