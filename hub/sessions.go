package hub

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/hub/internal/commitlog"
	"github.com/bellcord/bellcord/internal/clip"
	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/store"
)

// NewSession creates a session and opens it. It resolves the symbolic links in the
// paths of its directories: later, a link at such a path leads nowhere else. It
// returns ErrRejected for a name that CheckName does not accept.
func (h *Hub) NewSession(ctx context.Context, s bellcord.Session) (bellcord.Session, error) {
	if s.ID == "" {
		s.ID = bellcord.NewSessionID()
	}
	if err := checkSession(s); err != nil {
		return bellcord.Session{}, err
	}
	s.Dir, s.AdditionalDirs = realDir(s.Dir), realDirs(s.AdditionalDirs)
	s.Created = h.now()
	s.Updated = s.Created
	if err := h.commit(ctx, store.PutSession{Session: s}); err != nil {
		return bellcord.Session{}, err
	}
	return h.openLine(s), nil
}

// realDir returns the path of a directory without symbolic links, "" for none.
func realDir(dir string) string {
	if !filepath.IsAbs(dir) {
		return dir
	}
	return realdir.Resolve(dir)
}

func realDirs(dirs []string) []string {
	var all []string
	for _, dir := range dirs {
		all = append(all, realDir(dir))
	}
	return all
}

// OpenSession makes a stored session ready for prompts. It returns ErrNoSession
// if the session does not exist.
func (h *Hub) OpenSession(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	s, err := h.store.Session(ctx, id)
	if err != nil {
		return bellcord.Session{}, err
	}
	h.openLine(s)
	return h.Refresh(ctx, id)
}

// Refresh returns an open session with the settings that other processes have
// changed. It returns ErrNotOpen if the session is not open.
func (h *Hub) Refresh(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	h.mu.Lock()
	l := h.sessions[id]
	h.mu.Unlock()
	if l == nil {
		return bellcord.Session{}, bellcord.ErrNotOpen
	}
	return h.refresh(ctx, l)
}

// refresh reads the settings of a session after the changes of this process
// have been written.
func (h *Hub) refresh(ctx context.Context, l *line) (bellcord.Session, error) {
	for {
		h.mu.Lock()
		id, saved := l.session.ID, l.saved
		h.mu.Unlock()
		if saved != nil {
			_, _ = saved.Wait(ctx) // a change that is not written is not read
		}
		s, err := h.store.Session(ctx, id)
		if err != nil {
			return bellcord.Session{}, err
		}
		h.mu.Lock()
		if l.saved == saved {
			l.session = s
			h.mu.Unlock()
			return s, nil
		}
		h.mu.Unlock() // changed meanwhile
	}
}

// saveLocked writes the session after a change, and returns its log entry.
func (l *line) saveLocked(was bellcord.Session) *commitlog.Entry {
	l.saved = l.journal.Put(store.PutSession{Session: l.session, Was: was, Existing: true})
	return l.saved
}

func (h *Hub) openLine(s bellcord.Session) bellcord.Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[s.ID]
	if l == nil {
		l = &line{session: s, journal: h.log.Journal(s.ID)}
		h.sessions[s.ID] = l
	}
	l.used = time.Now()
	return l.session
}

// CloseIdle closes the open sessions that have no turn and had none since the
// given time, and returns their IDs.
func (h *Hub) CloseIdle(since time.Time) []bellcord.SessionID {
	h.mu.Lock()
	defer h.mu.Unlock()
	var idle []bellcord.SessionID
	for id, l := range h.sessions {
		if len(l.turns) == 0 && l.used.Before(since) {
			delete(h.sessions, id)
			h.log.Release(l.journal)
			idle = append(idle, id)
		}
	}
	return idle
}

