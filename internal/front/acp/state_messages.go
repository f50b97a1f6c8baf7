package acp

import (
	"encoding/json"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/acp/upgrade"
	"github.com/bellcord/bellcord/internal/acp/v2"
)

// messages gives the messages of a conversation their ids. The ids depend only on
// the log, so they are the same in every replay. Those of a hosted agent are
// kept.
type messages struct {
	event    bellcord.Event  // that is being shown; the zero Event if there is none
	previous int64           // sequence number of the event before
	text     string          // id of the answer that the next text continues, or ""
	thought  string          // the same for thinking
	begun    map[string]bool // messages with content, by kind and id
	prompted bool            // the event has shown a user message
}

func (m *messages) begin(ev bellcord.Event) {
	m.event, m.prompted = ev, false
	switch ev.Body.(type) {
	case bellcord.TextDelta:
		m.thought = ""
	case bellcord.ThinkingDelta:
		m.text = ""
	case bellcord.TurnStarted, bellcord.StepStarted, bellcord.ToolCallRequested, bellcord.MessageImported, bellcord.ConversationCompacted, bellcord.TurnEnded:
		m.text, m.thought = "", ""
	default: // no other event ends a message
	}
}

func (m *messages) end(ev bellcord.Event) { m.event, m.previous = bellcord.Event{}, ev.Seq }

// textID and thoughtID return the id of a message without one. A message is
// named after the position of its first event. In a replay, the pieces of a text
// are one event with the last position, but the event before is the same.
func (m *messages) textID() string {
	if _, is := m.event.Body.(bellcord.TextDelta); !is {
		return m.noteID()
	}
	if m.text == "" {
		m.text = fmt.Sprintf("message-%d", m.previous+1)
	}
	return m.text
}

func (m *messages) thoughtID() string {
	if _, is := m.event.Body.(bellcord.ThinkingDelta); !is {
		return m.noteID()
	}
	if m.thought == "" {
		m.thought = fmt.Sprintf("thought-%d", m.previous+1)
	}
	return m.thought
}

// noteID returns the id of a text that no event contains.
func (m *messages) noteID() string {
	if m.event.Seq > 0 {
		return fmt.Sprintf("note-%d", m.event.Seq)
	}
	return string(bellcord.NewTurnID())
}

// begins reports whether a message has no content yet.
func (m *messages) begins(kind, id string) bool {
	begins := !m.begun[kind+id]
	m.begun[kind+id] = true
	return begins
}

// show implements view. Content of a call that Bellcord does not decode is kept,
// so calls are not decoded again; all other updates are converted as JSON.
func (v *stateView) show(u acp.Update, send func(update any)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	put := func(update v2.Update) { send(v2.SessionUpdate{Value: update}) }
	switch u := u.(type) {
	case acp.ToolCall:
		v.showCall(acp.ToolCallUpdate(u), put)
	case acp.ToolCallUpdate:
		v.showCall(u, put)
	case acp.RawUpdate:
		v.showJSON(json.RawMessage(u), put)
	default:
		v.showJSON(acp.Encode(acp.SessionUpdate{Value: u}), put)
	}
}

// showJSON converts an update of version 1. Members of the wrong type are absent.
func (v *stateView) showJSON(u json.RawMessage, put func(v2.Update)) {
	all := acp.MembersOf(u)
	var kind string
	_ = json.Unmarshal(all["sessionUpdate"], &kind)
	var chunk acp.ContentChunk
	_ = acp.Decode(u, &chunk) // absent in other updates
	switch kind {
	case "user_message_chunk":
		v.showUser(all["content"], put)
	case "agent_message_chunk":
		v.showText(chunk, all["content"], put)
	case "agent_thought_chunk":
		v.showThought(chunk, all["content"], put)
	case "available_commands_update":
		put(v2.AvailableCommandsUpdate{AvailableCommands: upgrade.Commands(all["availableCommands"])})
	case "config_option_update":
		put(v2.ConfigOptionUpdate{ConfigOptions: upgrade.Options(all["configOptions"])})
	case "current_mode_update": // version 2 has no modes: the mode is an option
		var mode acp.CurrentModeUpdate
		_ = acp.Decode(u, &mode)
		v.agentModeChanged(mode.CurrentModeID)
		if options, is := v.options().(acp.RawUpdate); is { // the agent's
			v.showJSON(json.RawMessage(options), put)
		}
	case "tool_call", "tool_call_update":
		var call acp.ToolCallUpdate
		_ = acp.Decode(u, &call)
		v.showCall(call, put)
	case "plan":
		var plan acp.Plan
		_ = acp.Decode(u, &plan)
		put(v2.PlanUpdate{Plan: v2.PlanItems{Type: v2.PlanOfItems, PlanID: "plan", Entries: plan.Entries}})
	default: // equal in both versions, or unknown
		put(v2.RawUpdate(u))
	}
}

// showUser sends a part of a user message: of the prompt of a turn that starts,
// or of an imported conversation. The prompt of a turn that ends without having
// started is not a part of the conversation.
func (v *stateView) showUser(block json.RawMessage, put func(v2.Update)) {
	id := ""
	switch v.event.Body.(type) {
	case bellcord.TurnStarted:
		id = string(v.event.Turn)
	case bellcord.MessageImported:
		id = fmt.Sprintf("imported-%d", v.event.Seq)
	default:
		return
	}
	if v.prompted {
		put(v2.UserMessageChunk{MessageID: id, Content: block})
		return
	}
	v.prompted = true
	put(v2.UserMessage{MessageID: id, Content: []json.RawMessage{block}})
}

func (v *stateView) showText(c acp.ContentChunk, block json.RawMessage, put func(v2.Update)) {
	id := c.MessageID
	if id == "" {
		id = v.textID()
	}
	if v.begins("message ", id) {
		put(v2.AgentMessage{MessageID: id, Content: []json.RawMessage{block}, Meta: c.Meta})
		return
	}
	put(v2.AgentMessageChunk{MessageID: id, Content: block, Meta: c.Meta})
}

func (v *stateView) showThought(c acp.ContentChunk, block json.RawMessage, put func(v2.Update)) {
	id := c.MessageID
	if id == "" {
		id = v.thoughtID()
	}
	if v.begins("thought ", id) {
		put(v2.AgentThought{MessageID: id, Content: []json.RawMessage{block}, Meta: c.Meta})
		return
	}
	put(v2.AgentThoughtChunk{MessageID: id, Content: block, Meta: c.Meta})
}

func textBlock(text string) json.RawMessage { return acp.Encode(acp.Text(text)) }
