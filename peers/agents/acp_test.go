//go:build linux

package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// acpTalker is a client of the Agent Client Protocol that allows everything.
type acpTalker struct {
	*child
	conn               *jsonrpc.Conn
	folder             string
	session            string
	mu                 sync.Mutex
	text               strings.Builder
	permissionRequests int
}

func newACPTalker(c *child, folder string) *acpTalker {
	a := &acpTalker{child: c, conn: jsonrpc.New(c.out, c.in), folder: folder}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = a.conn.Serve(a.handle, func() {})
	}()
	c.Cleanup(func() {
		_ = c.in.Close()
		_ = c.out.(io.Closer).Close()
		<-served
	})
	return a
}

type object = map[string]any

func (a *acpTalker) prompt(ctx context.Context, text string) string {
	a.Helper()
	if a.session == "" {
		a.open(ctx)
	}
	a.mu.Lock()
	a.text.Reset()
	a.mu.Unlock()
	var answer struct {
		StopReason string `json:"stopReason"`
	}
	a.call(ctx, "session/prompt", object{"sessionId": a.session, "prompt": []object{{"type": "text", "text": text}}}, &answer)
	if answer.StopReason != "end_turn" {
		a.Errorf("the turn ended with %q", answer.StopReason)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.String()
}

func (a *acpTalker) open(ctx context.Context) {
	a.Helper()
	var hello struct {
		ProtocolVersion int `json:"protocolVersion"`
	}
	a.call(ctx, "initialize", object{"protocolVersion": 1, "clientCapabilities": object{}}, &hello)
	if hello.ProtocolVersion != 1 {
		a.Errorf("the agent speaks version %d", hello.ProtocolVersion)
	}
	var session struct {
		SessionID string `json:"sessionId"`
	}
	a.call(ctx, "session/new", object{"cwd": a.folder, "mcpServers": []object{}}, &session)
	a.session = session.SessionID
}

func (a *acpTalker) call(ctx context.Context, method string, params, result any) {
	a.Helper()
	began := time.Now()
	defer func() { a.Logf("%s took %v", method, time.Since(began).Round(time.Millisecond)) }()
	pending := a.conn.Request(method, params)
	defer context.AfterFunc(ctx, func() { pending.Cancel() })()
	if err := pending.Wait(result); err != nil {
		a.Fatalf("%s: %v", method, errors.Join(err, context.Cause(ctx)))
	}
}

// handle is called in wire order, so all text of a turn has been handled before its answer.
func (a *acpTalker) handle(m jsonrpc.Message) {
	switch m.Method {
	case "session/update":
		a.handleUpdate(m.Params)
	case "session/request_permission":
		a.allow(m)
	default:
		if m.ID != nil {
			a.conn.ReplyError(m.ID, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "not here"})
		}
	}
}

func (a *acpTalker) handleUpdate(params json.RawMessage) {
	var p struct {
		Update struct {
			Kind    string          `json:"sessionUpdate"`
			Content json.RawMessage `json:"content"`
		} `json:"update"`
	}
	var content struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(params, &p) != nil || p.Update.Kind != "agent_message_chunk" || json.Unmarshal(p.Update.Content, &content) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text.WriteString(content.Text)
}

func (a *acpTalker) requestedPermission() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.permissionRequests > 0
}

func (a *acpTalker) allow(m jsonrpc.Message) {
	a.mu.Lock()
	a.permissionRequests++
	a.mu.Unlock()
	var p struct {
		Options []struct {
			ID   string `json:"optionId"`
			Kind string `json:"kind"`
		} `json:"options"`
	}
	_ = json.Unmarshal(m.Params, &p)
	for _, option := range p.Options {
		if option.Kind == "allow_once" {
			a.conn.Reply(m.ID, object{"outcome": object{"outcome": "selected", "optionId": option.ID}})
			return
		}
	}
	a.conn.Reply(m.ID, object{"outcome": object{"outcome": "cancelled"}})
}
