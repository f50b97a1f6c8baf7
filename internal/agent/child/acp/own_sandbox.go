package acp

import (
	"fmt"

	"github.com/bellcord/bellcord"
)

// warnOfMode tells the user, once for each process of the session, that the agent's
// commands fail in its mode: the agent starts a sandbox of its own for them, which
// cannot start in Bellcord's. It is text of the turn, because every front shows that,
// and because such an agent may report no call that could have a result.
func (t *turn) warnOfMode() {
	mode, works := t.settings.mode(), t.opts.SandboxedMode
	if works == "" || mode == "" || mode == works || t.warned.Swap(true) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.emit(bellcord.TextDelta{Text: fmt.Sprintf("[Bellcord: the commands of this agent fail in its mode %q. In this mode, the agent starts a sandbox of its own, which cannot start in Bellcord's sandbox. "+
		"Set its mode %q: Bellcord's sandbox confines the commands.]\n\n", mode, works)})
}
