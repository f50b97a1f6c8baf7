package acpbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bellcord/bellcord/internal/acp"
)

// errLost means that a connection ended before a response.
var errLost = errors.New("the connection was lost")

// restore makes a new connection the current one: it initializes it as the
// editor did, resumes the sessions, and sends the pending requests again. On the
// first connection there is nothing to restore.
func (b *bridge) restore(ctx context.Context, conn *link) error {
	b.mu.Lock()
	hello := b.hello
	for _, p := range b.pending {
		p.resent = p.resent || p.sent && hello != nil
	}
	open := map[string]json.RawMessage{}
	for id, s := range b.sessions {
		open[id] = b.resumption(id, s)
	}
	b.mu.Unlock()
	if hello != nil {
		if _, err := b.request(ctx, conn, acp.MethodInitialize, hello); err != nil {
			return err
		}
		for id, params := range open {
			if err := b.resume(ctx, conn, id, params); err != nil {
				return err
			}
		}
		b.withdrawLater(ctx, conn)
	}
	b.mu.Lock()
	b.conn = conn
	failed := b.resendLocked()
	b.mu.Unlock()
	for _, p := range failed {
		b.fail(p, "the connection to the server was lost before the response; the request may have been carried out")
	}
	return nil
}

// resumption returns the params of the session/resume of a session.
func (b *bridge) resumption(id string, s *session) json.RawMessage {
	params := acp.Members{"cwd": json.RawMessage(`"/"`), "mcpServers": json.RawMessage("[]")}
	for name, value := range s.params {
		if len(value) > 0 {
			params[name] = value
		}
	}
	params.Set("sessionId", id)
	meta := map[string]any{"bellcord/after": 0}
	if s.seq != "" {
		meta["bellcord/after"] = s.seq
	}
	if s.part != "" {
		meta["bellcord/part"] = s.part
	}
	b.choose(meta)
	return withMeta(params, meta)
}

// resume resumes a session. A session that no longer exists is removed.
func (b *bridge) resume(ctx context.Context, conn *link, id string, params json.RawMessage) error {
	m, err := b.request(ctx, conn, acp.MethodResumeSession, params)
	if err != nil {
		return err
	}
	if m.Error != nil {
		b.Logger.Warn("a session could not be resumed", "session", id, "err", string(m.Error))
		b.mu.Lock()
		delete(b.sessions, id)
		b.mu.Unlock()
	}
	return nil
}

// request sends a request of the bridge and waits for its response.
func (b *bridge) request(ctx context.Context, conn *link, method string, params json.RawMessage) (message, error) {
	b.mu.Lock()
	id := b.newIDLocked()
	response := make(chan message, 1)
	b.internal[string(id)] = response
	b.mu.Unlock()
	conn.send(message{ID: id, Method: method, Params: params}.encode())
	bounded, done := context.WithTimeout(ctx, resumeTime)
	defer done()
	select {
	case m, arrived := <-response:
		if !arrived {
			return m, errLost
		}
		return m, nil
	case <-bounded.Done():
		return message{}, fmt.Errorf("%s: %w", method, bounded.Err())
	}
}

// withdrawLater closes the dialogs that the server does not open again: their
// questions were answered or withdrawn in the meantime.
func (b *bridge) withdrawLater(ctx context.Context, conn *link) {
	timer := time.AfterFunc(withdrawTime, func() {
		b.mu.Lock()
		var stale []string
		for id, q := range b.asked {
			if q.conn != conn && q.answer == nil && b.conn == conn {
				stale = append(stale, id)
				delete(b.asked, id)
			}
		}
		b.mu.Unlock()
		for _, id := range stale {
			b.cancelAtEditor(id)
		}
	})
	context.AfterFunc(ctx, func() { timer.Stop() })
}

// resendLocked sends the pending requests, in order. It returns those that must
// not be sent twice and may have reached the server.
func (b *bridge) resendLocked() (failed []*pending) {
	all := b.pending
	b.pending = nil
	for i, p := range all {
		switch {
		case p.isCancel() && p.resent && promptAfter(all[i:], p.session):
			// A later prompt may be running: stop only those before the cancel.
			for _, earlier := range all[:i] {
				if earlier.isPrompt() && earlier.session == p.session {
					b.sendLocked(cancelOf(earlier.id))
				}
			}
			continue
		case p.resent && !p.isCancel() && !p.repeatable():
			failed = append(failed, p)
			continue
		}
		b.addLocked(p)
		if p.cancelled {
			b.sendLocked(cancelOf(p.id))
		}
	}
	close(b.changed)
	b.changed = make(chan struct{})
	return failed
}

func promptAfter(all []*pending, session string) bool {
	return slices.ContainsFunc(all, func(p *pending) bool { return p.isPrompt() && p.session == session })
}

func cancelOf(id json.RawMessage) []byte {
	params, _ := json.Marshal(map[string]json.RawMessage{"requestId": id}) // always encodes
	return message{Method: acp.MethodCancelRequest, Params: params}.encode()
}
