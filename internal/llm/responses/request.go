package responses

import (
	"encoding/base64"
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	sdk "github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

// params converts a request to the API's form. Equal requests produce equal
// bytes, so that the server's prompt cache can match them.
func params(req llm.Request, effort string) sdk.ResponseNewParams {
	p := sdk.ResponseNewParams{
		Model:   req.Model,
		Store:   openai.Bool(false),
		Include: []sdk.ResponseIncludable{sdk.ResponseIncludableReasoningEncryptedContent},
	}
	if req.System != "" {
		p.Instructions = openai.String(req.System)
	}
	if effort != "" {
		p.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffort(effort), Summary: shared.ReasoningSummaryAuto}
	}
	for _, m := range req.Messages {
		p.Input.OfInputItemList = append(p.Input.OfInputItemList, items(m)...)
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, tool(t))
	}
	return p
}

// items converts a message to input items. Each call and each reasoning block
// is a separate item.
func items(m bellcord.Message) []sdk.ResponseInputItemUnionParam {
	switch m.Role {
	case bellcord.RoleAssistant:
		return assistant(m)
	case bellcord.RoleTool:
		return []sdk.ResponseInputItemUnionParam{output(m)}
	case bellcord.RoleUser:
	}
	return []sdk.ResponseInputItemUnionParam{user(m)}
}

// user returns a user message with the images before the text.
func user(m bellcord.Message) sdk.ResponseInputItemUnionParam {
	var parts sdk.ResponseInputMessageContentListParam
	for _, image := range m.Images {
		if image.Type == llm.PDF {
			parts = append(parts, sdk.ResponseInputContentUnionParam{OfInputFile: &sdk.ResponseInputFileParam{
				Filename: openai.String(pdfName), FileData: openai.String(dataURL(image)),
			}})
			continue
		}
		parts = append(parts, sdk.ResponseInputContentUnionParam{OfInputImage: &sdk.ResponseInputImageParam{
			Detail: sdk.ResponseInputImageDetailAuto, ImageURL: openai.String(dataURL(image)),
		}})
	}
	if !blank(m.Text) || len(parts) == 0 {
		parts = append(parts, sdk.ResponseInputContentParamOfInputText(m.Text))
	}
	return sdk.ResponseInputItemUnionParam{OfInputMessage: &sdk.ResponseInputItemMessageParam{
		Type: "message", Role: "user", Content: parts,
	}}
}

func output(m bellcord.Message) sdk.ResponseInputItemUnionParam {
	out := &sdk.ResponseInputItemFunctionCallOutputParam{CallID: openai.String(callID(m.Call))}
	if len(m.Images) == 0 {
		out.Output.OfString = openai.String(m.Text)
		return sdk.ResponseInputItemUnionParam{OfFunctionCallOutput: out}
	}
	parts := sdk.ResponseFunctionCallOutputItemListParam{{OfInputText: &sdk.ResponseInputTextContentParam{Text: m.Text}}}
	for _, image := range m.Images {
		if image.Type == llm.PDF {
			parts = append(parts, sdk.ResponseFunctionCallOutputItemUnionParam{OfInputFile: &sdk.ResponseInputFileContentParam{
				Filename: openai.String(pdfName), FileData: openai.String(dataURL(image)),
			}})
			continue
		}
		parts = append(parts, sdk.ResponseFunctionCallOutputItemUnionParam{OfInputImage: &sdk.ResponseInputImageContentParam{
			Detail: sdk.ResponseInputImageContentDetailAuto, ImageURL: openai.String(dataURL(image)),
		}})
	}
	out.Output.OfResponseFunctionCallOutputItemArray = parts
	return sdk.ResponseInputItemUnionParam{OfFunctionCallOutput: out}
}

// pdfName is the file name of every PDF. The API requires a name.
const pdfName = "document.pdf"

func dataURL(image bellcord.Image) string {
	return "data:" + image.Type + ";base64," + base64.StdEncoding.EncodeToString(image.Data)
}

// function replaces the SDK's type, which would parse the schema into a map and
// lose the order of its fields.
type function struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"` // always false: strict mode forbids optional arguments
}

func tool(t llm.Tool) sdk.ToolUnionParam {
	f := function{Type: "function", Name: t.Name, Description: t.Description, Parameters: t.Schema}
	if len(f.Parameters) == 0 {
		f.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	p := param.Override[sdk.FunctionToolParam](f)
	return sdk.ToolUnionParam{OfFunction: &p}
}
