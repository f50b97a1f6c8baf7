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
	case acp.UnstableSetModel:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.reply = withModel(c.reply, acp.MembersOf(params)["modelId"])
		return
	default:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fold(kind, change)
	delete(c.updates, kind) // an older state
}

// fold changes a setting in the reply that opened the session, and reports whether
// the reply contains it. The updates before it, of both kinds, are older states then.
// The caller holds mu.
func (c *settings) fold(kind string, change acp.Members) bool {
	reply, folded := current(c.reply, kind, change)
	if c.reply = reply; folded {
		delete(c.updates, modeUpdate)
		delete(c.updates, optionsUpdate)
	}
	return folded
}

// current returns the reply that opened the session with a change of its
// settings, and whether the reply contains them. An agent may have its mode twice:
// as a mode and as an option.
func current(reply json.RawMessage, kind string, change acp.Members) (json.RawMessage, bool) {
	if len(reply) == 0 {
		return reply, false
	}
	now, folded := acp.MembersOf(reply), true
	switch kind {
	case optionsUpdate:
		if len(change["configOptions"]) == 0 {
			return reply, false
		}
		now["configOptions"] = change["configOptions"]
		setMode(now, modeOf(now["configOptions"]))
	case modeUpdate:
		var mode string
		if json.Unmarshal(change["currentModeId"], &mode) != nil {
			return reply, false
		}
		asMode, asOption := setMode(now, mode), setModeOption(now, mode)
		folded = asMode || asOption && len(now["modes"]) == 0
	default:
		return reply, false
	}
	return now.JSON(), folded
}

// withModel returns the reply that opened the session with the current model, if the
// agent has its models there.
func withModel(reply, model json.RawMessage) json.RawMessage {
	now := acp.MembersOf(reply)
	models := acp.MembersOf(now["models"])
	if len(model) == 0 || len(models["currentModelId"]) == 0 {
		return reply
	}
	models["currentModelId"] = model
	now["models"] = models.JSON()
	return now.JSON()
}

// mode returns the agent's mode, or "".
func (c *settings) mode() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := acp.MembersOf(c.reply)
	var modes acp.SessionModeState
	if acp.Decode(now["modes"], &modes) == nil && modes.CurrentModeID != "" {
		return modes.CurrentModeID
	}
	return modeOf(now["configOptions"])
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

// setMode sets the current mode, if it is one of the modes of the reply, and reports
// whether it is.
func setMode(reply acp.Members, mode string) bool {
	var modes acp.SessionModeState
	if acp.Decode(reply["modes"], &modes) != nil {
		return false
	}
	if !slices.ContainsFunc(modes.AvailableModes, func(m acp.SessionMode) bool { return m.ID == mode }) {
		return false
	}
	state := acp.MembersOf(reply["modes"])
	state.Set("currentModeId", mode)
	reply["modes"] = state.JSON()
	return true
}

// setModeOption sets the option that is the agent's mode, and reports whether there
// is one.
func setModeOption(reply acp.Members, mode string) bool {
	var all []acp.Members
	if json.Unmarshal(reply["configOptions"], &all) != nil {
		return false
	}
	found := false
	for _, o := range all {
		if string(o["category"]) == `"mode"` {
			o.Set("currentValue", mode)
			found = true
		}
	}
	if len(all) > 0 {
		reply.Set("configOptions", all)
	}
	return found
}
