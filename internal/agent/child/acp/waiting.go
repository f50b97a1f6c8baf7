package acp

import (
	"encoding/json"
	"time"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// waiting holds the messages of work without a prompt until a turn runs.
type waiting struct {
	messages []jsonrpc.Message
	size     int           // bytes of their parameters
	started  chan struct{} // closed when a turn has handled them; nil if there are none
	handling bool          // a turn handles them now
}

// mostWaiting is the maximum size in bytes of the messages that wait. The agent's
// next message is not read before a turn has started.
const mostWaiting = 16 << 20

// take returns the messages. The reader waits until resumeReader is called. The
// caller holds speaker.mu.
func (w *waiting) take() []jsonrpc.Message {
	w.handling = w.started != nil
	all := w.messages
	w.messages, w.size = nil, 0
	return all
}

// resumeReader lets the reader handle messages after those that waited.
func (s *speaker) resumeReader() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting.started != nil {
		close(s.waiting.started)
	}
	s.waiting = waiting{}
}

// Works implements child.Unprompted.
func (s *speaker) Works() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting.messages) > 0
}

// hold keeps a message of work without a prompt for the next turn, and reports
// whether it did. The first one causes a turn. hold is called by the reader. While
// a turn handles the messages before, or too many wait, hold blocks.
func (s *speaker) hold(m jsonrpc.Message) bool {
	s.mu.Lock()
	for s.waiting.handling || s.waiting.size > mostWaiting {
		started := s.waiting.started
		s.mu.Unlock()
		select {
		case <-started:
		case <-s.wire.life.Done():
			return false
		}
		s.mu.Lock()
	}
	none := s.turn == nil || s.turn.isClosed()
	first := s.waiting.started == nil
	if s.unprompted == nil || !none || first && !s.beginsWork(m) || !first && !belongsToTurn(m) {
		s.mu.Unlock()
		return false
	}
	if first {
		s.waiting.started = make(chan struct{})
	}
	s.waiting.messages = append(s.waiting.messages, m)
	s.waiting.size += len(m.Params)
	s.mu.Unlock()
	if first {
		s.unprompted()
	}
	return true
}

// belongsToTurn reports whether a message is handled in a turn if one runs.
func belongsToTurn(m jsonrpc.Message) bool {
	if m.IsRequest() {
		return services[m.Method] != nil
	}
	switch m.Method {
	case acp.MethodUpdate, acp.MethodCompleteElicitation, acp.MethodCancelRequest, methodTurnEnded:
		return true
	}
	return false
}

// beginsWork reports whether a message that arrives while no turn runs begins work
// without a prompt. The caller holds s.mu.
func (s *speaker) beginsWork(m jsonrpc.Message) bool {
	var r received
	if json.Unmarshal(m.Params, &r) != nil || r.SessionID == "" || r.SessionID != s.session && !s.children[r.SessionID] {
		return false
	}
	if m.IsRequest() {
		return beginning[m.Method]
	}
	var u acp.SessionUpdate
	if m.Method != acp.MethodUpdate || json.Unmarshal(r.Update, &u) != nil {
		return false
	}
	r.kind, r.value = u.Kind(), u.Value
	return s.trail.begins(r, time.Now())
}

// beginning are the requests that begin work: those that an agent sends for a call.
// The other ones concern a terminal, which ends with its turn.
var beginning = map[string]bool{
	acp.MethodRequestPermission: true, acp.MethodCreateElicitation: true, acp.MethodReadTextFile: true,
	acp.MethodWriteTextFile: true, acp.MethodCreateTerminal: true,
}

// trail is what the agent may still send of turns that have ended: it is not work.
type trail struct {
	ended    time.Time       // of the last turn; zero before the first turn
	messages map[string]bool // ids of the messages of the last turn
	calls    map[string]bool // ids of the calls of all turns
}

// trailTime is how long after a turn a text without the id of a new message, and the
// report of a call that is over, belong to that turn.
const trailTime = 2 * time.Second

// mostTrail is the maximum number of calls in a trail. Beyond it the list starts again.
const mostTrail = 10_000

// begins reports whether an update that arrives while no turn runs begins work: a
// call, or a text, that is not part of the last turn. Reports on known calls, plans,
// usage, titles and settings begin none. Before the first prompt of a process an
// agent can only repeat an earlier conversation.
func (tr trail) begins(r received, now time.Time) bool {
	recent := now.Sub(tr.ended) < trailTime
	switch u := r.value.(type) {
	case acp.ToolCall:
		return !tr.ended.IsZero() && u.ToolCallID != "" && !tr.calls[u.ToolCallID] && (!recent || !final(u.Status))
	case acp.AgentMessageChunk:
		return tr.isNew(u.MessageID, recent) && textOf(&u.Content) != ""
	case acp.AgentThoughtChunk:
		return tr.isNew(u.MessageID, recent) && textOf(&u.Content) != ""
	}
	return !tr.ended.IsZero() && stateOf(r) == "running"
}

// isNew reports whether a message does not belong to the last turn.
func (tr trail) isNew(message string, recent bool) bool {
	if tr.ended.IsZero() || tr.messages[message] && message != "" {
		return false
	}
	return message != "" || !recent
}

// endTrail adds a turn that has ended to the trail.
func (s *speaker) endTrail(t *turn) {
	t.mu.Lock()
	messages := t.messages
	t.messages = map[string]bool{}
	var calls []string
	for _, c := range t.calls {
		calls = append(calls, c.id)
	}
	t.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trail.ended.IsZero() || len(messages) > 0 {
		s.trail.messages = messages
	}
	s.trail.ended = time.Now()
	if s.trail.calls == nil || len(s.trail.calls) > mostTrail {
		s.trail.calls = map[string]bool{}
	}
	for _, id := range calls {
		s.trail.calls[id] = true
	}
}

// isEarlier reports whether a call belongs to a turn before this one: what the agent
// reports on it does not belong to this turn. The caller holds t.mu.
func (t *turn) isEarlier(call string) bool {
	for _, c := range t.calls {
		if c.id == call {
			return false
		}
	}
	t.speaker.mu.Lock()
	defer t.speaker.mu.Unlock()
	return t.trail.calls[call]
}
