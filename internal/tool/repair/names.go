package repair

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// names maps the names that other coding agents give to their tools, in lower
// case, to the built-in tools.
var names = flat(map[string]string{
	"shell":       "shell bash sh run_shell_command shell_command execute_command run_command exec_command run_terminal_cmd run_in_terminal local_shell terminal execute_bash",
	"read_file":   "read_file read readfile view view_file cat open_file",
	"write_file":  "write_file write writefile create_file write_to_file createfile",
	"edit_file":   "edit_file edit editfile replace str_replace search_replace replace_in_file multiedit multi_edit multieditfile replace_string_in_file",
	"apply_patch": "apply_patch applypatch",
	"list_dir":    "list_dir listdir ls list list_directory list_files",
	"glob":        "glob find_files file_search findfiles",
	"grep":        "grep search ripgrep rg grep_search search_files search_file_content",
	"fetch":       "fetch webfetch web_fetch fetch_url",
})

// textEditors lists the names of tools that combine several operations. Their
// argument "command" selects one of textEditorCommands.
var (
	textEditors        = []string{"str_replace_based_edit_tool", "str_replace_editor", "text_editor"}
	textEditorCommands = map[string]string{"view": "read_file", "create": "write_file", "str_replace": "edit_file"}
)

// around matches what models write around a tool's name.
var around = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A(?:functions[.:]|functions__|default_api[.:]|tools?[.:])?([a-z_]+)(?::[0-9]+)?\z`)
})

// Tool returns the name of the tool that a call means, and its arguments.
// exists reports whether there is a tool with a name. An existing name always
// means itself. A name in no table is returned as it is.
func Tool(name string, args json.RawMessage, exists func(string) bool) (string, json.RawMessage, error) {
	if exists(name) {
		return name, args, nil
	}
	m := around().FindStringSubmatch(strings.ToLower(strings.TrimSpace(name)))
	if m == nil {
		return name, args, nil
	}
	if slices.Contains(textEditors, m[1]) {
		return textEditor(name, args)
	}
	if tool := names[m[1]]; exists(tool) {
		return tool, args, nil
	}
	return name, args, nil
}

// textEditor returns the tool for the command of a combined tool.
func textEditor(name string, args json.RawMessage) (string, json.RawMessage, error) {
	all, err := members(args)
	if err != nil {
		return name, args, nil //nolint:nilerr // the call is refused as one of an unknown tool
	}
	i := slices.IndexFunc(all, func(m member) bool { return m.key == "command" })
	if i < 0 {
		return "", nil, fmt.Errorf("arguments: command is missing; use read_file, write_file or edit_file instead of %s", name)
	}
	written, _ := text(all[i].value)
	tool, known := textEditorCommands[written]
	if !known {
		return "", nil, fmt.Errorf("%s has no command %q; use read_file, write_file or edit_file", name, written)
	}
	all = slices.Delete(all, i, i+1)
	if tool == "read_file" {
		all = viewRange(all)
	}
	return tool, object(all), nil
}

// viewRange replaces a range of lines, such as [3, 7], by offset and limit. The
// range ends with the file if its end is -1.
func viewRange(all []member) []member {
	var out []member
	for _, m := range all {
		var lines []int
		if m.key != "view_range" || json.Unmarshal(m.value, &lines) != nil || len(lines) != 2 || lines[1] != -1 && lines[1] < lines[0] {
			out = append(out, m)
			continue
		}
		out = append(out, member{"offset", marshal(lines[0])})
		if lines[1] != -1 {
			out = append(out, member{"limit", marshal(lines[1] - lines[0] + 1)})
		}
	}
	return out
}

func flat(lists map[string]string) map[string]string {
	all := map[string]string{}
	for tool, list := range lists {
		for name := range strings.FieldsSeq(list) {
			all[name] = tool
		}
	}
	return all
}
