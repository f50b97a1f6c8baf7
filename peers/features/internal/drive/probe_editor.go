package drive

import (
	"fmt"
	"strings"
)

func editorProbes() []probe {
	return []probe{
		{"MCP server of the editor, stdio", func(v *Visit) Finding { return v.answered("mcp stdio", stdioServer, toolOfStdio) }},
		{"MCP server of the editor, http", func(v *Visit) Finding { return v.answered("mcp http", httpServer, toolOfHTTP) }},
		{"additional directories", additionalDirectories},
		{"files read through the editor", filesRead},
		{"files written through the editor", filesWritten},
		{"terminals of the editor", editorTerminals},
		{"terminals displayed", displayedTerminals},
	}
}

// answered checks that the model was offered the tool of an MCP server and got its result.
func (v *Visit) answered(name, server, tool string) Finding {
	if v.offered(server, tool).tool == "" {
		if tool == toolOfHTTP && !isSet(at(v.stage("initialize").result, "agentCapabilities", "mcpCapabilities", "http")) {
			return none("mcpCapabilities.http is not offered")
		}
		return no("the model was not offered the tool")
	}
	if f, is := v.tried(name); is {
		return f
	}
	for _, q := range v.stage(name).requests {
		if strings.Contains(string(q.Raw), pong(tool)) {
			return yes("the model called it and got its result")
		}
	}
	if len(v.stage(name).requests) > 0 && toolsMention(v.stage(name).requests[0].Raw, server) {
		return yes("the model was offered the server in a tool that searches for others")
	}
	return no("the model did not get its result")
}

func additionalDirectories(v *Visit) Finding {
	if !isSet(at(v.stage("initialize").result, "agentCapabilities", "sessionCapabilities", "additionalDirectories")) {
		return none("not offered")
	}
	for _, name := range []string{"greet", "hello"} {
		for _, q := range v.stage(name).requests {
			if strings.Contains(string(q.Raw), v.dir+"/more") {
				f := yes("the directory is in the request to the model")
				f.Items = []string{"in the request to the model"} // must be there behind, too
				return f
			}
		}
	}
	return yes("offered and accepted")
}

func filesRead(v *Visit) Finding {
	if f, is := v.tried("read"); is {
		return f
	}
	s := v.stage("read")
	reads := len(s.received("fs/read_text_file"))
	for _, q := range s.requests {
		if strings.Contains(string(q.Raw), unsavedText) {
			return yes("%d fs/read_text_file; the model got the unsaved text", reads)
		}
	}
	return no("%d fs/read_text_file; the model did not get the unsaved text", reads)
}

func filesWritten(v *Visit) Finding {
	if f, is := v.tried("create"); is {
		return f
	}
	written := len(v.stage("create").received("fs/write_text_file"))
	return when(written > 0, fmt.Sprintf("%d fs/write_text_file", written))
}

func editorTerminals(v *Visit) Finding {
	if f, is := v.tried("terminal"); is {
		return f
	}
	created := len(v.stage("terminal").received("terminal/create"))
	return when(created > 0, fmt.Sprintf("%d terminal/create", created))
}

// displayedTerminals checks that the editor shows the output of a command as a terminal: one that
// it runs, or one of the agent by the members of _meta that Zed reads.
func displayedTerminals(v *Visit) Finding {
	for _, name := range []string{"shell", "terminal"} {
		shown, output := false, false
		for _, u := range v.stage(name).calls() {
			for _, c := range listAt(u, "content") {
				shown = shown || textAt(c, "type") == "terminal"
			}
			output = output || hasText(at(u, "_meta", "terminal_output"), outputText) || hasText(at(u, "_meta", "terminal_output_delta"), outputText)
		}
		if shown && (output || len(v.stage(name).received("terminal/create")) > 0) {
			return yes("a terminal in the content of the call, with its output (%s)", name)
		}
	}
	return no("no terminal in a call")
}

func callProbes() []probe {
	return []probe{
		{"kinds of calls", callKinds},
		{"command shown", commandShown},
		{"output of a command", commandOutput},
		{"diff with its text", func(v *Visit) Finding { return diffIn(v, callsOf(v, "create", "change", "patch")) }},
		{"locations", func(v *Visit) Finding { return v.memberOfCalls("locations") }},
		{"later title, kind or rawInput", laterUpdates},
		{"rawInput", func(v *Visit) Finding { return v.memberOfCalls("rawInput") }},
		{"rawOutput", func(v *Visit) Finding { return v.memberOfCalls("rawOutput") }},
		{"name of the tool", func(v *Visit) Finding { return v.memberOfCalls("name") }},
		{"plan", planSeen},
		{"sub-agents", subagents},
		{"tasks in the background", tasks},
	}
}

