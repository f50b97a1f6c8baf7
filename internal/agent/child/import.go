package child

import (
	"context"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// Importer is a Speaker that can record the conversation of an existing session
// of its agent.
type Importer interface {
	// Import opens the agent's session with the id own and emits its
	// conversation. It replaces Open and fails after StartBound.
	Import(ctx context.Context, w *hub.Work, own string) error
}

// importConversation records the conversation of the agent's session whose id is
// the text of the prompt. The agent's session is then the session's.
func (h *host) importConversation(ctx context.Context, w *hub.Work) error {
	h.start.Lock()
	defer h.start.Unlock()
	h.agent.mu.Lock()
	old := h.life
	h.agent.mu.Unlock()
	h.leave(old)
	own := w.Prompt.Text
	l, err := h.await(ctx, StartBound, func(patient bool) (*life, <-chan struct{}, error) {
		return h.place(w.Session, own, own, patient)
	})
	if err != nil {
		return err
	}
	defer l.release(false)
	importer, can := l.speaker.(Importer)
	if !can {
		h.drop(l, nil)
		return fmt.Errorf("%s has no sessions that can be imported", l.name())
	}
	if err := importer.Import(ctx, w, own); err != nil {
		w.Processes(processesOf(h.drop(l, bellcord.Forced(ctx))))
		return fmt.Errorf("%s could not load its session: %w", l.name(), err)
	}
	l.own = own
	close(l.opened)
	return w.Emit(bellcord.AgentSessionOpened{Agent: h.agent.Definition.Name, AgentSession: own})
}