// ForgetIdle releases the memory of conversations in sessions that have no turn, the
// longest unused first: at least half of it. It returns the number of bytes. The
// next turn of such a session reads its conversation from the store again.
func (h *Hub) ForgetIdle() int64 {
	h.mu.Lock()
	var idle []*line
	used := map[*line]time.Time{}
	for _, l := range h.sessions {
		if len(l.turns) == 0 {
			idle = append(idle, l)
			used[l] = l.used
		}
	}
	h.mu.Unlock()
	slices.SortFunc(idle, func(a, b *line) int { return used[a].Compare(used[b]) })
	var all, freed int64
	sizes := make([]int64, len(idle))
	for i, l := range idle {
		sizes[i] = l.conversation.Size()
		all += sizes[i]
	}
	for i, l := range idle {
		if freed*2 >= all {
			break
		}
		l.conversation.Forget()
		freed += sizes[i]
	}
	return freed
}

// IsIdle reports whether a session is open here and has no turn.
func (h *Hub) IsIdle(id bellcord.SessionID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[id]
	return l != nil && len(l.turns) == 0
}

// ForgetSession closes a session that has no turn here, because another process
// continues it.
func (h *Hub) ForgetSession(id bellcord.SessionID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.sessions[id]; l != nil && len(l.turns) == 0 {
		delete(h.sessions, id)
		h.log.Release(l.journal)
	}
}

// CloseSession stops the session's running and queued turns in every process and
// closes the session once all have settled. It reports whether the session was
// open. It returns ErrBusy if a prompt arrived in the meantime.
func (h *Hub) CloseSession(ctx context.Context, id bellcord.SessionID, cause bellcord.Cause) (bool, error) {
	stopping := h.Stop(bellcord.StopRequest{Session: id, Cause: cause, Queue: bellcord.QueueDrop, Everywhere: true})
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
		return true, bellcord.ErrBusy // a prompt arrived after the stop
	}
	delete(h.sessions, id)
	h.log.Release(l.journal)
	return true, nil
}

// DeleteSession stops a session's turns in every process, waits until they have
// settled, and deletes the session with all its data.
func (h *Hub) DeleteSession(ctx context.Context, id bellcord.SessionID, cause bellcord.Cause) error {
	if _, err := h.CloseSession(ctx, id, cause); err != nil {
		return err
	}
	if err := h.commit(ctx, store.DeleteSession{ID: id}); err != nil {
		return err
	}
	h.scrub(ctx, id)
	return nil
}

// Time limits of a scrub: for the caller of DeleteSession, and for the background
// retry while readers block the scrub.
const (
	scrubWait  = 2 * time.Second
	scrubBound = 10 * time.Minute
)

// scrub removes the store's remaining copies of a deleted session. If that takes
// longer than scrubWait, it continues in the background until the hub is closed.
func (h *Hub) scrub(ctx context.Context, id bellcord.SessionID) {
	store, is := h.store.(store.Scrubber)
	if !is {
		return
	}
	soon, done := context.WithTimeout(ctx, scrubWait)
	defer done()
	if store.Scrub(soon) == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.draining {
		h.logger.Warn("copies of a deleted session may remain in the store until the store is closed", "session", id)
		return
	}
	h.swept.Go(func() { // Close waits for it
		ctx, done := context.WithTimeout(context.Background(), scrubBound)
		defer done()
		go func() { // ends with ctx
			select {
			case <-h.quit:
				done()
			case <-ctx.Done():
			}
		}()
		if err := store.Scrub(ctx); err != nil {
			h.logger.Warn("copies of a deleted session remain in the store until every process has closed the store", "session", id, "err", err)
		}
	})
}

// Clear starts a new conversation in the session. It stops the running turn and
// all queued ones. Earlier messages stay in the log but are no longer sent to the
// model. An automatic title is removed, and made again from the next prompt. Clear
// does no I/O; the next prompt is the first of the new conversation.
// It returns ErrNotOpen if the session is not open.
func (h *Hub) Clear(id bellcord.SessionID, cause bellcord.Cause) (*Stopping, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[id]
	if l == nil {
		return nil, bellcord.ErrNotOpen
	}
	stopping := h.stopLocked(bellcord.StopRequest{Session: id, Cause: cause, Queue: bellcord.QueueDrop, Everywhere: true})
	if s := &l.session; s.AutoTitle {
		was := *s
		s.Title, s.AutoTitle = "", false
		l.saveLocked(was)
	}
	l.journal.Put(store.AppendEvents{Session: id, Bodies: []bellcord.Body{bellcord.ConversationCleared{}}, At: h.now()})
	return stopping, nil
}

