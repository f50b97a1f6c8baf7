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

// proper is a name for the tool that every model would take: the agent's own
// one, or else what sort of tool it is, or else what the call is called.
func (c *call) proper() string {
	name := c.name
	if name == "" && c.kind != acp.ToolOther {
		name = string(c.kind)
	}
	if name == "" {
		name = strings.TrimSpace(c.title)
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

// toolName is the tool's own name, where the agent tells: in its place, or
// in _meta, as goose and claude do.
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

// args are the call's arguments: an object in every case.
func (c *call) args() json.RawMessage {
	if c.input != nil {
		return c.input
	}
	args, err := json.Marshal(map[string]string{"title": c.title})
	if err != nil { // text always can be
		return json.RawMessage(`{}`)
	}
	return args
}

// field is a text among the arguments, by the first of these names that it has.
func (c *call) field(names ...string) string {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(c.input, &all) // an object, or nothing
	for _, name := range names {
		var value string
		if json.Unmarshal(all[name], &value) == nil && value != "" {
			return value
		}
	}
	return ""
}
