package upgrade

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/acp/v2"
)

// OpenParams returns the parameters of session/new and session/resume as those
// of version 1, and whether the conversation has to be replayed.
func OpenParams(params json.RawMessage) (v1 json.RawMessage, replay bool, err error) {
	all := acp.MembersOf(params)
	if from := all["replayFrom"]; len(from) > 0 && string(from) != "null" {
		var at v2.ReplayFrom
		if err := json.Unmarshal(from, &at); err != nil || at.Type != v2.ReplayStart {
			return nil, false, fmt.Errorf("replayFrom %s is not supported (use {\"type\":%q})", from, v2.ReplayStart)
		}
		replay = true
	}
	delete(all, "replayFrom")
	servers, err := mcpServers(all["mcpServers"])
	if err != nil {
		return nil, false, err
	}
	all["mcpServers"] = servers
	return acp.Encode(all), replay, nil
}

// mcpServers returns MCP servers as those of version 1, in which a command has no
// type and all lists are required.
func mcpServers(list json.RawMessage) (json.RawMessage, error) {
	servers := []acp.Members{}
	if len(list) > 0 && string(list) != "null" {
		if err := json.Unmarshal(list, &servers); err != nil {
			return nil, fmt.Errorf("mcpServers: %w", err)
		}
	}
	seen := map[string]bool{}
	for _, server := range servers {
		name := string(server["name"])
		if seen[name] {
			return nil, fmt.Errorf("mcpServers: the name %s occurs twice", name)
		}
		seen[name] = true
		switch kind := string(server["type"]); kind {
		case `"stdio"`:
			delete(server, "type")
			setDefault(server, "args")
			setDefault(server, "env")
		case `"http"`:
			setDefault(server, "headers")
		default:
			return nil, fmt.Errorf("mcpServers: the transport %s is not supported (use \"stdio\" or \"http\")", kind)
		}
	}
	return acp.Encode(servers), nil
}

func setDefault(o acp.Members, list string) {
	if value := o[list]; len(value) == 0 || string(value) == "null" {
		o[list] = json.RawMessage("[]")
	}
}

// OptionParams returns the parameters of session/set_config_option as those of
// version 1.
func OptionParams(params json.RawMessage) (json.RawMessage, error) {
	all := acp.MembersOf(params)
	switch string(all["type"]) {
	case `"id"`:
		delete(all, "type")
	case `"boolean"`:
	default:
		return nil, errors.New(`the type of the value is not supported (use "id" or "boolean")`)
	}
	return acp.Encode(all), nil
}

// Opened returns the result of session/new, load, resume or
// session/set_config_option as that of version 2. Modes do not exist there.
func Opened(result any) any {
	all, opened := acp.MembersOf(acp.Encode(result)), acp.Members{}
	for _, name := range []string{"sessionId", "_meta"} {
		if value, has := all[name]; has {
			opened[name] = value
		}
	}
	opened["configOptions"] = acp.Encode(Options(all["configOptions"]))
	return opened
}

// Options returns options as those of version 2, with other names for the ids of
// options and groups.
func Options(list json.RawMessage) []json.RawMessage {
	var options []acp.Members
	_ = json.Unmarshal(list, &options) // none if it is not a list
	all := []json.RawMessage{}
	for _, o := range options {
		rename(o, "id", "configId")
		if string(o["type"]) == `"select"` {
			o["options"] = choices(o)
		}
		all = append(all, acp.Encode(o))
	}
	return all
}

// choices returns the values of an option. Version 2 requires at least one: an
// option without any has its current value.
func choices(o acp.Members) json.RawMessage {
	var all []acp.Members
	_ = json.Unmarshal(o["options"], &all) // none if it is not a list
	for _, g := range all {
		rename(g, "group", "groupId")
	}
	if len(all) == 0 {
		all = []acp.Members{{"value": o["currentValue"], "name": o["currentValue"]}}
	}
	return acp.Encode(all)
}

func rename(o acp.Members, from, to string) {
	if value, has := o[from]; has {
		delete(o, from)
		o[to] = value
	}
}

// Commands returns commands as those of version 2, in which commands and their
// input have types.
func Commands(list json.RawMessage) []json.RawMessage {
	var commands []acp.Members
	_ = json.Unmarshal(list, &commands) // none if it is not a list
	all := []json.RawMessage{}
	for _, c := range commands {
		c["type"] = json.RawMessage(`"command"`)
		if input := acp.MembersOf(c["input"]); len(input) > 0 {
			input["type"] = json.RawMessage(`"text"`)
			c["input"] = acp.Encode(input)
		}
		all = append(all, acp.Encode(c))
	}
	return all
}
