package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/agent/child"
)

// Import implements child.Importer. The agent replays the conversation while it
// loads the session.
func (s *speaker) Import(ctx context.Context, w *hub.Work, own string) error {
	opening, done := context.WithTimeoutCause(ctx, child.StartBound, fmt.Errorf("the agent did not load it within %s", child.StartBound)) // for the requests: it does not stop the turn
	defer done()
	hello, err := s.shakeHands(opening)
	if err != nil {
		return err
	}
	if !hello.can.LoadSession {
		return errors.New("the agent cannot load sessions")
	}
	s.mu.Lock()
	s.importing = own
	s.mu.Unlock()
	t := s.startTurn(ctx, w, nil)
	t.imports, t.session = true, own
	defer s.finish(t)
	if _, err = s.requestSession(opening, acp.MethodLoadSession, w.Session, own); err != nil {
		t.leaveOpen()
		return fmt.Errorf("loading its session: %w", plainly(err))
	}
	t.mu.Lock()
	t.closed = true
	t.endPrompt()
	t.mu.Unlock()
	t.closeOpen()
	s.mu.Lock()
	s.session, s.importing = own, ""
	s.mu.Unlock()
	return nil
}

// importedPrompt is a message of the user in an earlier conversation.
type importedPrompt struct {
	id      string
	text    string
	updates []json.RawMessage // as the agent sent them
	plain   bool              // they contain nothing but text
}

// recordPrompt collects a message of the user, which may come in pieces. raw is
// the update as the agent sent it.
func (t *turn) recordPrompt(u acp.UserMessageChunk, raw json.RawMessage) {
	if u.MessageID != "" && u.MessageID != t.prompt.id {
		t.endPrompt()
	}
	p := &t.prompt
	if len(p.updates) == 0 {
		p.plain = true
	}
	_, plain := plainText(u.Content)
	p.id, p.plain = u.MessageID, p.plain && plain && u.MessageID == "" && u.Meta == nil
	p.text += textOf(&u.Content)
	p.updates = append(p.updates, validJSON(raw))
}

// endPrompt emits the message of the user that was collected, if there is one.
func (t *turn) endPrompt() {
	p := t.prompt
	if len(p.updates) == 0 {
		return
	}
	t.prompt = importedPrompt{}
	if p.plain {
		p.updates = nil
	}
	t.emit(bellcord.MessageImported{Text: p.text, Updates: p.updates})
}
