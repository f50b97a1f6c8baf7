package child

import (
	"context"
	"time"

	"github.com/bellcord/bellcord"
)

// Try starts a process, opens a session, ends the process, and returns how long
// it took until the session was open.
func (a *Agent) Try(ctx context.Context, s bellcord.Session) (time.Duration, error) {
	began := time.Now()
	p, err := a.startProcess(dirsOf(s))
	if err != nil {
		return 0, err
	}
	h := &host{agent: a}
	a.mu.Lock()
	p.take(h, false)
	l := p.attach(h, s, "")
	a.mu.Unlock()
	go l.openSession(s, "", nil) //nolint:gosec // it ends with the process
	defer h.drop(l, nil)
	select {
	case <-l.opened:
		return time.Since(began), l.err
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}
