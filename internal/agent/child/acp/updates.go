package acp

import (
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// update takes an update in; it is called by the reader. What is for another
// session, or comes while no turn runs, is dropped, but for a title and the
// model's name.
func (s *speaker) update(params json.RawMessage) {
	var n acp.SessionNotification
	if json.Unmarshal(params, &n) != nil {
		return // no update that we know
	}
	t, ours := s.at(n.SessionID)
	if !ours {
		return
	}
	switch u := n.Update.Value.(type) {
	case acp.SessionInfoUpdate:
		s.entitle(t, u.Title)
	case acp.ConfigOptionUpdate:
		s.learn(u.ConfigOptions, "")
	default:
		if t != nil {
			t.update(u)
		}
	}
}

// entitle names the session: now, or with the next turn.
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

// update records what the agent does. Text that comes after a stop is not
// wanted any more; what becomes of tools is still told.
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
			t.say(u)
		}
	}
}

// say records what the agent says, thinks, plans and uses.
func (t *turn) say(u acp.Update) {
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

// emit records a body. It is refused only when the turn has ended, or the store
// has failed, which ends the turn by itself.
func (t *turn) emit(b bellcord.Body) { _ = t.w.Emit(b) }

// inOneLine is the agent's list of what it will do.
func inOneLine(plan acp.Plan) string {
	marks := map[acp.PlanEntryStatus]string{acp.PlanCompleted: "✓ ", acp.PlanInProgress: "▸ ", acp.PlanPending: ""}
	entries := make([]string, len(plan.Entries))
	for i, e := range plan.Entries {
		entries[i] = marks[e.Status] + e.Content
	}
	return "Plan: " + strings.Join(entries, "; ") + "\n"
}
