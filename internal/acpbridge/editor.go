package acpbridge

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// pending is a request of the editor, or a cancel, that has no response yet.
type pending struct {
	id        json.RawMessage
	method    string
	session   string
	turn      string // of a prompt
	text      []byte // as it is sent
	command   bool   // a prompt that is a slash command
	params    acp.Members
	cancelled bool // the editor has sent $/cancel_request
	sent      bool // on some connection
	resent    bool // its connection was lost
}

func (p *pending) isPrompt() bool { return p.method == acp.MethodPrompt }
func (p *pending) isCancel() bool { return p.method == acp.MethodCancel }

// repeatable reports whether a request may be sent twice.
func (p *pending) repeatable() bool {
	switch p.method {
	case acp.MethodPrompt:
		return !p.command
	case acp.MethodInitialize, acp.MethodAuthenticate, acp.MethodListSessions, acp.MethodSetMode, acp.MethodSetConfigOption, acp.MethodCloseSession, acp.MethodDeleteSession:
		return true
	}
	return false
}

// fromEditor processes a line of the editor. It is queued for the connection right
// away; without a connection, requests and cancels wait for the next one.
func (b *bridge) fromEditor(line []byte) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		b.toEditor(message{ID: json.RawMessage("null"), Error: failure(-32700, "parse error: "+err.Error())}.encode())
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case m.Method == "":
		b.answerLocked(m)
	case m.Method == acp.MethodCancel:
		b.cancelLocked(sessionOf(m.Params))
	case m.Method == acp.MethodCancelRequest:
		b.cancelRequestLocked(m)
	case len(m.ID) == 0:
		b.sendLocked(m.encode()) // another notification; it is lost without a connection
	default:
		b.addLocked(b.newPending(m))
	}
}

// addLocked sends a request, now or on the next connection.
func (b *bridge) addLocked(p *pending) {
	b.pending = append(b.pending, p)
	p.sent = p.sent || b.conn != nil
	b.sendLocked(p.text)
}

// sendLocked queues a message if there is a connection.
func (b *bridge) sendLocked(text []byte) {
	if b.conn != nil {
		b.conn.send(text)
	}
}

// newPending returns a request with the bridge's additions to its _meta.
func (b *bridge) newPending(m message) *pending {
	p := &pending{id: m.ID, method: m.Method, session: sessionOf(m.Params), params: acp.MembersOf(m.Params)}
	extra := map[string]any{}
	switch m.Method {
	case acp.MethodInitialize: // the bridge restores sessions of version 1 only
		if _, has := p.params["protocolVersion"]; has {
			p.params.Set("protocolVersion", acp.Version)
			m.Params = p.params.JSON()
		}
	case acp.MethodNewSession, acp.MethodLoadSession, acp.MethodResumeSession:
		if b.Workspace { // the editor's directories do not exist on the server
			extra["bellcord/workspace"] = true
			delete(p.params, "additionalDirectories")
		}
		b.choose(extra)
	case acp.MethodPrompt:
		_ = json.Unmarshal(acp.MembersOf(p.params["_meta"])["bellcord/turn"], &p.turn) // absent, or the server refuses it
		if p.command = isCommand(p.params["prompt"]); p.turn == "" && !p.command {
			p.turn = string(bellcord.NewTurnID())
			extra["bellcord/turn"] = p.turn
		}
	}
	if len(extra) > 0 {
		m.Params = withMeta(p.params, extra)
	}
	p.text = m.encode()
	return p
}

func (b *bridge) choose(meta map[string]any) {
	if b.StopOnDisconnect {
		meta["bellcord/onDisconnect"] = "stop"
	}
}

// prompting returns the sessions with prompts that are not answered.
func (b *bridge) prompting() (ids []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.pending {
		if p.isPrompt() && !slices.Contains(ids, p.session) {
			ids = append(ids, p.session)
		}
	}
	return ids
}

func (b *bridge) cancel(session string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cancelLocked(session)
}

// cancelLocked sends a session/cancel as a request: its response confirms that
// it has arrived. Until then it is pending.
func (b *bridge) cancelLocked(session string) {
	id := b.newIDLocked()
	params, _ := json.Marshal(map[string]string{"sessionId": session}) // a string always encodes
	b.addLocked(&pending{id: id, method: acp.MethodCancel, session: session, text: message{ID: id, Method: acp.MethodCancel, Params: params}.encode()})
}

// cancelRequestLocked passes on the cancel of one request.
func (b *bridge) cancelRequestLocked(m message) {
	var params acp.CancelRequestNotification
	_ = json.Unmarshal(m.Params, &params) // the server reports invalid ones
	for _, p := range b.pending {
		p.cancelled = p.cancelled || bytes.Equal(p.id, params.RequestID)
	}
	b.sendLocked(m.encode())
}

// takeLocked removes the request of a response.
func (b *bridge) takeLocked(id json.RawMessage) *pending {
	i := slices.IndexFunc(b.pending, func(p *pending) bool { return bytes.Equal(p.id, id) })
	if i < 0 {
		return nil
	}
	p := b.pending[i]
	b.pending = slices.Delete(b.pending, i, i+1)
	close(b.changed)
	b.changed = make(chan struct{})
	return p
}

// failPending answers all requests with an error.
func (b *bridge) failPending(err error) {
	b.mu.Lock()
	all := b.pending
	b.pending = nil
	b.mu.Unlock()
	for _, p := range all {
		b.fail(p, err.Error())
	}
}

// fail answers a request with an error. A cancel of the bridge has no response.
func (b *bridge) fail(p *pending, text string) {
	if !p.isCancel() {
		b.toEditor(message{ID: p.id, Error: failure(-32603, text)}.encode())
	}
}

func failure(code int, text string) json.RawMessage {
	encoded, _ := json.Marshal(map[string]any{"code": code, "message": text}) // always encodes
	return encoded
}

func sessionOf(params json.RawMessage) string {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	_ = json.Unmarshal(params, &p) // the server reports invalid params
	return p.SessionID
}

// withMeta returns params with additional members of _meta.
func withMeta(params acp.Members, extra map[string]any) json.RawMessage {
	all, meta := maps.Clone(params), acp.MembersOf(params["_meta"])
	for name, value := range extra {
		meta.Set(name, value)
	}
	all.Set("_meta", meta)
	return all.JSON()
}

// isCommand reports whether a prompt may be a slash command. Commands are not
// turns, so they are not sent twice.
func isCommand(prompt json.RawMessage) bool {
	var blocks []acp.ContentBlock
	if json.Unmarshal(prompt, &blocks) != nil || len(blocks) == 0 || blocks[0].Text == nil {
		return false
	}
	return strings.HasPrefix(*blocks[0].Text, "/") && !strings.HasPrefix(*blocks[0].Text, "//")
}
