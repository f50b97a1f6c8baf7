package acp

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bellcord/bellcord/internal/acp"
)

// proper returns a tool name that every model accepts: the agent's name for the
// tool, otherwise the kind of the tool, otherwise the title of the call.
func (c *call) proper() string {
	name := c.name
	if name == "" && c.kind() != acp.ToolOther {
		name = string(c.kind())
	}
	if name == "" {
		name = strings.TrimSpace(c.now.Title)
	}
	name = improper().ReplaceAllString(name, "_")
	if name = strings.TrimRight(name[:min(len(name), 64)], "_"); name == "" {
		return "tool"
	}
	if first := name[0]; first >= '0' && first <= '9' || first == '-' {
		name = "_" + name[:min(len(name), 63)]
	}
	return name
}

var improper = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-zA-Z0-9_-]+`) })

// toolName returns the agent's name for the tool, if it sends one: in its
// field, or in _meta, as goose and claude do.
func toolName(u acp.ToolCallUpdate) string {
	if u.Name != "" {
		return u.Name
	}
	for _, maker := range slices.Sorted(maps.Keys(u.Meta)) {
		fields, _ := u.Meta[maker].(map[string]any)
		call, _ := fields["toolCall"].(map[string]any)
		for _, of := range []map[string]any{fields, call} {
			if name, _ := of["toolName"].(string); name != "" {
				return name
			}
		}
	}
	return ""
}

// args returns the call's arguments, always as an object.
func (c *call) args() json.RawMessage {
	if c.now.Arguments != nil {
		return c.now.Arguments
	}
	return json.RawMessage(`{}`)
}

// field returns the first of the named arguments that is a non-empty string, or
// "".
func (c *call) field(names ...string) string {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(c.args(), &all) // an object
	for _, name := range names {
		var value string
		if json.Unmarshal(all[name], &value) == nil && value != "" {
			return value
		}
	}
	return ""
}
