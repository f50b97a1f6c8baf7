package repair

import (
	"encoding/json"
	"slices"
)

// shape is the part of a JSON schema that repair needs.
type shape struct {
	Type       string           `json:"type"`
	Properties map[string]shape `json:"properties"`
	Items      *shape           `json:"items"`
}

// Keys that models use for arguments of the built-in tools, from the tools of
// other coding agents. An entry for an argument that a tool does not have has
// no effect.
var (
	pathKeys = of("path", "file_path", "filePath", "filepath", "filename", "fileName", "file_name", "file", "target_file", "absolute_path", "absolutePath")
	dirKeys  = of("path", "dir_path", "dirPath", "directory", "directory_path", "dir", "folder", "target_directory", "file_path", "filePath")
	editKeys = merge(
		of("old", "old_string", "oldString", "old_text", "oldText", "old_str", "oldStr", "before", "search", "old_content"),
		of("new", "new_string", "newString", "new_text", "newText", "new_str", "newStr", "after", "replace", "replacement", "new_content"),
		of("all", "replace_all", "replaceAll", "allow_multiple", "allowMultiple", "multiple"),
	)
)

// fields maps the keys that models write to the arguments of each built-in
// tool. Tools that are not listed are not repaired.
var fields = map[string]map[string]string{
	"read_file":   merge(pathKeys, of("offset", "start_line", "startLine", "line", "start"), of("limit", "num_lines", "line_count", "max_lines", "lines")),
	"write_file":  merge(pathKeys, of("content", "contents", "file_text", "fileText", "text", "body", "code_content", "new_content")),
	"edit_file":   merge(pathKeys, editKeys, of("edits", "changes", "replacements")),
	"apply_patch": of("patch", "input", "patch_text", "patchText", "diff"),
	"list_dir":    merge(dirKeys, of("depth", "max_depth", "maxDepth")),
	"glob":        merge(dirKeys, of("pattern", "glob", "glob_pattern", "globPattern", "file_pattern")),
	"grep": merge(dirKeys, of("pattern", "query", "regex", "regexp", "search", "search_pattern"), of("glob", "include", "include_pattern", "file_pattern"),
		of("ignore_case", "ignoreCase", "case_insensitive", "caseInsensitive", "-i"), of("context", "-C"), of("max", "head_limit", "max_results", "maxResults", "limit")),
	"shell": merge(of("command", "cmd", "script"), of("background", "run_in_background", "is_background", "isBackground"),
		of("timeout", "timeout_seconds", "timeout_sec"), of("workdir", "cwd", "working_directory", "dir_path", "directory")),
	"fetch": merge(of("url", "uri", "link"), of("max_bytes", "maxBytes")),
}

// ignored lists keys that explain a call and do not change what it does.
var ignored = map[string]bool{"description": true, "explanation": true, "instruction": true, "justification": true, "reason": true}

// keyOf returns the argument that a key means, and false if the key is ignored.
// A key of the schema always means itself; an unknown key is returned as it is.
func keyOf(key string, s shape, table map[string]string) (string, bool) {
	if _, real := s.Properties[key]; real {
		return key, true
	}
	if field, ok := table[key]; ok {
		if _, real := s.Properties[field]; real {
			return field, true
		}
	}
	return key, !ignored[key]
}

// of returns a table in which every key means the argument.
func of(argument string, keys ...string) map[string]string {
	all := map[string]string{}
	for _, key := range keys {
		all[key] = argument
	}
	return all
}

func merge(tables ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, table := range tables {
		for key, argument := range table {
			all[key] = argument
		}
	}
	return all
}

// Keys returns every other key that means an argument of a tool, sorted.
func Keys(tool, argument string) []string {
	var all []string
	for key, means := range fields[tool] {
		if means == argument {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return all
}

// text returns the string in a JSON value, and false if it contains none.
func text(value json.RawMessage) (string, bool) {
	var s string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return "", false
	}
	return s, true
}
