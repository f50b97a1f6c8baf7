package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

// params converts a request to the API's form. Equal requests produce equal
// bytes, and appending to a conversation leaves the bytes before unchanged,
// except for the cache marks, which are not part of the cached prefix.
func (l limits) params(req llm.Request) sdk.MessageNewParams {
	p := sdk.MessageNewParams{Model: req.Model, MaxTokens: l.tokens}
	if strings.TrimSpace(req.System) != "" {
		p.System = []sdk.TextBlockParam{{Text: req.System}}
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, tool(t))
	}
	p.Messages = conversation(req.Messages)
	l.think(&p)
	p.OutputConfig.Effort = sdk.OutputConfigEffort(req.Effort)
	markForCache(&p)
	return p
}

// conversation converts messages so that the roles alternate: a prompt that
// follows results, or follows an unanswered prompt, is merged into the same
// message. The results of an answer's calls therefore come first in the message
// after it.
func conversation(messages []bellcord.Message) []sdk.MessageParam {
	var out []sdk.MessageParam
	names := callNames{taken: map[string]bool{}}
	for _, m := range messages {
		role, blocks := sdk.MessageParamRoleUser, []sdk.ContentBlockParamUnion(nil)
		switch m.Role {
		case bellcord.RoleAssistant:
			role, blocks = sdk.MessageParamRoleAssistant, assistantBlocks(m, &names)
		case bellcord.RoleTool:
			blocks = []sdk.ContentBlockParamUnion{result(m, &names)}
		case bellcord.RoleUser:
			blocks = shown(m)
		}
		switch n := len(out); {
		case len(blocks) == 0:
		case n > 0 && out[n-1].Role == role:
			out[n-1].Content = append(out[n-1].Content, blocks...)
		default:
			out = append(out, sdk.MessageParam{Role: role, Content: blocks})
		}
	}
	return out
}

// shown returns the blocks of a user message, with the images before the text.
func shown(m bellcord.Message) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	for _, image := range m.Images {
		out = append(out, imageBlock(image))
	}
	return appendText(out, m.Text)
}

// imageBlock returns a picture or a document as a block.
func imageBlock(image bellcord.Image) sdk.ContentBlockParamUnion {
	data := base64.StdEncoding.EncodeToString(image.Data)
	switch kind := strings.ToLower(strings.TrimSpace(image.Type)); {
	case bellcord.IsImageType(kind):
		return sdk.NewImageBlockBase64(kind, data)
	case kind == llm.PDF:
		return sdk.NewDocumentBlock(sdk.Base64PDFSourceParam{Data: data})
	}
	return sdk.NewTextBlock(fmt.Sprintf("(omitted: an image of the unsupported type %q)", image.Type))
}

// assistantBlocks returns the blocks of an assistant message: the text, with thinking
// blocks at their original positions, then the calls.
func assistantBlocks(m bellcord.Message, names *callNames) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	from := 0
	for _, t := range m.Thinking {
		b, ok := thinkingBlock(t)
		if !ok {
			continue
		}
		at := min(max(t.At, from), len(m.Text))
		out = append(appendText(out, m.Text[from:at]), b)
		from = at
	}
	out = appendText(out, m.Text[from:])
	names.beginAnswer()
	for _, c := range m.Calls {
		input := c.Arguments
		if len(input) == 0 {
			input = json.RawMessage(noArgs)
		}
		out = append(out, sdk.NewToolUseBlock(names.give(c.ID), input, toolName(c.Name)))
	}
	for len(out) > 0 && isThought(out[len(out)-1]) { // an answer must not end with thinking
		out = out[:len(out)-1]
	}
	return out
}

// appendText omits text that is only white space, which the API rejects.
func appendText(blocks []sdk.ContentBlockParamUnion, text string) []sdk.ContentBlockParamUnion {
	if strings.TrimSpace(text) == "" {
		return blocks
	}
	return append(blocks, sdk.NewTextBlock(text))
}

func result(m bellcord.Message, names *callNames) sdk.ContentBlockParamUnion {
	out := sdk.ToolResultBlockParam{ToolUseID: names.of(m.Call)}
	if m.Failed {
		out.IsError = sdk.Bool(true)
	}
	text := m.Text
	if strings.TrimSpace(text) == "" {
		text = "(no output)"
	}
	out.Content = []sdk.ToolResultBlockParamContentUnion{{OfText: &sdk.TextBlockParam{Text: text}}}
	for _, image := range m.Images {
		b := imageBlock(image)
		out.Content = append(out.Content, sdk.ToolResultBlockParamContentUnion{OfText: b.OfText, OfImage: b.OfImage, OfDocument: b.OfDocument})
	}
	return sdk.ContentBlockParamUnion{OfToolResult: &out}
}

// tool passes the schema on unchanged. The SDK would parse it into a map and
// lose the order of its fields.
func tool(t llm.Tool) sdk.ToolUnionParam {
	out := sdk.ToolParam{Name: t.Name}
	if strings.TrimSpace(t.Description) != "" {
		out.Description = sdk.String(t.Description)
	}
	schema := t.Schema
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	out.InputSchema = param.Override[sdk.ToolInputSchemaParam](schema)
	return sdk.ToolUnionParam{OfTool: &out}
}

// markForCache marks up to four prefixes for reuse by later requests: the
// tools, the system prompt, this conversation, and the conversation as the
// previous request sent it. The last mark is for the case that more blocks were
// added since then than the API searches.
func markForCache(p *sdk.MessageNewParams) {
	cacheControl := sdk.NewCacheControlEphemeralParam()
	if n := len(p.Tools); n > 0 {
		p.Tools[n-1].OfTool.CacheControl = cacheControl
	}
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = cacheControl
	}
	marks := 2
	for _, m := range slices.Backward(p.Messages) {
		if m.Role == sdk.MessageParamRoleUser && marks > 0 {
			*m.Content[len(m.Content)-1].GetCacheControl() = cacheControl
			marks--
		}
	}
}
