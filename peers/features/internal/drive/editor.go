package drive

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/bellcord/bellcord/internal/jsonrpc"
	"github.com/bellcord/bellcord/proc"
)

// editor plays an editor: it allows every call, has files with unsaved text, runs commands in
// terminals, and fills in forms.
type editor struct {
	terminals bool // offer terminals; otherwise offer to display those of the agent

	keeper *proc.Keeper

	mu      sync.Mutex
	unsaved map[string]string // the text of open files by path
	open    map[string]*terminal
	opened  int
}

func newEditor(keeper *proc.Keeper, terminals bool) *editor {
	return &editor{terminals: terminals, keeper: keeper, unsaved: map[string]string{}, open: map[string]*terminal{}}
}

// capabilities returns everything that an editor can offer in version 1, and the drafts and
// extensions that agents check for.
func (e *editor) capabilities() object {
	return object{
		"fs":          object{"readTextFile": true, "writeTextFile": true},
		"terminal":    e.terminals,
		"elicitation": object{"form": object{}, "url": object{}},
		"auth":        object{"terminal": true},
		"session":     object{"notices": object{}, "compaction": object{}, "configOptions": object{"boolean": object{}}},
		"plan":        object{},
		"subagents":   object{},
		"_meta":       object{"terminal_output": !e.terminals, "terminal-auth": true},
	}
}

// setUnsaved opens a file and changes its text without saving it.
func (e *editor) setUnsaved(path, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.unsaved[path] = text
}

func (e *editor) answer(method string, params object) (any, error) {
	switch method {
	case "session/request_permission":
		return allow(params), nil
	case "fs/read_text_file":
		return e.readFile(params)
	case "fs/write_text_file":
		return object{}, e.writeFile(params)
	case "elicitation/create":
		return fillIn(params), nil
	}
	if e.terminals && strings.HasPrefix(method, "terminal/") {
		return e.terminalCall(strings.TrimPrefix(method, "terminal/"), params)
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "not supported: " + method}
}

// allow selects the option that allows a call once.
func allow(params object) object {
	options := listAt(params, "options")
	for _, kind := range []string{"allow_once", "allow_always"} {
		for _, option := range options {
			if textAt(option, "kind") == kind {
				return object{"outcome": object{"outcome": "selected", "optionId": textAt(option, "optionId")}}
			}
		}
	}
	return object{"outcome": object{"outcome": "cancelled"}}
}

func (e *editor) readFile(params object) (any, error) {
	path := textAt(params, "path")
	e.mu.Lock()
	text, isOpen := e.unsaved[path]
	e.mu.Unlock()
	if !isOpen {
		saved, err := os.ReadFile(path)
		if err != nil {
			return nil, &jsonrpc.Error{Code: -32002, Message: "Resource not found: " + path}
		}
		text = string(saved)
	}
	return object{"content": part(text, params)}, nil
}

// part returns the lines that a request asks for.
func part(text string, params object) string {
	line, _ := params["line"].(float64)
	limit, limited := params["limit"].(float64)
	if line <= 1 && !limited {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	lines = lines[min(max(int(line)-1, 0), len(lines)):]
	if limited {
		lines = lines[:min(int(limit), len(lines))]
	}
	return strings.Join(lines, "")
}

func (e *editor) writeFile(params object) error {
	path, text := textAt(params, "path"), textAt(params, "content")
	e.mu.Lock()
	if _, isOpen := e.unsaved[path]; isOpen {
		e.unsaved[path] = text
	}
	e.mu.Unlock()
	return os.WriteFile(path, []byte(text), 0o600)
}

// fillIn accepts a form with a value for each field.
func fillIn(params object) object {
	if textAt(params, "mode") == "url" {
		return object{"action": "accept"}
	}
	content := object{}
	fields, _ := at(params, "requestedSchema", "properties").(object)
	for name, field := range fields {
		content[name] = valueFor(field)
	}
	return object{"action": "accept", "content": content}
}

func valueFor(field any) any {
	if choices := listAt(field, "enum"); len(choices) > 0 {
		return choices[0]
	}
	for _, list := range []string{"oneOf", "anyOf"} {
		if choice := at(field, list, "*", "const"); choice != nil {
			return choice
		}
	}
	switch textAt(field, "type") {
	case "boolean":
		return true
	case "number", "integer":
		return 1
	case "array":
		return []any{valueFor(at(field, "items"))}
	}
	return "filled in"
}

// terminalCall serves the terminal methods.
func (e *editor) terminalCall(method string, params object) (any, error) {
	if method == "create" {
		return e.createTerminal(params), nil
	}
	e.mu.Lock()
	t := e.open[textAt(params, "terminalId")]
	e.mu.Unlock()
	if t == nil {
		return nil, &jsonrpc.Error{Code: -32002, Message: "no such terminal"}
	}
	switch method {
	case "output":
		return t.output(), nil
	case "wait_for_exit":
		return t.exit(), nil
	case "kill", "release":
		t.end()
		return object{}, nil
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "not supported: terminal/" + method}
}

func (e *editor) createTerminal(params object) object {
	args := []string{textAt(params, "command")}
	for _, arg := range listAt(params, "args") {
		args = append(args, fmt.Sprint(arg))
	}
	if len(args) == 1 {
		args = []string{"/bin/sh", "-c", args[0]} // editors accept a whole command line
	}
	var env []string
	for _, v := range listAt(params, "env") {
		env = append(env, textAt(v, "name")+"="+textAt(v, "value"))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.opened++
	id := fmt.Sprintf("editor-terminal-%d", e.opened)
	e.open[id] = startTerminal(e.keeper, proc.Command{Args: args, Dir: textAt(params, "cwd"), Env: env, Owner: "editor"})
	return object{"terminalId": id}
}

func (e *editor) closeTerminals() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range e.open {
		t.end()
	}
}