// Spending returns the usage of ended turns.
func (h *Hub) Spending(ctx context.Context, q store.SpendingQuery) ([]store.Spending, error) {
	return h.store.Spending(ctx, q)
}

// SumUsage returns the sum of what Spending returns.
func (h *Hub) SumUsage(ctx context.Context, q store.SpendingQuery) (store.UsageSum, error) {
	if store, is := h.store.(store.UsageSummer); is {
		return store.SumUsage(ctx, q)
	}
	all, err := h.store.Spending(ctx, q)
	return store.SumUsage(all), err
}

// Receipts returns the receipts of ended turns, the last accepted turn first,
// with the processes that were recovered since.
func (h *Hub) Receipts(ctx context.Context, q store.ReceiptQuery) ([]bellcord.Receipt, error) {
	all, err := h.store.Receipts(ctx, q)
	for i := 0; i < len(all) && err == nil; i++ {
		all[i], err = store.ReceiptNow(ctx, h.store, all[i])
	}
	return all, err
}

// Session returns a session, open or not.
func (h *Hub) Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	h.mu.Lock()
	if l := h.sessions[id]; l != nil {
		defer h.mu.Unlock()
		return l.session, nil
	}
	h.mu.Unlock()
	return h.store.Session(ctx, id)
}

// Sessions lists stored sessions, the most recently updated first.
func (h *Hub) Sessions(ctx context.Context, q store.SessionQuery) ([]bellcord.Session, error) {
	return h.store.Sessions(ctx, q)
}

// Turn returns the stored record of a turn. Its receipt has the processes that
// were recovered since the end.
func (h *Hub) Turn(ctx context.Context, id bellcord.TurnID) (store.TurnRecord, error) {
	record, err := h.store.Turn(ctx, id)
	if err == nil && record.Receipt != nil {
		*record.Receipt, err = store.ReceiptNow(ctx, h.store, *record.Receipt)
	}
	return record, err
}

// UnendedTurns returns the turns of all processes that have not ended, of one
// session or, if session is empty, of all.
func (h *Hub) UnendedTurns(ctx context.Context, session bellcord.SessionID) ([]store.TurnRecord, error) {
	return h.store.UnendedTurns(ctx, session)
}

// Tail returns the newest sequence number of a session's log.
func (h *Hub) Tail(ctx context.Context, id bellcord.SessionID) (int64, error) {
	return h.store.Tail(ctx, id)
}

// entitleLocked sets the title of an untitled session from its first prompt.
func (h *Hub) entitleLocked(l *line, text string) []*commitlog.Entry {
	if title := clip.FirstWords(text); l.session.Title == "" && title != "" {
		return h.setAutoTitleLocked(l, title)
	}
	return nil
}

// setAutoTitleLocked sets a title that no person has chosen, and returns its log
// entries.
func (h *Hub) setAutoTitleLocked(l *line, title string) []*commitlog.Entry {
	return h.configureLocked(l, bellcord.SessionUpdated{Title: bellcord.ValidTitle(title)}, true)
}

// TurnAnswer returns the text that a turn's agent has recorded so far, up to its
// end.
func (h *Hub) TurnAnswer(ctx context.Context, id bellcord.TurnID) (bellcord.TurnAnswer, error) {
	r, err := h.store.Turn(ctx, id)
	if err != nil {
		return bellcord.TurnAnswer{}, err
	}
	var b history.AnswerBuilder
	err = store.EachEvent(ctx, h.store, r.Session, r.FirstSeq-1, func(ev bellcord.Event) (more bool) {
		if ev.Turn == id {
			b.Add(ev.Body)
		}
		_, ended := ev.Body.(bellcord.TurnEnded)
		return ev.Turn != id || !ended
	})
	return b.Answer(), err
}
