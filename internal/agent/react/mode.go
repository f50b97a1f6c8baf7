package react

import (
	"context"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
)

// modeNote begins the note about a new permission mode. The mode follows it.
const modeNote = "[Bellcord: the permission mode is now "

// firstMode returns the mode that a session had when this process ran its first
// turn. The system prompt contains it. A note contains a later mode, because
// a changed system prompt would invalidate the model's cache.
func (a *Agent) firstMode(s bellcord.Session) string {
	return a.modes.of(s)
}

// mostModes is the number of sessions whose first mode is kept. An older session
// gets its current mode, as after a restart of the process.
const mostModes = 10_000

// firstModes are the first modes of sessions. The zero value is empty.
type firstModes struct {
	mu    sync.Mutex
	modes map[bellcord.SessionID]string
	order []bellcord.SessionID // the oldest first
}

// of returns the session's first mode, which is its current one if it has none yet.
func (f *firstModes) of(s bellcord.Session) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if first, is := f.modes[s.ID]; is {
		return first
	}
	if f.modes == nil {
		f.modes = map[bellcord.SessionID]string{}
	}
	f.modes[s.ID] = s.Mode
	if f.order = append(f.order, s.ID); len(f.order) > mostModes {
		delete(f.modes, f.order[0])
		f.order = f.order[1:]
	}
	return s.Mode
}

// noteMode adds a note if the conversation does not contain the session's
// current mode. Clearing or compacting a conversation removes the notes.
func (j *job) noteMode(ctx context.Context) error {
	messages, err := j.w.History(ctx)
	if err != nil {
		return err
	}
	noted := j.firstMode(j.w.Session)
	for _, m := range messages {
		if after, is := strings.CutPrefix(m.Text, modeNote); is && m.Role == bellcord.RoleUser {
			noted, _, _ = strings.Cut(after, "]")
		}
	}
	if noted == j.w.Session.Mode {
		return nil
	}
	return j.w.Emit(bellcord.ContextAdded{Reason: "mode", Text: modeNote + j.w.Session.Mode + "]"})
}
