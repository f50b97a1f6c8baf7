package drive

import (
	"errors"
	"slices"

	"github.com/bellcord/bellcord/internal/agent/preset"
)

// errNoTool is the error of a stage that needs a tool which the agent does not have.
var errNoTool = errors.New("the agent has no such tool")

// toolUse is a call of one of the agent's tools, with arguments as JSON.
type toolUse struct{ tool, args string }

func use(tool string, args object) toolUse { return toolUse{tool, string(encode(args))} }

// Kit is what is specific to one agent: how the model calls its tools, and the files that define
// a command.
type Kit struct {
	name    string // of the preset
	program string // in the bin folder of peers/agents/install

	create   func(path, text string) toolUse
	change   func(path, before, after string) toolUse
	read     func(path string) toolUse
	plan     toolUse
	question toolUse // asks the person
	delegate toolUse // starts another agent

	command string                         // the name of a command that files define, without the slash
	builtin string                         // a command that the agent answers without its model, if files cannot define one
	files   map[string]string              // relative to the home directory
	compact string                         // the agent's command for compaction
	adjust  func(*preset.Definition) error // settings beyond those of the preset, or nil

	// define returns how the agent is started with the fake model at a URL; nil
	// for a preset.
	define func(modelURL string) (preset.Definition, error)

	// minuteFiles means that the agent names the file of a session after the
	// minute in which it made the session, and that a load in the same minute
	// empties the file.
	minuteFiles bool

	overwrites bool   // the file that it creates must exist: it reads it through the editor first
	otherModel string // the value of another model that works, or "" for the last one
}

// whichBell are the arguments of tools that ask a person. Most agents use the same form.
var whichBell = object{"questions": []object{{
	"id": "bell", "header": "Bell", "question": "Which bell?", "multiSelect": false,
	"options": []object{{"label": "big", "description": "the big one"}, {"label": "small", "description": "the small one"}},
}}}

// Named returns the kit of a built-in agent.
func Named(name string) (Kit, bool) {
	i := slices.IndexFunc(kits, func(k Kit) bool { return k.name == name })
	if i < 0 {
		return Kit{}, false
	}
	return kits[i], true
}

// Command returns the kit of any other agent. Features that need the names of its
// tools are not tried.
func Command(define func(modelURL string) (preset.Definition, error)) Kit {
	return Kit{name: "command", define: define}
}

// typed returns the command that a person types, or "" if none is known.
func (k Kit) typed() string {
	switch {
	case k.builtin != "":
		return k.builtin
	case k.command == "":
		return ""
	}
	return "/" + k.command
}

// template is the text of the command that the files define. The model receives it if the agent
// has recognized the command.
const template = "TEMPLATE-OF-HELLO [reset] [say typed]"

func writePath(tool, pathName string) func(path, text string) toolUse {
	return func(path, text string) toolUse { return use(tool, object{pathName: path, "content": text}) }
}

func readPath(tool, pathName string) func(string) toolUse {
	return func(path string) toolUse { return use(tool, object{pathName: path}) }
}

func changePath(tool, pathName, oldName, newName string) func(path, before, after string) toolUse {
	return func(path, before, after string) toolUse {
		return use(tool, object{pathName: path, oldName: before, newName: after})
	}
}

var kits = []Kit{
	{
		delegate: use("delegate", object{"instructions": "[say from a sub-agent]"}),
		read:     readPath("read", "path"),
		name:     "goose", program: "goose", compact: "/compact", command: "hello", adjust: adjustGoose,
		create: writePath("write", "path"),
		change: changePath("edit", "path", "before", "after"),
		plan:   use("todo__todo_write", object{"content": "- [ ] step one"}),
	},
	{
		name: "opencode", program: "opencode", compact: "/compact", command: "hello", adjust: adjustOpencode, otherModel: "fake/fake2",
		create:   writePath("write", "filePath"),
		change:   changePath("edit", "filePath", "oldString", "newString"),
		read:     readPath("read", "filePath"),
		plan:     use("todowrite", object{"todos": []object{{"content": "step one", "status": "in_progress", "priority": "high", "id": "1"}}}),
		delegate: use("task", object{"description": "say hi", "prompt": "[say from a sub-agent]", "subagent_type": "general"}),
	},
	{
		name: "codex", program: "codex-acp", compact: "/compact", builtin: "/status", adjust: adjustCodex,
		create: func(path, text string) toolUse {
			return use("exec_command", object{"cmd": "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: " + path + "\n+" + text + "*** End Patch\nEOF"})
		},
		question: use("request_user_input", whichBell),
		plan:     use("update_plan", object{"plan": []object{{"step": "step one", "status": "in_progress"}}}),
	},
	{
		name: "claude", program: "claude-agent-acp", compact: "/compact", command: "hello", adjust: adjustClaude,
		question: use("AskUserQuestion", whichBell),
		delegate: use("Agent", object{"description": "say hi", "prompt": "[say from a sub-agent]", "subagent_type": "general-purpose"}),
		files:    map[string]string{".claude/commands/hello.md": "---\ndescription: custom command\n---\n" + template},
		create:   writePath("Write", "file_path"),
		change:   changePath("Edit", "file_path", "old_string", "new_string"),
		read:     readPath("Read", "file_path"),
		plan:     use("TodoWrite", object{"todos": []object{{"content": "step one", "status": "in_progress", "activeForm": "step one"}}}),
	},
	{
		name: "gemini", program: "gemini", compact: "/compress", builtin: "/about", adjust: adjustGemini, overwrites: true, minuteFiles: true,
		plan:     use("write_todos", object{"todos": []object{{"description": "step one", "status": "in_progress"}}}),
		delegate: use("invoke_agent", object{"agent_name": "generalist", "prompt": "[say from a sub-agent]"}),
		files:    map[string]string{".gemini/commands/hello.toml": "description = \"custom command\"\nprompt = \"" + template + "\"\n"},
		create:   writePath("write_file", "file_path"),
		change:   changePath("replace", "file_path", "old_string", "new_string"),
		read:     readPath("read_file", "file_path"),
	},
	{
		name: "qwen", program: "qwen", compact: "/compress", command: "hello", adjust: adjustQwen,
		plan:     use("todo_write", object{"todos": []object{{"id": "1", "content": "step one", "status": "in_progress"}}}),
		question: use("ask_user_question", whichBell),
		delegate: use("agent", object{"description": "say hi", "prompt": "[say from a sub-agent]", "subagent_type": "general-purpose"}),
		files:    map[string]string{".qwen/commands/hello.md": "---\ndescription: custom command\n---\n" + template + "\n"},
		create:   writePath("write_file", "file_path"),
		change:   changePath("edit", "file_path", "old_string", "new_string"),
		read:     readPath("read_file", "file_path"),
	},
	{
		name: "kimi", program: "kimi", compact: "/compact", adjust: adjustKimi, builtin: "/status",
		plan:     use("TodoList", object{"todos": []object{{"title": "step one", "status": "in_progress"}}}),
		question: use("AskUserQuestion", whichBell),
		delegate: use("Agent", object{"description": "say hi", "prompt": "[say from a sub-agent]", "subagent_type": "coder"}),
		create:   writePath("Write", "path"),
		change:   changePath("Edit", "path", "old_string", "new_string"),
		read:     readPath("Read", "path"),
	},
	{
		name: "pi", program: "pi-1.5.0", compact: "/compact", command: "hello", adjust: adjustPi,
		files:  map[string]string{".pi/prompts/hello.md": template},
		create: writePath("write", "path"),
		read:   readPath("read", "path"),
	},
}
