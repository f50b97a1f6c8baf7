package updates

import (
	"encoding/json"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// viewed returns the content of a hosted agent's call, without its output. A
// terminal is shown only by clients that can display one.
func (e *Encoder) viewed(c *shownCall) []acp.ToolCallContent {
	content := []acp.ToolCallContent{}
	for _, one := range c.now.Content {
		switch {
		case one.Change != nil:
			diff := acp.Diff(one.Change.Path, one.Change.Old, one.Change.New)
			diff.Meta = one.Meta
			content = append(content, diff)
		case one.Terminal != "":
			if e.Shows.Terminals || !one.Contained { // the agent shows a terminal only to clients that can display it
				c.terminal = one.Terminal
				content = append(content, acp.ToolCallContent{Type: acp.TypeTerminal, TerminalID: one.Terminal, Meta: one.Meta})
			}
		default:
			content = append(content, acp.RawContent(one.Block))
		}
	}
	return content
}

// viewMeta returns the _meta of a hosted agent's call. For a terminal of
// Bellcord it adds what a client needs to display the terminal.
func (e *Encoder) viewMeta(c *shownCall) acp.Meta {
	var meta acp.Meta
	_ = json.Unmarshal(c.now.Meta, &meta) // nil if there is none
	if meta[acp.TerminalDeltaMember] != nil {
		c.outputName = acp.TerminalDeltaMember
		delete(meta, acp.TerminalDeltaMember)
	}
	if !e.Shows.Terminals {
		delete(meta, acp.TerminalExitMember)
	}
	if c.terminal == "" || meta[acp.TerminalInfoMember] != nil {
		return meta
	}
	if meta == nil {
		meta = acp.Meta{}
	}
	meta[acp.TerminalInfoMember] = map[string]any{"terminal_id": c.terminal, "cwd": e.Dir()}
	return meta
}

// endTerminal adds the end of a terminal of Bellcord to the _meta of its call.
// An agent that runs its commands itself has sent the end.
func (e *Encoder) endTerminal(c *shownCall, b bellcord.ToolCallEnded, meta acp.Meta) {
	var agents acp.Meta
	_ = json.Unmarshal(c.now.Meta, &agents) // nil if there is none
	if c.terminal == "" || agents[acp.TerminalExitMember] != nil {
		return
	}
	exit := map[string]any{"terminal_id": c.terminal, "exit_code": 0, "signal": nil}
	switch {
	case b.Outcome != bellcord.CallFinished:
		exit["exit_code"], exit["signal"] = nil, "SIGKILL"
	case b.Failed:
		exit["exit_code"] = 1
	}
	meta[acp.TerminalExitMember] = exit
}

func locations(at []bellcord.Location) []acp.ToolCallLocation {
	if at == nil {
		return nil
	}
	all := make([]acp.ToolCallLocation, len(at))
	for i, l := range at {
		all[i] = acp.ToolCallLocation{Path: l.Path, Line: l.Line}
	}
	return all
}

// planned shows the agent's plan.
func (e *Encoder) planned(b bellcord.PlanUpdated) {
	plan := acp.Plan{Entries: []acp.PlanEntry{}}
	for _, one := range b.Entries {
		priority := one.Priority
		if priority == "" {
			priority = "medium"
		}
		plan.Entries = append(plan.Entries, acp.PlanEntry{Content: one.Text, Priority: priority, Status: acp.PlanEntryStatus(one.Status)})
	}
	e.Send(plan)
}

// passed sends an update of a hosted agent as it is.
func (e *Encoder) passed(b bellcord.AgentUpdate) {
	if b.AgentSession != "" {
		e.SendChild(b.AgentSession, b.Update)
		return
	}
	e.Send(acp.RawUpdate(b.Update))
}

// imported shows a message of the user in a conversation that a hosted agent had
// before: as the agent sent it, or its text.
func (e *Encoder) imported(b bellcord.MessageImported) {
	for _, u := range b.Updates {
		e.Send(acp.RawUpdate(u))
	}
	if len(b.Updates) == 0 {
		e.Send(acp.UserMessageChunk{Content: acp.Text(b.Text)})
	}
}

// contextUsed shows how full a hosted agent's context is.
func (e *Encoder) contextUsed(u bellcord.ContextUse) {
	update := acp.UsageUpdate{Used: u.UsedTokens, Size: u.SizeTokens, Meta: u.Meta}
	if u.Cost != nil {
		update.Cost = acp.Cost{Amount: u.Cost.Amount, Currency: u.Cost.Currency}
	}
	e.Send(update)
}
