package react

import (
	"context"
	"strings"

	"github.com/bellcord/bellcord"
)

// modeNote begins the note about a new permission mode. The mode follows it.
const modeNote = "[Bellcord: the permission mode is now "

// firstMode returns the mode that a session had when this process ran its first
// turn. The system prompt contains it. A note contains a later mode, because
// a changed system prompt would invalidate the model's cache.
func (a *Agent) firstMode(s bellcord.Session) string {
	first, _ := a.modes.LoadOrStore(s.ID, s.Mode)
	mode, _ := first.(string)
	return mode
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
