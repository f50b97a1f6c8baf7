package acpbridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/bellcord/bellcord/internal/acp"
)

// question is a request of the server. The editor has it under the bridge's id,
// because every connection of the server counts its ids from 1.
type question struct {
	conn    *link           // that the request came on; an answer to another one is kept
	server  json.RawMessage // id at the server
	method  string
	subject string   // identifies the same question on another connection
	answer  *message // of the editor
}

// mostAnswers limits how many answered questions are kept.
const mostAnswers = 64

// fromServer processes a message of the server.
func (b *bridge) fromServer(conn *link, text []byte) {
	var m message
	if json.Unmarshal(text, &m) != nil {
		b.Logger.Warn("the server sent a message that is not JSON")
		return
	}
	switch {
	case m.Method == "":
		b.response(m, text)
	case m.Method == acp.MethodUpdate:
		b.update(m, text)
	case m.Method == acp.MethodCancelRequest:
		b.withdraw(conn, m)
	case len(m.ID) > 0:
		b.ask(conn, m)
	default:
		b.toEditor(text)
	}
}

// response passes a response to the editor, or to the bridge if it is the
// bridge's.
func (b *bridge) response(m message, text []byte) {
	b.mu.Lock()
	waiting := b.internal[string(m.ID)]
	delete(b.internal, string(m.ID))
	var p *pending
	if waiting == nil {
		if p = b.takeLocked(m.ID); p != nil && m.Error == nil {
			b.learnLocked(p, m)
		}
	}
	b.mu.Unlock()
	switch {
	case waiting != nil:
		waiting <- m // has a buffer of one
	case p != nil && p.isCancel():
	case p == nil && string(m.ID) != "null":
		b.Logger.Debug("response without a request", "id", string(m.ID))
	default:
		b.toEditor(text)
	}
}

// learnLocked records what a successful request has changed.
func (b *bridge) learnLocked(p *pending, m message) {
	open := func(id string) {
		known := b.sessions[id]
		if known == nil {
			known = &session{}
			b.sessions[id] = known
		}
		known.params = acp.Members{"cwd": p.params["cwd"], "mcpServers": p.params["mcpServers"], "additionalDirectories": p.params["additionalDirectories"]}
	}
	switch p.method {
	case acp.MethodInitialize:
		b.hello = p.params.JSON()
	case acp.MethodNewSession:
		open(sessionOf(m.Result))
	case acp.MethodLoadSession, acp.MethodResumeSession:
		open(p.session)
	case acp.MethodCloseSession, acp.MethodDeleteSession:
		delete(b.sessions, p.session)
	}
}

// update passes an update to the editor and records its position. A prompt that
// was sent again is not shown to the editor that sent it.
func (b *bridge) update(m message, text []byte) {
	var params struct {
		SessionID string `json:"sessionId"`
		Update    struct {
			Kind string `json:"sessionUpdate"`
		} `json:"update"`
		Meta struct {
			Seq  json.Number `json:"bellcord/seq"`
			Part json.Number `json:"bellcord/part"`
			Turn string      `json:"bellcord/turn"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &params) // an update without these members is passed on
	b.mu.Lock()
	if params.Meta.Seq != "" {
		known := b.sessions[params.SessionID]
		if known == nil { // the response that opens it has not arrived yet
			known = &session{}
			b.sessions[params.SessionID] = known
		}
		known.seq, known.part = params.Meta.Seq, params.Meta.Part
	}
	ours := false
	for _, p := range b.pending {
		ours = ours || p.resent && p.turn != "" && p.turn == params.Meta.Turn
	}
	b.mu.Unlock()
	if !ours || params.Update.Kind != "user_message_chunk" {
		b.toEditor(text)
	}
}

// ask passes a request of the server to the editor. If the editor already has
// the same question from a lost connection, or has answered it there, it is not
// asked twice.
func (b *bridge) ask(conn *link, m message) {
	b.mu.Lock()
	subject := subjectOf(m)
	for _, q := range b.asked {
		if q.conn == conn || q.subject != subject || subject == "" {
			continue
		}
		q.conn, q.server = conn, m.ID
		if q.answer != nil { // it may not have arrived
			q.answer.ID = m.ID
			conn.send(q.answer.encode())
		}
		b.mu.Unlock()
		return
	}
	b.lastID++
	id := strconv.Itoa(b.lastID)
	b.asked[id] = &question{conn: conn, server: m.ID, method: m.Method, subject: subject}
	b.mu.Unlock()
	m.ID = json.RawMessage(id)
	b.toEditor(m.encode())
}

// subjectOf identifies the question of a permission request.
func subjectOf(m message) string {
	var p acp.RequestPermissionRequest
	if m.Method != acp.MethodRequestPermission || json.Unmarshal(m.Params, &p) != nil || p.Meta["bellcord/question"] == nil {
		return ""
	}
	return fmt.Sprint(p.SessionID, " ", p.Meta["bellcord/turn"], " ", p.Meta["bellcord/question"])
}

// answerLocked passes the editor's answer to the server. It is kept for the case
// that the server asks again, because the connection was lost before the answer
// arrived.
func (b *bridge) answerLocked(m message) {
	q := b.asked[string(m.ID)]
	if q == nil || q.answer != nil { // withdrawn, or answered twice
		return
	}
	b.answered = append(b.answered, string(m.ID))
	if len(b.answered) > mostAnswers {
		delete(b.asked, b.answered[0])
		b.answered = b.answered[1:]
	}
	m.ID = q.server
	q.answer = &m
	if q.conn == b.conn {
		b.sendLocked(m.encode())
	}
}

// withdraw passes the withdrawal of a question to the editor.
func (b *bridge) withdraw(conn *link, m message) {
	var params acp.CancelRequestNotification
	_ = json.Unmarshal(m.Params, &params) // an invalid one matches nothing
	b.mu.Lock()
	found := ""
	for id, q := range b.asked {
		if q.conn == conn && q.answer == nil && bytes.Equal(q.server, params.RequestID) {
			found = id
			delete(b.asked, id)
		}
	}
	b.mu.Unlock()
	if found != "" {
		b.cancelAtEditor(found)
	}
}

// cancelAtEditor closes a dialog of the editor.
func (b *bridge) cancelAtEditor(id string) {
	params, _ := json.Marshal(map[string]json.RawMessage{"requestId": json.RawMessage(id)}) // a number always encodes
	b.toEditor(message{Method: acp.MethodCancelRequest, Params: params}.encode())
}
