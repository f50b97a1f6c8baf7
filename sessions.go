package bellcord

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"
)

// NewSession creates a session and opens it.
func (h *Hub) NewSession(ctx context.Context, s Session) (Session, error) {
	if s.ID == "" {
		s.ID = NewSessionID()
	}
	s.Created = time.Now()
	s.Updated = s.Created
	if _, err := h.loose.put(PutSession{Session: s}).wait(ctx); err != nil {
		return Session{}, err
	}
	return h.openLine(s), nil
}

// OpenSession makes a stored session ready for prompts.
func (h *Hub) OpenSession(ctx context.Context, id SessionID) (Session, error) {
	s, err := h.log.store.Session(ctx, id)
	if err != nil {
		return Session{}, err
	}
	return h.openLine(s), nil
}

func (h *Hub) openLine(s Session) Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[s.ID]
	if l == nil {
		l = &line{session: s, journal: h.log.journal(s.ID)}
		h.sessions[s.ID] = l
	}
	l.used = time.Now()
	return l.session
}

// CloseIdle lets go of the open sessions that have no turn and had none since,
// and says which they were.
func (h *Hub) CloseIdle(since time.Time) []SessionID {
	h.mu.Lock()
	defer h.mu.Unlock()
	var idle []SessionID
	for id, l := range h.sessions {
		if len(l.turns) == 0 && l.used.Before(since) {
			delete(h.sessions, id)
			h.log.release(l.journal)
			idle = append(idle, id)
		}
	}
	return idle
}

// IsIdle reports whether a session is open and has no turn here.
func (h *Hub) IsIdle(id SessionID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[id]
	return l != nil && len(l.turns) == 0
}

// LetGo closes a session that has no turn here: another process goes on with it.
func (h *Hub) LetGo(id SessionID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.sessions[id]; l != nil && len(l.turns) == 0 {
		delete(h.sessions, id)
		h.log.release(l.journal)
	}
}

// CloseSession stops what the session runs and what waits in it, and lets go of
// it once all has settled. It says whether the session was open.
func (h *Hub) CloseSession(ctx context.Context, id SessionID, cause Cause) (bool, error) {
	stopping := h.Stop(StopRequest{Session: id, Cause: cause, Queue: Drop})
	if _, err := stopping.Wait(ctx); err != nil {
		return true, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[id]
	if l == nil {
		return false, nil
	}
	if len(l.turns) > 0 {
		return true, ErrBusy // a prompt came in behind the stop
	}
	delete(h.sessions, id)
	h.log.release(l.journal)
	return true, nil
}

// DeleteSession closes a session and removes it with all that it has.
func (h *Hub) DeleteSession(ctx context.Context, id SessionID, cause Cause) error {
	if _, err := h.CloseSession(ctx, id, cause); err != nil {
		return err
	}
	_, err := h.loose.put(DeleteSession{id}).wait(ctx)
	return err
}

// Configure changes an open session's settings, where given, and
// returns the session as it is then. A running turn keeps what it started with.
// It does no I/O.
func (h *Hub) Configure(id SessionID, change Configured) (Session, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[id]
	if l == nil {
		return Session{}, ErrNotOpen
	}
	if change != (Configured{}) {
		h.configure(l, change)
	}
	return l.session, nil
}

// configure applies a change; the lock is held.
func (h *Hub) configure(l *line, change Configured) {
	s := &l.session
	if change.Dir != "" {
		s.Dir = change.Dir
	}
	if change.Title != "" {
		s.Title = change.Title
	}
	if change.Model != "" {
		s.Model = change.Model
	}
	if change.Mode != "" {
		s.Mode = change.Mode
	}
	s.Updated = time.Now()
	l.journal.put(PutSession{Session: *s, Existing: true})
	l.journal.put(AppendEvents{Session: s.ID, Bodies: []Body{change}, At: s.Updated})
}

// Clear starts the session's conversation anew: what runs and what waits in it
// is stopped, and what was said stays in the log but is no longer told to the
// model. It does no I/O, and a prompt behind it is the first of the new one.
func (h *Hub) Clear(id SessionID, cause Cause) (*Stopping, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[id]
	if l == nil {
		return nil, ErrNotOpen
	}
	stopping := h.stop(StopRequest{Session: id, Cause: cause, Queue: Drop, Everywhere: true})
	l.journal.put(AppendEvents{Session: id, Bodies: []Body{Cleared{}}, At: time.Now()})
	return stopping, nil
}

// Spending lists what ended turns used.
func (h *Hub) Spending(ctx context.Context, q SpendingQuery) ([]Spending, error) {
	return h.log.store.Spending(ctx, q)
}

// Session returns a session, open or not.
func (h *Hub) Session(ctx context.Context, id SessionID) (Session, error) {
	h.mu.Lock()
	if l := h.sessions[id]; l != nil {
		defer h.mu.Unlock()
		return l.session, nil
	}
	h.mu.Unlock()
	return h.log.store.Session(ctx, id)
}

// Sessions lists stored sessions, the most recently updated first.
func (h *Hub) Sessions(ctx context.Context, q SessionQuery) ([]Session, error) {
	return h.log.store.Sessions(ctx, q)
}

// Turn returns a turn as it is on record.
func (h *Hub) Turn(ctx context.Context, id TurnID) (TurnRecord, error) {
	return h.log.store.Turn(ctx, id)
}

// Unended returns the turns of all processes that have not ended: of one
// session, of all where none is named.
func (h *Hub) Unended(ctx context.Context, session SessionID) ([]TurnRecord, error) {
	return h.log.store.Unended(ctx, session)
}

// Tail returns the newest sequence number of a session's log.
func (h *Hub) Tail(ctx context.Context, id SessionID) (int64, error) {
	return h.log.store.Tail(ctx, id)
}

// Events returns a cursor behind the given sequence number of a session's log.
// Close it after use.
func (h *Hub) Events(ctx context.Context, id SessionID, after int64) (*Cursor, error) {
	c := &Cursor{journal: h.log.journal(id), after: after}
	h.peers.View(id, true) // before the look: what comes in between is in the store
	if err := c.journal.look(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// mostTitle is how long a title made from a prompt may be, in characters.
const mostTitle = 60

// entitle names a session after its first prompt; the lock is held.
func (h *Hub) entitle(l *line, text string) {
	if title := FirstWords(text); l.session.Title == "" && title != "" {
		h.configure(l, Configured{Title: title})
	}
}

// FirstWords is the title of a session that nobody has named: the beginning of
// its first prompt.
func FirstWords(prompt string) string {
	title, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	if utf8.RuneCountInString(title) > mostTitle {
		title = string([]rune(title)[:mostTitle-1]) + "…"
	}
	return title
}
