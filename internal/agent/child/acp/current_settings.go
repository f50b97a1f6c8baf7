package acp

import (
	"encoding/json"
	"slices"

	"github.com/bellcord/bellcord/internal/acp"
)

// Updates that change a setting in the reply that opened the session.
const (
	modeUpdate    = "current_mode_update"
	optionsUpdate = "config_option_update"
)

// requested keeps a setting that a client has changed, so that a client that
// opens the session again gets the current one.
func (c *settings) requested(method string, params, reply json.RawMessage) {
	change, kind := acp.MembersOf(reply), ""
	switch method {
	case acp.MethodSetConfigOption:
		kind = optionsUpdate
	case acp.MethodSetMode:
		kind = modeUpdate
		change["currentModeId"] = acp.MembersOf(params)["modeId"]
	default:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reply = current(c.reply, kind, change)
	delete(c.updates, kind) // an older state
}

// current returns the reply that opened the session with a change of its
// settings. An agent may have its mode twice: as a mode and as an option.
func current(reply json.RawMessage, kind string, change acp.Members) json.RawMessage {
	if len(reply) == 0 {
		return reply
	}
	now := acp.MembersOf(reply)
	switch kind {
	case optionsUpdate:
		if len(change["configOptions"]) == 0 {
			return reply
		}
		now["configOptions"] = change["configOptions"]
		setMode(now, modeOf(now["configOptions"]))
	case modeUpdate:
		var mode string
		if json.Unmarshal(change["currentModeId"], &mode) != nil {
			return reply
		}
		setMode(now, mode)
		setModeOption(now, mode)
	default:
		return reply
	}
	return now.JSON()
}

// modeOf returns the value of the option that is the agent's mode, or "".
func modeOf(options json.RawMessage) string {
	var all []acp.SessionConfigOption
	_ = json.Unmarshal(options, &all) // an agent may have other kinds of options
	for _, o := range all {
		if o.Category == "mode" {
			mode, _ := o.CurrentValue.(string)
			return mode
		}
	}
	return ""
}

// setMode sets the current mode, if it is one of the modes of the reply.
func setMode(reply acp.Members, mode string) {
	var modes acp.SessionModeState
	if acp.Decode(reply["modes"], &modes) != nil {
		return
	}
	if slices.ContainsFunc(modes.AvailableModes, func(m acp.SessionMode) bool { return m.ID == mode }) {
		state := acp.MembersOf(reply["modes"])
		state.Set("currentModeId", mode)
		reply["modes"] = state.JSON()
	}
}

// setModeOption sets the option that is the agent's mode.
func setModeOption(reply acp.Members, mode string) {
	var all []acp.Members
	if json.Unmarshal(reply["configOptions"], &all) != nil {
		return
	}
	for _, o := range all {
		if string(o["category"]) == `"mode"` {
			o.Set("currentValue", mode)
		}
	}
	if len(all) > 0 {
		reply.Set("configOptions", all)
	}
}
