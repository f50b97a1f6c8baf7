package permit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/nearest"
)

// Rule names calls: a tool, and, in brackets, a pattern for its subject. In the
// pattern * stands for anything, and "git *" covers "git" alone too.
type Rule struct {
	text    string
	name    string // of the tool, as it is written
	tool    *regexp.Regexp
	subject *regexp.Regexp // for a path, an address, arguments; nil: any
	words   *regexp.Regexp // for a command, whose words are separated by wordEnd; nil: any
}

func (r Rule) String() string { return r.text }

// Tool is the rule's tool as it is written, which may have a * in it.
func (r Rule) Tool() string { return r.name }

// ParseRule reads "tool" or "tool(pattern)".
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

// Builtin are the names of the built-in tools, which rules can name.
var Builtin = []string{"read_file", "write_file", "edit_file", "list_dir", "glob", "grep", "shell", "fetch"}

// MCPPrefix is how the names of MCP tools begin: mcp_SERVER_TOOL.
const MCPPrefix = "mcp_"

// otherNames are what other programs call our tools.
var otherNames = map[string]string{
	"bash": "shell", "sh": "shell", "zsh": "shell", "terminal": "shell", "exec": "shell", "execute": "shell", "run": "shell", "command": "shell", "cmd": "shell",
	"powershell": "shell", "run_command": "shell", "cat": "read_file", "view": "read_file", "write": "write_file", "create_file": "write_file",
	"edit": "edit_file", "str_replace": "edit_file", "patch": "edit_file", "ls": "list_dir", "find": "glob", "search": "grep", "curl": "fetch", "webfetch": "fetch", "web_fetch": "fetch",
}

// CheckRule returns an error for a rule that can match no tool: a misspelt rule
// that denies would deny nothing. A name that begins with mcp_ is accepted,
// because the tools of a server are not known before it runs.
func CheckRule(text string) error {
	r, err := ParseRule(text)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(Builtin, r.tool.MatchString) || strings.HasPrefix(r.name, MCPPrefix) || strings.HasPrefix(MCPPrefix, strings.TrimSuffix(r.name, "*")) && strings.HasSuffix(r.name, "*") {
		return nil
	}
	meant := otherNames[strings.ToLower(r.name)]
	if meant == "" {
		meant = nearest.Name(r.name, Builtin)
	}
	if meant != "" {
		return fmt.Errorf("rule %q: unknown tool %s (did you mean %s?)", text, r.name, meant)
	}
	return fmt.Errorf("rule %q: unknown tool %s; the tools are %s, and mcp_SERVER_TOOL", text, r.name, strings.Join(Builtin, ", "))
}

// pattern turns * into anything; \* is a star. A blank stands for what
// separates words, "\ " for a blank in a word.
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
	return regexp.MustCompile(out.String()) // quoted piece by piece: it always compiles
}

// allows reports whether the rule allows a part of a call.
func (r Rule) allows(c Call, part string) bool {
	about := r.subject
	if c.Effect == Executes {
		about = r.words
	}
	return r.tool.MatchString(c.Tool) && (about == nil || about.MatchString(part))
}

// denies reports whether the rule denies a call: one part of it is enough, and
// so is the whole as it was written.
func (r Rule) denies(c Call, p parts) bool {
	return r.tool.MatchString(c.Tool) && (r.subject == nil ||
		slices.ContainsFunc(p.loose, r.subject.MatchString) || slices.ContainsFunc(p.subjects, r.words.MatchString))
}
