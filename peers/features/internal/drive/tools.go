package drive

import "encoding/json"

// toolNames returns the names of the tools that a request offers to the model, in any format.
func toolNames(raw []byte) []string {
	var body struct {
		Tools any `json:"tools"`
	}
	if json.Unmarshal(raw, &body) != nil {
		return nil
	}
	return unique(namesIn(body.Tools))
}

// namesIn collects the names of tools but not those of their parameters.
func namesIn(v any) []string {
	var names []string
	switch in := v.(type) {
	case []any:
		for _, each := range in {
			names = append(names, namesIn(each)...)
		}
	case object:
		if name := textAt(in, "name"); name != "" {
			names = append(names, name)
		}
		for _, member := range []string{"function", "functionDeclarations", "tools"} {
			names = append(names, namesIn(in[member])...)
		}
	}
	return names
}

// toolsMention reports whether the description of a tool names an MCP server.
func toolsMention(raw []byte, server string) bool {
	var body object
	return json.Unmarshal(raw, &body) == nil && hasText(body["tools"], server)
}
