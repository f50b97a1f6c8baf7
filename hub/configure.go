package hub

import (
	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub/internal/commitlog"
	"github.com/bellcord/bellcord/store"
)

// Configure changes the given settings of an open session and returns the updated
// session. A running turn keeps the settings it started with. Configure does no
// I/O, except that it resolves new directories like NewSession. It returns
// ErrNotOpen if the session is not open, and ErrRejected like NewSession.
func (h *Hub) Configure(id bellcord.SessionID, change bellcord.SessionUpdated) (bellcord.Session, error) {
	change.Dir = realDir(change.Dir)
	if change.AdditionalDirs != nil {
		dirs := append([]string{}, realDirs(*change.AdditionalDirs)...)
		change.AdditionalDirs = &dirs
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[id]
	if l == nil {
		return bellcord.Session{}, bellcord.ErrNotOpen
	}
	if err := checkChange(change); err != nil {
		return l.session, err
	}
	if change != (bellcord.SessionUpdated{}) {
		h.configureLocked(l, change, l.session.AutoTitle && change.Title == "")
	}
	return l.session, nil
}

// configureLocked applies a change and returns its log entries. It writes every
// setting that the change names, even if this process already has the value:
// another process may have written another one. Therefore was gets another value
// for it.
func (h *Hub) configureLocked(l *line, change bellcord.SessionUpdated, autoTitle bool) []*commitlog.Entry {
	s, was := &l.session, l.session
	s.AutoTitle = autoTitle
	if change.Dir != "" {
		s.Dir, was.Dir = change.Dir, ""
	}
	if change.Title != "" {
		s.Title = change.Title
		if !autoTitle {
			was.Title, was.AutoTitle = "", true
		}
	}
	if change.Model != "" {
		s.Model, was.Model = change.Model, ""
	}
	if change.Mode != "" {
		s.Mode, was.Mode = change.Mode, ""
	}
	if change.Effort != "" {
		s.Effort, was.Effort = change.Effort, ""
	}
	if change.AdditionalDirs != nil {
		s.AdditionalDirs, was.AdditionalDirs = *change.AdditionalDirs, nil
		if len(s.AdditionalDirs) == 0 {
			was.AdditionalDirs = []string{s.Dir}
		}
	}
	s.Updated = h.now()
	return []*commitlog.Entry{
		l.saveLocked(was),
		l.journal.Put(store.AppendEvents{Session: s.ID, Bodies: []bellcord.Body{change}, At: s.Updated}),
	}
}
