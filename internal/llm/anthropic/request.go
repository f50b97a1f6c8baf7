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

// params is the request in the API's words. Equal requests give equal bytes, and
// a longer conversation the same bytes before what was added, but for the marks
// of where to cache: those are no part of what is cached.
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
	markForCache(&p)
	return p
}

// conversation makes the messages alternate: what a user says behind results, or
// behind a prompt that got no answer, is one message with it. So the results of
// an answer's calls are the first thing in the message that follows it.
func conversation(messages []bellcord.Message) []sdk.MessageParam {
	var out []sdk.MessageParam
	names := callNames{taken: map[string]bool{}}
	for _, m := range messages {
		role, blocks := sdk.MessageParamRoleUser, []sdk.ContentBlockParamUnion(nil)
		switch m.Role {
		case bellcord.RoleAssistant:
			role, blocks = sdk.MessageParamRoleAssistant, said(m, &names)
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

// shown is what a user said, with the images before the words about them.
func shown(m bellcord.Message) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	for _, image := range m.Images {
		kind := strings.ToLower(strings.TrimSpace(image.Type))
		switch sdk.Base64ImageSourceMediaType(kind) {
		case sdk.Base64ImageSourceMediaTypeImageJPEG, sdk.Base64ImageSourceMediaTypeImagePNG,
			sdk.Base64ImageSourceMediaTypeImageGIF, sdk.Base64ImageSourceMediaTypeImageWebP:
			out = append(out, sdk.NewImageBlockBase64(kind, base64.StdEncoding.EncodeToString(image.Data)))
		default:
			out = append(out, sdk.NewTextBlock(fmt.Sprintf("(omitted: an image of the unsupported type %q)", image.Type)))
		}
	}
	return appendText(out, m.Text)
}

// said is an assistant's message: thoughts where they stood in the text, then
// the calls.
func said(m bellcord.Message, names *callNames) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	from := 0
	for _, t := range m.Thinking {
		b, ok := thought(t)
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
	for len(out) > 0 && isThought(out[len(out)-1]) { // nothing may end with one
		out = out[:len(out)-1]
	}
	return out
}

// appendText leaves out a text without a character to be seen, which the API
// refuses.
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
	return sdk.ContentBlockParamUnion{OfToolResult: &out}
}

// tool gives the schema as its author wrote it: the SDK would read it into a map
// and lose the order.
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

// markForCache marks the four ends that a later request can begin with: of the
// tools, of the system prompt, of this conversation, and of the one that the
// request before this one sent, in case there were too many blocks since then
// for the API to look back over.
func markForCache(p *sdk.MessageNewParams) {
	here := sdk.NewCacheControlEphemeralParam()
	if n := len(p.Tools); n > 0 {
		p.Tools[n-1].OfTool.CacheControl = here
	}
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = here
	}
	marks := 2
	for _, m := range slices.Backward(p.Messages) {
		if m.Role == sdk.MessageParamRoleUser && marks > 0 {
			*m.Content[len(m.Content)-1].GetCacheControl() = here
			marks--
		}
	}
}
