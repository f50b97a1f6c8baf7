package permit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/nearest"
)

// Rule matches calls by tool and, in parentheses, by a pattern for the subject.
// In a pattern, * matches anything, and "git *" also matches "git" alone.
type Rule struct {
	text    string
	name    string // the tool as written
	tool    *regexp.Regexp
	subject *regexp.Regexp // for a path, a URL or arguments; nil matches any
	words   *regexp.Regexp // for a command with words separated by wordEnd; nil matches any
}

// String returns the rule as written.
func (r Rule) String() string { return r.text }

// Tool returns the rule's tool as written. It may contain a *.
func (r Rule) Tool() string { return r.name }

// ParseRule parses "tool" or "tool(pattern)".
func ParseRule(text string) (Rule, error) {
	tool, rest, bracket := strings.Cut(strings.TrimSpace(text), "(")
	if tool == "" || bracket && !strings.HasSuffix(rest, ")") {
		return Rule{}, fmt.Errorf("rule %q: write it as tool or tool(pattern)", text)
	}
	r := Rule{text: text, name: tool, tool: pattern(tool, " ")}
	if bracket {
		about := strings.TrimSuffix(rest, ")")
		r.subject, r.words = pattern(about, " "), pattern(about, wordEnd)
	}
	return r, nil
}

// Builtin lists the names of the built-in tools.
var Builtin = []string{"read_file", "write_file", "edit_file", "list_dir", "glob", "grep", "shell", "fetch", "web_search", "update_plan"}

// MCPPrefix is the prefix of the names of MCP tools: mcp_SERVER_TOOL.
const MCPPrefix = "mcp_"

// otherNames maps names that other programs use to the names of the built-in
// tools.
var otherNames = map[string]string{
	"bash": "shell", "sh": "shell", "zsh": "shell", "terminal": "shell", "exec": "shell", "execute": "shell", "run": "shell", "command": "shell", "cmd": "shell",
	"powershell": "shell", "run_command": "shell", "cat": "read_file", "view": "read_file", "write": "write_file", "create_file": "write_file",
	"edit": "edit_file", "str_replace": "edit_file", "patch": "edit_file", "apply_patch": "edit_file", "ls": "list_dir", "find": "glob", "search": "grep", "curl": "fetch", "webfetch": "fetch", "web_fetch": "fetch", "websearch": "web_search", "google": "web_search",
}

// CheckRule returns an error for a rule that cannot match any tool, because a
// misspelled deny rule would deny nothing. A name that begins with mcp_ is
// accepted: the tools of a server cannot be listed before it runs.
func CheckRule(text string) error {
	r, err := ParseRule(text)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(Builtin, r.tool.MatchString) || strings.HasPrefix(r.name, MCPPrefix) || strings.HasPrefix(MCPPrefix, strings.TrimSuffix(r.name, "*")) && strings.HasSuffix(r.name, "*") {
		return nil
	}
	suggestion := otherNames[strings.ToLower(r.name)]
	if suggestion == "" {
		suggestion = nearest.Name(r.name, Builtin)
	}
	if suggestion != "" {
		return fmt.Errorf("rule %q: unknown tool %s (did you mean %s?)", text, r.name, suggestion)
	}
	return fmt.Errorf("rule %q: unknown tool %s; the tools are %s, and mcp_SERVER_TOOL", text, r.name, strings.Join(Builtin, ", "))
}

// pattern compiles a pattern: * matches anything, and \* a literal star. A
// space matches blank, the separator of words, and "\ " a space within a word.
func pattern(p, blank string) *regexp.Regexp {
	var out strings.Builder
	out.WriteString(`(?s)\A`)
	tail := ""
	if head, ok := strings.CutSuffix(p, " *"); ok && !strings.HasSuffix(p, `\ *`) {
		p, tail = head, `(`+blank+`.*)?`
	}
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '\\' && i+1 < len(p):
			i++
			out.WriteString(regexp.QuoteMeta(p[i : i+1]))
		case p[i] == '*':
			out.WriteString(`.*`)
		case p[i] == ' ':
			out.WriteString(blank)
		default:
			out.WriteString(regexp.QuoteMeta(p[i : i+1]))
		}
	}
	out.WriteString(tail + `\z`)
	return regexp.MustCompile(out.String()) // every piece is quoted, so it always compiles
}

// allows reports whether the rule allows a part of a call.
func (r Rule) allows(c Call, part string) bool {
	about := r.subject
	if c.Effect == Executes {
		about = r.words
	}
	return r.tool.MatchString(c.Tool) && (about == nil || about.MatchString(part))
}

// denies reports whether the rule denies a call: it is enough that it matches
// one part, or the whole text as written.
func (r Rule) denies(c Call, p parts) bool {
	return r.tool.MatchString(c.Tool) && (r.subject == nil ||
		slices.ContainsFunc(p.loose, r.subject.MatchString) || slices.ContainsFunc(p.subjects, r.words.MatchString))
}
