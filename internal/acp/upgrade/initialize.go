// Package upgrade converts messages of the Agent Client Protocol between version
// 1, with which Bellcord works, and version 2. The conversions have no state.
package upgrade

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/acp/v2"
)

// Offers reports whether the parameters of initialize offer version 2. A client
// of version 2 sends info, which version 1 does not have.
func Offers(params json.RawMessage) bool {
	var p v2.InitializeRequest
	return acp.Decode(params, &p) == nil && p.ProtocolVersion >= v2.Version && p.Info.Name != ""
}

// InitializeParams returns the parameters of initialize as those of version 1.
// In version 2 every client shows terminals of the agent, notices and
// compactions, and none offers its files or terminals.
func InitializeParams(params json.RawMessage) json.RawMessage {
	var p v2.InitializeRequest
	_ = acp.Decode(params, &p) // Offers has decoded them
	meta := acp.MembersOf(p.Capabilities.Meta)
	meta["terminal_output"] = json.RawMessage("true")
	can := acp.Members{
		"session": json.RawMessage(`{"notices":{},"compaction":{},"configOptions":{"boolean":{}}}`),
		"_meta":   acp.Encode(meta),
	}
	if p.Capabilities.Auth.Terminal {
		can["auth"] = json.RawMessage(`{"terminal":true}`)
	}
	if p.Capabilities.Elicitation != (acp.ElicitationCapabilities{}) {
		can["elicitation"] = acp.Encode(p.Capabilities.Elicitation)
	}
	all := acp.Members{"protocolVersion": json.RawMessage("1"), "clientCapabilities": acp.Encode(can), "clientInfo": acp.Encode(p.Info)}
	if len(p.Meta) > 0 {
		all["_meta"] = p.Meta
	}
	return acp.Encode(all)
}

// InitializeResult returns the result of initialize, which may be a hosted
// agent's, as that of version 2.
func InitializeResult(result any) v2.InitializeResponse {
	var r struct {
		Info         acp.Implementation `json:"agentInfo"`
		Capabilities struct {
			Prompt  acp.PromptCapabilities `json:"promptCapabilities"`
			MCP     acp.McpCapabilities    `json:"mcpCapabilities"`
			Session struct {
				Delete                acp.Supported `json:"delete"`
				AdditionalDirectories acp.Supported `json:"additionalDirectories"`
			} `json:"sessionCapabilities"`
		} `json:"agentCapabilities"`
		AuthMethods []json.RawMessage `json:"authMethods"`
		Meta        json.RawMessage   `json:"_meta"`
	}
	_ = acp.Decode(acp.Encode(result), &r) // members of the wrong type are absent
	can := r.Capabilities
	response := v2.InitializeResponse{ProtocolVersion: v2.Version, Info: r.Info, Meta: r.Meta}
	response.Capabilities.Session = v2.SessionCapabilities{
		Prompt: v2.PromptCapabilities{
			Image: acp.Supported(can.Prompt.Image), Audio: acp.Supported(can.Prompt.Audio), EmbeddedContext: acp.Supported(can.Prompt.EmbeddedContext),
		},
		MCP:    v2.McpCapabilities{Stdio: true, HTTP: acp.Supported(can.MCP.HTTP)},
		Delete: can.Session.Delete, AdditionalDirectories: can.Session.AdditionalDirectories,
	}
	for _, method := range r.AuthMethods {
		response.AuthMethods = append(response.AuthMethods, authMethod(method))
	}
	return response
}

func authMethod(data json.RawMessage) v2.AuthMethod {
	var m struct {
		ID          string            `json:"id"`
		Name        string            `json:"name"`
		Description string            `json:"description"`
		Type        string            `json:"type"`
		Args        []string          `json:"args"`
		Env         map[string]string `json:"env"`
		Meta        json.RawMessage   `json:"_meta"`
	}
	_ = acp.Decode(data, &m) // members of the wrong type are absent
	method := v2.AuthMethod{Type: cmp.Or(m.Type, "agent"), MethodID: m.ID, Name: m.Name, Description: m.Description, Meta: m.Meta}
	if method.Type == "terminal" {
		method.Args = m.Args
		for name, value := range m.Env {
			method.Env = append(method.Env, acp.EnvVariable{Name: name, Value: value})
		}
		slices.SortFunc(method.Env, func(a, b acp.EnvVariable) int { return cmp.Compare(a.Name, b.Name) })
	}
	return method
}
