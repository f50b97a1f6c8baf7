package gemini

import (
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

const (
	roleUser  = "user"
	roleModel = "model"

	noArgs = "{}"

	// unsigned is the documented placeholder for the signature of a call that
	// another model made. It is sent literally: some of Google's servers reject
	// its base64 encoding, although signatures are base64.
	unsigned = "skip_thought_signature_validator"
)

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type part struct {
	Text      *string           `json:"text,omitempty"`
	Thought   bool              `json:"thought,omitempty"`
	Image     *blob             `json:"inlineData,omitempty"`
	Call      *functionCall     `json:"functionCall,omitempty"`
	Response  *functionResponse `json:"functionResponse,omitempty"`
	Signature string            `json:"thoughtSignature,omitempty"`
}

type blob struct {
	Type string `json:"mimeType"`
	Data []byte `json:"data"`
}

// functionCall and functionResponse always contain an id, even if the model
// sent none. The API accepts it, and it distinguishes parallel calls of one
// tool.
type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type functionResponse struct {
	ID       string `json:"id,omitempty"`
	Name     string `json:"name"`
	Response result `json:"response"`
}

type result struct {
	Output string `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
}

type tool struct {
	Functions []function `json:"functionDeclarations"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"parametersJsonSchema"`
}

type generation struct {
	Thinking struct {
		Include bool   `json:"includeThoughts"`
		Budget  *int32 `json:"thinkingBudget,omitempty"`
	} `json:"thinkingConfig"`
}

// body is a request. The fixed order of its fields makes equal requests produce
// equal bytes, so that the server's prompt cache can match them.
type body struct {
	Contents   []content  `json:"contents"`
	Generation generation `json:"generationConfig"`
	System     *content   `json:"systemInstruction,omitempty"`
	Tools      []tool     `json:"tools,omitempty"`
}

// request converts a request to the API's form.
func request(req llm.Request, budget *int32) body {
	out := body{Contents: contents(req)}
	out.Generation.Thinking.Include = budget == nil || *budget != 0
	out.Generation.Thinking.Budget = budget
	if req.System != "" {
		out.System = &content{Parts: []part{textPart(req.System)}}
	}
	if len(req.Tools) > 0 {
		out.Tools = []tool{{functions(req.Tools)}}
	}
	return out
}

// functions converts tools. The API requires a description, so a tool without
// one gets its name as description.
func functions(tools []llm.Tool) []function {
	var out []function
	for _, t := range tools {
		f := function{t.Name, t.Description, t.Schema}
		if strings.TrimSpace(f.Description) == "" {
			f.Description = t.Name
		}
		if len(f.Schema) == 0 {
			f.Schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		out = append(out, f)
	}
	return out
}

// contents merges consecutive messages of one role, because the API requires
// roles to alternate.
func contents(req llm.Request) []content {
	var out []content
	var images []bellcord.Image // of the results since the last answer; they follow all results
	for i, m := range req.Messages {
		role, parts := roleUser, []part(nil)
		switch m.Role {
		case bellcord.RoleAssistant:
			role, parts = roleModel, assistant(m, req.Model)
		case bellcord.RoleTool:
			parts = []part{{Response: &functionResponse{m.Call, m.Name, resultOf(m)}}}
			images = append(images, m.Images...)
			if i+1 == len(req.Messages) || req.Messages[i+1].Role != bellcord.RoleTool {
				parts = append(parts, imageParts(images)...)
				images = nil
			}
		case bellcord.RoleUser:
			parts = user(m)
		}
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Parts = append(out[n-1].Parts, parts...)
		} else {
			out = append(out, content{role, parts})
		}
	}
	return out
}

func user(m bellcord.Message) []part {
	out := imageParts(m.Images)
	if strings.TrimSpace(m.Text) != "" || len(out) == 0 {
		out = append(out, textPart(m.Text))
	}
	return out
}

func imageParts(images []bellcord.Image) (out []part) {
	for _, image := range images {
		out = append(out, part{Image: &blob{image.Type, image.Data}})
	}
	return out
}

func resultOf(m bellcord.Message) result {
	if m.Failed {
		return result{Error: m.Text}
	}
	return result{Output: m.Text}
}

func textPart(words string) part { return part{Text: &words} }
