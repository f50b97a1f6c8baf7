package acp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// turn performs the command in the first word of the prompt.
func (f *fake) turn(id json.RawMessage, text string, types []string, cancel chan struct{}) {
	verb, rest, _ := strings.Cut(text, " ")
	ended := func(reason string) { f.reply(id, object{"stopReason": reason}) }
	switch verb {
	case "say":
		f.sendText(rest)
	case "blocks":
		f.sendText(strings.Join(types, " "))
	case "reason":
		ended(rest)
		return
	case "tools":
		f.tools()
		f.reply(id, object{"stopReason": "end_turn", "usage": object{
			"totalTokens": 160, "inputTokens": 100, "outputTokens": 20, "thoughtTokens": 5, "cachedReadTokens": 30, "cachedWriteTokens": 5,
		}})
		return
	case "raw": // the rest is a list of updates
		for _, u := range updatesOf(rest) {
			f.update(u)
		}
		f.reply(id, object{"stopReason": "end_turn", "usage": object{"totalTokens": 7, "inputTokens": 5, "outputTokens": 2}, "_meta": object{"m": 1}})
		return
	case "leave":
		f.update(object{"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "never over", "kind": "execute", "status": "in_progress"})
	case "odd": // fields of the wrong type
		f.update(object{"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "odd", "status": "in_progress", "_meta": "none"})
		f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed", "locations": "none"})
	case "ask":
		f.sendText(f.permission(rest))
	case "elicit": // the rest is the params
		f.sendText(f.elicit(rest))
	case "complete": // a URL, completed by the agent
		answer := make(chan string)
		go func() { answer <- f.elicit(rest) }()
		for text := ""; text == ""; {
			select {
			case text = <-answer:
				f.sendText(text)
			case <-time.After(5 * time.Millisecond):
				f.send(object{"method": "elicitation/complete", "params": object{"elicitationId": "e1"}})
			}
		}
	case "unelicit": // and withdraw it
		f.sendText(f.withdrawn("elicitation/create", rest))
	case "relocate": // reports a location, and takes it back in the permission request
		f.update(object{"sessionUpdate": "tool_call", "toolCallId": "c9", "title": "edit", "kind": "edit", "status": "pending", "locations": []object{{"path": rest}}})
		f.sendText(f.request("session/request_permission", object{
			"toolCall": object{"toolCallId": "c9", "locations": []object{}},
			"options":  []object{{"optionId": "y", "name": "Yes", "kind": "allow_once"}, {"optionId": "n", "name": "No", "kind": "reject_once"}},
		}))
	case "withdraw":
		f.sendText(f.withdraw())
	case "read":
		f.sendText(f.request("fs/read_text_file", object{"path": rest}))
	case "write":
		path, content, _ := strings.Cut(rest, " ")
		f.sendText(f.request("fs/write_text_file", object{"path": path, "content": content}))
	case "run":
		f.run(rest)
	case "dress": // a command in another directory, with variables
		f.sendText(f.request("terminal/create", object{"command": "date", "cwd": rest, "env": []object{
			{"name": "LD_PRELOAD", "value": "/tmp/evil.so"}, {"name": "BASH_ENV", "value": "/tmp/a b"}, {"name": "GITHUB_TOKEN", "value": "hidden"},
		}}))
	case "runin":
		cwd, command, _ := strings.Cut(rest, " ")
		f.sendText(f.request("terminal/create", object{"command": command, "cwd": cwd}))
	case "failrun": // a command in a terminal that fails, and is reported as goose does
		f.failrun(rest)
	case "empty": // an update of no kind
		f.update(object{})
		f.update(object{"sessionUpdate": ""})
		f.sendText("sent")
	case "garbage":
		f.garbage()
	case "long":
		f.sendText(strings.Repeat("x", 2<<20))
	case "pid":
		f.sendText(fmt.Sprintf("%d %s", os.Getpid(), f.session))
	case "background": // a process that stays after the turn
		_ = exec.Command("sh", "-c", "exec setsid sleep "+rest+" &").Run()
	case "die":
		f.sendText("last words")
		fmt.Fprintln(os.Stderr, "out of luck")
		os.Exit(3)
	case "stream":
		f.stream(id, rest, cancel)
		return
	}
	ended("end_turn")
	if verb == "autonomous" {
		f.autonomous(rest)
	}
	if f.is("late") {
		f.sendText("TOO LATE")
		f.update(object{"sessionUpdate": "session_info_update", "title": "a late title"})
	}
	if f.is("double") {
		ended("refusal")
	}
}

// stream sends words until a cancel, and then responds according to its manner.
func (f *fake) stream(id json.RawMessage, how string, cancel chan struct{}) {
	f.begin(how)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-cancel:
			if f.is("talks") {
				cancel = nil
				continue
			}
			f.stopped(id)
			return
		case <-tick.C:
			f.sendText(fmt.Sprintf("w%d ", n))
			if cancel == nil { // after the cancel it starts more work
				f.call(fmt.Sprintf("late-%d", n))
			}
		}
	}
}

// call reports a whole tool call, from its start to its end.
func (f *fake) call(id string) {
	text := []object{{"type": "content", "content": object{"type": "text", "text": "output"}}}
	f.update(object{"sessionUpdate": "tool_call", "toolCallId": id, "title": "more", "kind": "execute", "status": "in_progress", "rawInput": object{"command": "more"}})
	f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": id, "content": text})
	f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed"})
}

// begin starts what a stream keeps open while it runs.
func (f *fake) begin(how string) {
	call := object{"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "work", "kind": "execute", "rawInput": object{"command": "work"}}
	switch how {
	case "process":
		_ = exec.Command("sh", "-c", "(setsid sleep 300 || sleep 300) &").Start()
		fallthrough
	case "tool":
		call["status"] = "in_progress"
		f.update(call)
	case "terminal":
		go f.run("echo up; sleep 301")
	case "question":
		f.update(call)
		go f.permission("execute work")
	case "form":
		go func() {
			f.elicit(`{"mode":"form","message":"Where?","requestedSchema":{"type":"object","properties":{"env":{"type":"string"}}}}`)
			f.mu.Lock()
			clear(f.waiting)
			f.mu.Unlock()
		}()
	}
}

// updatesOf returns the updates in a list.
func updatesOf(list string) (updates []object) {
	_ = json.Unmarshal([]byte(list), &updates)
	return updates
}

func (f *fake) stopped(id json.RawMessage) {
	switch {
	case f.is("deaf"):
	case f.is("finishes"):
		f.reply(id, object{"stopReason": "end_turn"})
	case f.is("breaks"):
		f.fail(id, -32603, "aborted")
	case f.is("withdraws"):
		f.fail(id, -32800, "cancelled")
	case f.is("waits"): // for the response to its permission request
		go func() {
			f.mu.Lock()
			last := f.next
			f.mu.Unlock()
			for range time.Tick(2 * time.Millisecond) {
				f.mu.Lock()
				left := len(f.waiting)
				f.mu.Unlock()
				if last > 0 && left == 0 {
					f.reply(id, object{"stopReason": "cancelled"})
					return
				}
			}
		}()
	default:
		f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed"})
		f.reply(id, object{"stopReason": "cancelled"})
	}
}

func (f *fake) tools() {
	text := func(s string) []object {
		return []object{{"type": "content", "content": object{"type": "text", "text": s}}}
	}
	f.update(object{"sessionUpdate": "agent_thought_chunk", "content": object{"type": "text", "text": "hm"}})
	f.sendText("let me see. ")
	f.update(object{"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "List files", "kind": "execute", "status": "pending"})
	f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": "c1", "rawInput": object{"command": "ls"}})
	f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "in_progress"})
	f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": "c1", "content": text("a")})
	f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": "c1", "content": text("a\nb")})
	f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed", "content": text("a\nb")})
	f.update(object{"sessionUpdate": "tool_call", "toolCallId": "c2", "title": "42: Fetch it!", "kind": "other", "status": "failed"})
	f.update(object{"sessionUpdate": "plan", "entries": []object{{"content": "one", "status": "completed"}, {"content": "two", "status": "pending"}}})
	f.update(object{"sessionUpdate": "session_info_update", "title": "a title"})
	f.update(object{"sessionUpdate": "from_the_future", "content": 5})
	f.send(object{"method": "session/update", "params": object{"sessionId": "another", "update": object{
		"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": "NOT OURS"},
	}}})
	f.sendText("done")
}

// permission requests a permission for a call of the kind that the first word
// names.
func (f *fake) permission(what string) string {
	kind, subject, _ := strings.Cut(what, " ")
	call := object{"toolCallId": "c9", "title": subject, "kind": kind, "rawInput": object{"command": subject, "path": subject}}
	answer := f.request("session/request_permission", object{"toolCall": call, "options": []object{
		{"optionId": "y!", "name": "Always", "kind": "allow_always"},
		{"optionId": "y", "name": "Yes", "kind": "allow_once"},
		{"optionId": "n", "name": "No", "kind": "reject_once"},
	}})
	f.mu.Lock()
	clear(f.waiting)
	f.mu.Unlock()
	status := "completed"
	if !strings.Contains(answer, `"y`) {
		status = "failed"
	}
	f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": "c9", "status": status})
	return answer
}

// elicit sends a question with the given params.
func (f *fake) elicit(params string) string {
	return f.request("elicitation/create", members(params))
}

// members returns the members of an object, with their values as they are
// written.
func members(text string) object {
	var raw map[string]json.RawMessage
	_ = json.Unmarshal([]byte(text), &raw)
	all := object{}
	for name, value := range raw {
		all[name] = value
	}
	return all
}

// withdrawn sends a request and cancels it until it is answered.
func (f *fake) withdrawn(method, params string) string {
	f.mu.Lock()
	next := f.next + 1
	f.mu.Unlock()
	answer := make(chan string)
	go func() { answer <- f.request(method, members(params)) }()
	for {
		select {
		case text := <-answer:
			return text
		case <-time.After(50 * time.Millisecond):
			f.send(object{"method": "$/cancel_request", "params": object{"requestId": fmt.Sprintf("ask-%d", next)}})
		}
	}
}

// withdraw waits for the end of a command and then cancels that request.
func (f *fake) withdraw() string {
	var made struct{ TerminalID string }
	_ = json.Unmarshal([]byte(f.request("terminal/create", object{"command": "sleep", "args": []string{"302"}})), &made)
	f.mu.Lock()
	next := f.next + 1
	f.mu.Unlock()
	answer := make(chan string)
	go func() { answer <- f.request("terminal/wait_for_exit", object{"terminalId": made.TerminalID}) }()
	for {
		select {
		case text := <-answer:
			return text
		case <-time.After(5 * time.Millisecond):
			f.send(object{"method": "$/cancel_request", "params": object{"requestId": fmt.Sprintf("ask-%d", next)}})
		}
	}
}

// run runs a command in a terminal of the client.
func (f *fake) run(command string) {
	var made struct{ TerminalID string }
	answer := f.request("terminal/create", object{"command": command, "outputByteLimit": 40})
	if json.Unmarshal([]byte(answer), &made) != nil {
		f.sendText(answer)
		return
	}
	name := object{"terminalId": made.TerminalID}
	exit := f.request("terminal/wait_for_exit", name)
	output := f.request("terminal/output", name)
	f.sendText(exit + output + f.request("terminal/kill", name) + f.request("terminal/release", name) + f.request("terminal/output", name))
}

// failrun runs a command in a terminal that a call shows. The end of the call
// replaces the terminal by its output.
func (f *fake) failrun(command string) {
	f.update(object{"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "shell", "kind": "execute", "rawInput": object{"command": command}, "_meta": object{"own": 1}})
	var made struct{ TerminalID string }
	_ = json.Unmarshal([]byte(f.request("terminal/create", object{"command": command})), &made)
	name := object{"terminalId": made.TerminalID}
	f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": "c1", "content": []object{{"type": "terminal", "terminalId": made.TerminalID}}})
	f.request("terminal/wait_for_exit", name)
	var told struct{ Output string }
	_ = json.Unmarshal([]byte(f.request("terminal/output", name)), &told)
	f.request("terminal/release", name)
	text := func(text string) object {
		return object{"type": "content", "content": object{"type": "text", "text": text}}
	}
	f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "failed", "content": []object{text("exit code: 3"), text(told.Output)}})
}

func (f *fake) garbage() {
	f.write(strings.Repeat("x", 65<<20) + "\n")
	f.write("Debug: starting\n\n\r\n{\"half\":\n[1,2]\nnull\n5\n{}\n")
	f.write("{\"jsonrpc\":\"2.0\",\"id\":99999,\"result\":{}}\n{\"id\":\"x\",\"error\":{\"code\":1,\"message\":\"?\"}}\n")
	f.write("{\"method\":\"session/update\"}\n{\"method\":\"session/update\",\"params\":5}\n{\"id\":null,\"method\":\"no/such\"}\n")
	f.update(object{"sessionUpdate": "tool_call"})
	f.update(object{"sessionUpdate": "tool_call_update", "toolCallId": "x", "content": 7})
	f.sendText("line\u2028separator")
	f.write("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"" + f.session +
		"\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\" crlf\"}}}}\r\n")
}
