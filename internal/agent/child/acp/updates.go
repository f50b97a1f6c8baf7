package acp

import (
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
)

// update is a session/update. Which fields count depends on its kind; those
// that are of another form in some kinds are read when the kind is known.
type update struct {
	Kind    string          `json:"sessionUpdate"`
	Content json.RawMessage `json:"content"`
	Title   *string         `json:"title"`
	Entries []struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	} `json:"entries"`
	Options []option `json:"configOptions"`
	Used    int64    `json:"used"`
}

// update takes one in; it is called by the reader. What is for another session,
// or comes while no turn runs, is dropped, but for a title and the model's name.
func (s *speaker) update(params json.RawMessage) {
	var p struct {
		Session string          `json:"sessionId"`
		Update  json.RawMessage `json:"update"`
	}
	var u update
	if json.Unmarshal(params, &p) != nil || json.Unmarshal(p.Update, &u) != nil {
		return // no update that we know
	}
	t, ours := s.at(p.Session)
	if !ours {
		return
	}
	switch u.Kind {
	case "session_info_update":
		s.entitle(t, u.Title)
	case "config_option_update":
		s.learn(opened{Options: u.Options})
	default:
		if t != nil {
			t.update(u, p.Update)
		}
	}
}

// entitle names the session: now, or with the next turn.
func (s *speaker) entitle(t *turn, title *string) {
	switch {
	case title == nil || *title == "":
	case t != nil && t.ctx.Err() == nil:
		t.w.Entitle(*title)
	default:
		s.mu.Lock()
		s.title = *title
		s.mu.Unlock()
	}
}

// update records what the agent does. Text that comes after a stop is not
// wanted any more; what becomes of tools is still told.
func (t *turn) update(u update, raw json.RawMessage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	switch u.Kind {
	case "tool_call", "tool_call_update":
		var c callUpdate
		if json.Unmarshal(raw, &c) == nil {
			t.call(c)
		}
		return
	}
	if t.ctx.Err() != nil {
		return
	}
	switch u.Kind {
	case "agent_message_chunk":
		if text := textOf(u.Content); text != "" {
			t.emit(bellcord.Said{Text: text})
		}
	case "agent_thought_chunk":
		if text := textOf(u.Content); text != "" {
			t.emit(bellcord.Thought{Text: text})
		}
	case "plan":
		t.emit(bellcord.Thought{Text: u.plan()})
	case "usage_update":
		if u.Used > 0 && u.Used != t.lastUse {
			t.lastUse = u.Used
			t.emit(bellcord.Metered{Usage: bellcord.Usage{Input: u.Used}})
		}
	}
}

// emit records a body. It is refused only when the turn has ended, or the store
// has failed, which ends the turn by itself.
func (t *turn) emit(b bellcord.Body) { _ = t.w.Emit(b) }

// textOf is what a chunk says.
func textOf(content json.RawMessage) string {
	var b block
	if json.Unmarshal(content, &b) != nil {
		return ""
	}
	return b.said()
}

// plan is the agent's list of what it will do, in a line.
func (u update) plan() string {
	marks := map[string]string{"completed": "✓ ", "in_progress": "▸ "}
	entries := make([]string, len(u.Entries))
	for i, e := range u.Entries {
		entries[i] = marks[e.Status] + e.Content
	}
	return "Plan: " + strings.Join(entries, "; ") + "\n"
}