// toolStages are the stages in which the model calls a tool.
var toolStages = []string{"shell", "create", "read", "change", "patch", "plan", "delegate", "mcp stdio", "mcp http", "question"}

func callsOf(v *Visit, names ...string) []object {
	var found []object
	for _, name := range names {
		found = append(found, v.stage(name).calls()...)
	}
	return found
}

// memberOfCalls returns the stages in which a call has a member.
func (v *Visit) memberOfCalls(member string) Finding {
	var stages []string
	for _, name := range toolStages {
		for _, u := range v.stage(name).calls() {
			if list, isList := u[member].([]any); u[member] != nil && u[member] != "" && (!isList || len(list) > 0) {
				stages = append(stages, name)
			}
		}
	}
	return all(member, stages)
}

func callKinds(v *Visit) Finding {
	var kinds []string
	for _, name := range toolStages {
		last := map[string]string{}
		for _, u := range v.stage(name).calls() {
			if kind := textAt(u, "kind"); kind != "" {
				last[textAt(u, "toolCallId")] = kind
			}
		}
		for _, kind := range last {
			if kind != "other" {
				kinds = append(kinds, name+": "+kind)
			}
		}
	}
	return all("kind", kinds)
}

func commandShown(v *Visit) Finding {
	if f, is := v.tried("shell"); is {
		return f
	}
	calls := v.stage("shell").calls()
	for _, p := range v.stage("shell").received("session/request_permission") {
		if call, is := p["toolCall"].(object); is {
			calls = append(calls, call) // editors apply it to the call
		}
	}
	for _, u := range calls {
		if strings.Contains(textAt(u, "title"), "echo") {
			return yes("title %q", textAt(u, "title"))
		}
	}
	for _, u := range calls {
		if hasText(u["rawInput"], "echo") {
			return yes("rawInput %s", encode(u["rawInput"]))
		}
	}
	return no("the command is in no title and no rawInput")
}

// commandOutput looks for the output apart from the command's own text, which contains it as well.
func commandOutput(v *Visit) Finding {
	if f, is := v.tried("shell"); is {
		return f
	}
	seen := map[string]string{} // the member that has each line
	for _, u := range v.stage("shell").calls() {
		for _, member := range []string{"content", "rawOutput", "_meta"} {
			for _, line := range []string{outputText, "second line"} {
				if hasText(u[member], line) && !hasText(u[member], "tee ran; echo") {
					seen[line] = member
				}
			}
		}
	}
	if len(seen) == 2 {
		return yes("in %s", seen[outputText])
	}
	return no("the output is in no update")
}

func diffIn(v *Visit, updates []object) Finding {
	if len(updates) == 0 {
		return none("no call that edits")
	}
	for _, u := range updates {
		for _, c := range listAt(u, "content") {
			if textAt(c, "type") == "diff" && hasText(c, newText) {
				return yes("diff of %s", strings.TrimPrefix(textAt(c, "path"), v.work+"/"))
			}
		}
	}
	return no("no diff with the text")
}

// laterUpdates returns the members that an update after the first one adds or changes.
func laterUpdates(v *Visit) Finding {
	var changed []string
	for _, name := range toolStages {
		seen := map[string]object{}
		for _, u := range v.stage(name).calls() {
			id := textAt(u, "toolCallId")
			first := seen[id]
			if first == nil {
				seen[id] = u
				continue
			}
			for _, member := range []string{"title", "kind", "rawInput"} {
				if u[member] != nil && string(encode(u[member])) != string(encode(first[member])) {
					changed = append(changed, name+": "+member)
				}
			}
		}
	}
	return all("later change of a call", changed)
}

func planSeen(v *Visit) Finding {
	if f, is := v.tried("plan"); is {
		return f
	}
	for _, u := range v.stage("plan").updates("plan", "plan_update") {
		if hasText(u, "step one") {
			return yes("%s", encode(u))
		}
	}
	return no("no plan")
}

func subagents(v *Visit) Finding {
	if f, is := v.tried("delegate"); is {
		return f
	}
	var kinds []string
	for _, u := range v.stage("delegate").updates() {
		if kind := textAt(u, "sessionUpdate"); strings.Contains(kind, "subagent") {
			kinds = append(kinds, kind)
		}
	}
	return all("subagent update", kinds)
}

func tasks(v *Visit) Finding {
	if f, is := v.tried("background"); is {
		return f
	}
	var kinds []string
	for _, u := range v.stage("background").updates() {
		if kind := textAt(u, "sessionUpdate"); strings.Contains(kind, "async_task") {
			kinds = append(kinds, kind)
		}
	}
	return all("async_task update", kinds)
}
