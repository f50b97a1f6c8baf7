package acp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// hostedDir is the variable that makes the test binary act as a hosted agent.
// Its value is the directory where the agent records what it receives, or
// asCommand.
const (
	hostedDir = "BELLCORD_TEST_HOSTED_AGENT"
	asCommand = "as the command of the agent's terminal"
)

// TestMain also runs the hosted agent and its command, when the test binary starts itself
// as one of them.
func TestMain(m *testing.M) {
	switch dir := os.Getenv(hostedDir); dir {
	case "":
		os.Exit(m.Run())
	case asCommand:
		fmt.Println("terminal-mark")
	default:
		a := &capableAgent{dir: dir, conn: jsonrpc.New(os.Stdin, os.Stdout), cancelled: make(chan struct{})}
		_ = a.conn.Serve(a.handle, func() {})
	}
}

// capableAgent is an ACP agent that uses everything that its client offers, as
// real agents do: a file, a terminal, a form and a permission.
type capableAgent struct {
	dir  string
	conn *jsonrpc.Conn

	can struct {
		FS struct{ ReadTextFile, WriteTextFile bool }

		Terminal    bool
		Elicitation struct{ Form *obj }
	}

	once      sync.Once
	cancelled chan struct{}
}

func (a *capableAgent) handle(m jsonrpc.Message) {
	if m.Method == "initialize" || m.Method == "authenticate" || m.Method == "session/new" || m.Method == "session/prompt" {
		name := filepath.Join(a.dir, strings.ReplaceAll(m.Method, "/", "-"))
		if err := os.WriteFile(name, m.Params, 0o600); err != nil {
			panic(err)
		}
	}
	switch m.Method {
	case "initialize":
		var p struct{ ClientCapabilities json.RawMessage }
		_ = json.Unmarshal(m.Params, &p)
		_ = json.Unmarshal(p.ClientCapabilities, &a.can)
		a.conn.Reply(m.ID, obj{
			"protocolVersion": 1, "agentInfo": obj{"name": "capable", "version": "1"}, "authMethods": []obj{{"id": "login", "name": "Log in"}},
			"agentCapabilities": obj{"loadSession": true, "promptCapabilities": obj{"image": true, "embeddedContext": true}, "mcpCapabilities": obj{"http": true}},
		})
	case "authenticate":
		a.conn.Reply(m.ID, nil)
	case "session/new", "session/load", "session/resume":
		a.conn.Reply(m.ID, obj{"sessionId": "own"})
	case "session/prompt":
		go a.turn(m)
	case "session/cancel":
		a.once.Do(func() { close(a.cancelled) })
	default:
		if m.IsRequest() {
			a.conn.Reply(m.ID, obj{})
		}
	}
}

// turn runs until it is cancelled if the prompt contains WAIT.
func (a *capableAgent) turn(m jsonrpc.Message) {
	if strings.Contains(string(m.Params), "WAIT") {
		a.permission("wait")
		<-a.cancelled
		a.conn.Reply(m.ID, obj{"stopReason": "cancelled"})
		return
	}
	var p struct{ Cwd string }
	opened, _ := os.ReadFile(filepath.Join(a.dir, "session-new"))
	_ = json.Unmarshal(opened, &p)
	a.say("answer " + a.permission("work"))
	if a.can.FS.WriteTextFile {
		path := filepath.Join(p.Cwd, "made.txt")
		a.say(" wrote " + a.request("fs/write_text_file", obj{"path": path, "content": "made\n"}))
		a.say(" read " + a.request("fs/read_text_file", obj{"path": path}))
	}
	if a.can.Terminal {
		a.runInTerminal()
	}
	if a.can.Elicitation.Form != nil {
		a.say(" form " + a.request("elicitation/create", obj{
			"mode": "form", "message": "Which?",
			"requestedSchema": obj{"type": "object", "properties": obj{"env": obj{"type": "string", "enum": []string{"dev", "prod"}}}, "required": []string{"env"}},
		}))
	}
	a.conn.Reply(m.ID, obj{"stopReason": "end_turn"})
}

func (a *capableAgent) runInTerminal() {
	var made struct{ TerminalID string }
	_ = json.Unmarshal([]byte(a.request("terminal/create", obj{"command": os.Args[0], "env": []obj{{"name": hostedDir, "value": asCommand}}})), &made)
	a.update(obj{
		"sessionUpdate": "tool_call", "toolCallId": "run", "title": "echo", "kind": "execute", "status": "in_progress",
		"content": []obj{{"type": "terminal", "terminalId": made.TerminalID}},
	})
	a.request("terminal/wait_for_exit", obj{"terminalId": made.TerminalID})
	a.request("terminal/output", obj{"terminalId": made.TerminalID})
	a.update(obj{"sessionUpdate": "tool_call_update", "toolCallId": "run", "status": "completed"})
	a.request("terminal/release", obj{"terminalId": made.TerminalID})
}

// permission requests one for a new call, ends the call, and returns the outcome.
func (a *capableAgent) permission(call string) string {
	a.update(obj{"sessionUpdate": "tool_call", "toolCallId": call, "title": "Do " + call, "kind": "edit", "status": "pending"})
	outcome := a.request("session/request_permission", obj{
		"toolCall": obj{"toolCallId": call, "title": "Do " + call, "kind": "edit"},
		"options":  []obj{{"optionId": "y", "name": "Yes", "kind": "allow_once"}, {"optionId": "n", "name": "No", "kind": "reject_once"}},
	})
	a.update(obj{"sessionUpdate": "tool_call_update", "toolCallId": call, "status": "completed"})
	return outcome
}

func (a *capableAgent) request(method string, params obj) string {
	params["sessionId"] = "own"
	var result json.RawMessage
	if err := a.conn.Request(method, params).Wait(&result); err != nil {
		return fmt.Sprintf("error: %v", err)
	}
	return string(result)
}

func (a *capableAgent) say(text string) {
	a.update(obj{"sessionUpdate": "agent_message_chunk", "content": obj{"type": "text", "text": text}})
}

func (a *capableAgent) update(update obj) {
	a.conn.Notify("session/update", obj{"sessionId": "own", "update": update})
}
