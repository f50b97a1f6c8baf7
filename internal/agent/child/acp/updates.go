package acp

import (
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// update handles a session update. It is called by the reader. Updates for
// other sessions are dropped, as are updates while no turn is running, except
// for the title and the model.
func (s *speaker) update(params json.RawMessage) {
	var n acp.SessionNotification
	if json.Unmarshal(params, &n) != nil {
		return // not a valid update
	}
	t, ours := s.at(n.SessionID)
	if !ours {
		return
	}
	switch u := n.Update.Value.(type) {
	case acp.SessionInfoUpdate:
		s.entitle(t, u.Title)
	case acp.ConfigOptionUpdate:
		s.setModel(u.ConfigOptions, "")
	default:
		if t != nil {
			t.update(u)
		}
	}
}

// entitle sets the session's title: now, or at the start of the next turn.
func (s *speaker) entitle(t *turn, title string) {
	switch {
	case title == "":
	case t != nil && t.ctx.Err() == nil:
		t.w.SetTitle(title)
	default:
		s.mu.Lock()
		s.title = title
		s.mu.Unlock()
	}
}

// update records an update. After a stop, only updates of tool calls are
// processed.
func (t *turn) update(u acp.Update) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	switch u := u.(type) {
	case acp.ToolCall:
		t.updateCallLocked(acp.ToolCallUpdate(u))
	case acp.ToolCallUpdate:
		t.updateCallLocked(u)
	default:
		if t.ctx.Err() == nil {
			t.record(u)
		}
	}
}

// record records text, thinking, plans and usage.
func (t *turn) record(u acp.Update) {
	switch u := u.(type) {
	case acp.AgentMessageChunk:
		if text := textOf(&u.Content); text != "" {
			t.emit(bellcord.TextDelta{Text: text})
		}
	case acp.AgentThoughtChunk:
		if text := textOf(&u.Content); text != "" {
			t.emit(bellcord.ThinkingDelta{Text: text})
		}
	case acp.Plan:
		t.emit(bellcord.ThinkingDelta{Text: inOneLine(u)})
	case acp.UsageUpdate:
		if u.Used > 0 && u.Used != t.lastUse {
			t.lastUse = u.Used
			t.emit(bellcord.UsageReported{Usage: bellcord.Usage{InputTokens: u.Used}})
		}
	}
}

// emit records a body. Errors are ignored: Emit fails if the turn does not
// accept the body any more, or if the store has failed, which ends the turn
// anyway.
func (t *turn) emit(b bellcord.Body) { _ = t.w.Emit(b) }

// inOneLine returns the agent's plan as one line of text.
func inOneLine(plan acp.Plan) string {
	marks := map[acp.PlanEntryStatus]string{acp.PlanCompleted: "✓ ", acp.PlanInProgress: "▸ ", acp.PlanPending: ""}
	entries := make([]string, len(plan.Entries))
	for i, e := range plan.Entries {
		entries[i] = marks[e.Status] + e.Content
	}
	return "Plan: " + strings.Join(entries, "; ") + "\n"
}
