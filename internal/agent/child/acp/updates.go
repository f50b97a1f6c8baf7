package acp

import (
	"encoding/json"
	"reflect"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// received is a session update as the agent sent it.
type received struct {
	SessionID string          `json:"sessionId"`
	Update    json.RawMessage `json:"update"`

	kind  string
	value acp.Update
}

// update handles a session update. It is called by the reader.
func (s *speaker) update(params json.RawMessage) {
	s.updates.Add(1)
	var r received
	var u acp.SessionUpdate
	if json.Unmarshal(params, &r) != nil || json.Unmarshal(r.Update, &u) != nil || u.Kind() == "" {
		return // not a valid update
	}
	r.kind, r.value = u.Kind(), u.Value
	t, ours := s.at(r.SessionID)
	switch {
	case ours:
		s.updateSession(t, r)
	case s.opening():
		s.updateSettings(r) // agents send their commands before they reply to session/new
	case t != nil:
		s.addChild(r.SessionID)
		t.recordRaw(r.SessionID, r.Update)
	}
}

// opening reports whether the session is being opened.
func (s *speaker) opening() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session == "" && s.importing == ""
}

func (s *speaker) addChild(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.children == nil {
		s.children = map[string]bool{}
	}
	s.children[session] = true
}

// updateSession handles an update of this session. Settings and notices go to
// the client; the rest belongs to the turn. While no turn is running, text and
// tool calls are dropped.
func (s *speaker) updateSession(t *turn, r received) {
	if info, is := r.value.(acp.SessionInfoUpdate); is {
		s.entitle(t, info.Title)
		if shownMeta(r.Update) != nil {
			s.settings.pass(r.kind, r.Update)
		}
		return
	}
	if s.updateSettings(r) {
		return
	}
	switch {
	case t != nil:
		t.update(r)
	case isUsage(r.value):
		s.settings.pass(r.kind, r.Update)
	}
}

// updateSettings passes on an update about settings. It reports whether the
// update is one.
func (s *speaker) updateSettings(r received) bool {
	switch u := r.value.(type) {
	case acp.ConfigOptionUpdate:
		s.setModel(u.ConfigOptions, "")
	case acp.AvailableCommandsUpdate, acp.CurrentModeUpdate:
	default:
		if r.kind != "notice" { // shown once, never recorded
			return false
		}
	}
	s.settings.pass(r.kind, r.Update)
	return true
}

func isUsage(u acp.Update) bool {
	_, is := u.(acp.UsageUpdate)
	return is
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
func (t *turn) update(r received) {
	t.recordUpdate(r)
	if t.active != nil && endsWork(r) {
		t.receiveResponse(answer{})
	}
}

func (t *turn) recordUpdate(r received) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	switch u := r.value.(type) {
	case acp.ToolCall:
		t.updateCallLocked(acp.ToolCallUpdate(u), r.Update)
	case acp.ToolCallUpdate:
		if !t.isEarlier(u.ToolCallID) {
			t.updateCallLocked(u, r.Update)
		}
	default:
		if _, prompt := r.value.(acp.UserMessageChunk); !prompt {
			t.endPrompt()
		}
		if t.ctx.Err() == nil {
			t.record(r)
		}
	}
}

// record records text, thinking, plans, usage and, as it is, everything else.
func (t *turn) record(r received) {
	switch u := r.value.(type) {
	case acp.AgentMessageChunk:
		t.messages[u.MessageID] = true
		if text, plain := plainText(u.Content); plain && (text != "" || u.Meta == nil) {
			t.emit(bellcord.TextDelta{Text: text, Message: u.MessageID, Meta: u.Meta})
			return
		}
	case acp.AgentThoughtChunk:
		t.messages[u.MessageID] = true
		if text, plain := plainText(u.Content); plain && (text != "" || u.Meta == nil) {
			t.emit(bellcord.ThinkingDelta{Text: text, Message: u.MessageID, Meta: u.Meta})
			return
		}
	case acp.UserMessageChunk:
		if !t.imports {
			t.settings.pass(r.kind, r.Update) // the log has the prompt
			return
		}
		t.recordPrompt(u, r.Update)
		return
	case acp.Plan:
		t.emit(planOf(u))
		return
	case acp.UsageUpdate:
		t.recordUsage(u, shownMeta(r.Update))
		return
	}
	t.emitRaw("", r.Update)
}

func planOf(p acp.Plan) bellcord.PlanUpdated {
	plan := bellcord.PlanUpdated{Entries: []bellcord.PlanEntry{}}
	for _, e := range p.Entries {
		plan.Entries = append(plan.Entries, bellcord.PlanEntry{Text: e.Content, Priority: e.Priority, Status: string(e.Status)})
	}
	return plan
}

// recordUsage records how full the context is, if it has changed.
func (t *turn) recordUsage(u acp.UsageUpdate, meta json.RawMessage) {
	now := bellcord.ContextUse{UsedTokens: u.Used, SizeTokens: u.Size, Meta: meta}
	if u.Cost != (acp.Cost{}) {
		now.Cost = &bellcord.Money{Amount: u.Cost.Amount, Currency: u.Cost.Currency}
	}
	if reflect.DeepEqual(now, t.lastContext) {
		return
	}
	t.lastContext = now
	t.emit(bellcord.UsageReported{Usage: bellcord.Usage{InputTokens: u.Used}, Context: &now})
}

// recordRaw records an update of another session of the agent.
func (t *turn) recordRaw(session string, update json.RawMessage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed && t.ctx.Err() == nil {
		t.emitRaw(session, update)
	}
}

func (t *turn) emitRaw(session string, update json.RawMessage) {
	t.emit(bellcord.AgentUpdate{AgentSession: session, Update: update})
}

// emit records a body. Errors are ignored: Emit fails if the turn does not
// accept the body any more, or if the store has failed, which ends the turn
// anyway.
func (t *turn) emit(b bellcord.Body) { _ = t.w.Emit(b) }
