package openai

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

// params converts a request to the API's form. Equal requests produce equal
// bytes, so that the server's prompt cache can match them.
func params(req llm.Request) sdk.ChatCompletionNewParams {
	p := sdk.ChatCompletionNewParams{
		Model:         req.Model,
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)},
	}
	if req.System != "" {
		p.Messages = append(p.Messages, sdk.SystemMessage(req.System))
	}
	var images []bellcord.Image // of the results since the last answer
	for i, m := range req.Messages {
		p.Messages = append(p.Messages, message(m))
		if m.Role != bellcord.RoleTool {
			continue
		}
		images = append(images, m.Images...)
		if last := i+1 == len(req.Messages) || req.Messages[i+1].Role != bellcord.RoleTool; last && len(images) > 0 {
			p.Messages = append(p.Messages, user(bellcord.Message{Text: resultImages, Images: images}))
			images = nil
		}
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, tool(t))
	}
	return p
}

// resultImages is the text of the message with the images of results, which
// follows the results: in this API, a result contains only text.
const resultImages = "[Bellcord: the images of the results above]"

func message(m bellcord.Message) sdk.ChatCompletionMessageParamUnion {
	switch m.Role {
	case bellcord.RoleAssistant:
		return assistant(m)
	case bellcord.RoleTool:
		return sdk.ToolMessage(m.Text, m.Call)
	case bellcord.RoleUser:
	}
	return user(m)
}

// user returns a user message with the images before the text. Without images
// the content is a plain string, which servers without support for images also
// accept.
func user(m bellcord.Message) sdk.ChatCompletionMessageParamUnion {
	if len(m.Images) == 0 {
		return sdk.UserMessage(m.Text)
	}
	var parts []sdk.ChatCompletionContentPartUnionParam
	for _, image := range m.Images {
		parts = append(parts, sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{
			URL: "data:" + image.Type + ";base64," + base64.StdEncoding.EncodeToString(image.Data),
		}))
	}
	if strings.TrimSpace(m.Text) != "" { // an empty part is rejected
		parts = append(parts, sdk.TextContentPart(m.Text))
	}
	return sdk.UserMessage(parts)
}

// assistant omits empty content if there are calls, because some servers reject
// it.
func assistant(m bellcord.Message) sdk.ChatCompletionMessageParamUnion {
	var out sdk.ChatCompletionAssistantMessageParam
	if m.Text != "" || len(m.Calls) == 0 {
		out.Content.OfString = sdk.String(m.Text)
	}
	for _, c := range m.Calls {
		call := &sdk.ChatCompletionMessageFunctionToolCallParam{ID: c.ID}
		call.Function.Name = c.Name
		call.Function.Arguments = string(c.Arguments)
		if len(c.Arguments) == 0 {
			call.Function.Arguments = noArgs
		}
		out.ToolCalls = append(out.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: call})
	}
	return sdk.ChatCompletionMessageParamUnion{OfAssistant: &out}
}

// function replaces the SDK's type, which would parse the schema into a map and
// lose the order of its fields.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

func tool(t llm.Tool) sdk.ChatCompletionToolUnionParam {
	f := function{t.Name, t.Description, t.Schema}
	if len(f.Parameters) == 0 {
		f.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return sdk.ChatCompletionFunctionTool(param.Override[shared.FunctionDefinitionParam](f))
}
