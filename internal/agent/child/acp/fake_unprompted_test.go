package acp_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// autonomous works without a prompt as soon as the file "go" exists. The first word
// is what it does.
func (f *fake) autonomous(what string) {
	f.awaitFile("go")
	f.mu.Lock()
	f.cancel, f.cancels = make(chan struct{}), 0
	cancel := f.cancel
	f.mu.Unlock()
	verb, rest, _ := strings.Cut(what, " ")
	switch verb {
	case "say":
		f.sendMessage("auto", rest)
	case "call":
		f.call("auto-1")
	case "ask":
		f.sendMessage("auto", f.permission(rest))
	case "run":
		f.run(rest)
	case "write":
		path, content, _ := strings.Cut(rest, " ")
		f.sendMessage("auto", f.request("fs/write_text_file", object{"path": path, "content": content}))
	case "rest": // of the turn before: nothing of it is work
		f.sendText("a rest")
		f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": "c1", "_meta": object{"terminal_exit": object{"exit_code": 0}}})
		f.update(object{"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "again", "status": "in_progress"})
		f.update(object{"sessionUpdate": "tool_call", "toolCallId": "c0", "title": "over", "status": "completed"})
		f.update(object{"sessionUpdate": "plan", "entries": []object{}})
		f.update(object{"sessionUpdate": "usage_update", "used": 5, "size": 10})
		f.update(object{"sessionUpdate": "session_info_update", "title": "a late title"})
		f.request("terminal/output", object{"terminalId": "terminal-1"})
		f.note("rested")
		return
	case "work": // until a cancel
		_ = exec.Command("sh", "-c", "(setsid sleep 300 || sleep 300) &").Start()
		f.works++
		id := fmt.Sprintf("auto-%d", f.works)
		f.update(object{"sessionUpdate": "tool_call", "toolCallId": id, "title": "work", "kind": "execute", "status": "in_progress", "rawInput": object{"command": "work"}})
		<-cancel
		if f.is("deaf") {
			return
		}
		f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "failed"})
		f.endWork()
		if f.is("stubborn") {
			f.autonomous(what)
		}
		return
	}
	f.endWork()
}

// endWork reports the end of work without a prompt in the way that the manner selects.
func (f *fake) endWork() {
	switch {
	case f.is("silent"):
	case f.is("notifies"):
		f.send(object{"method": "_session/turn_ended", "params": object{"sessionId": f.session, "stopReason": "end_turn"}})
	case f.is("idles"):
		f.update(object{"sessionUpdate": "state_update", "state": "idle"})
	default:
		f.update(object{"sessionUpdate": "usage_update", "used": 5, "size": 10, "_meta": object{"_claude/origin": object{"kind": "task-notification"}}})
	}
}

func (f *fake) sendMessage(id, text string) {
	f.update(object{"sessionUpdate": "agent_message_chunk", "messageId": id, "content": object{"type": "text", "text": text}})
}

// note creates a file for the test.
func (f *fake) note(name string) {
	if err := os.WriteFile(filepath.Join(f.dir, name), nil, 0o600); err != nil {
		panic(err)
	}
}

func (f *fake) awaitFile(name string) {
	for range time.Tick(2 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(f.dir, name)); err == nil {
			return
		}
	}
}
