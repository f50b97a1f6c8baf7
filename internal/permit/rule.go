package permit

import (
	"fmt"
	"regexp"
	"strings"
)

// Rule names calls: a tool, and, in brackets, a pattern for its subject. In the
// pattern * stands for anything, and "git *" covers "git" alone too.
type Rule struct {
	text    string
	tool    *regexp.Regexp
	subject *regexp.Regexp // nil: any
}

func (r Rule) String() string { return r.text }

// ParseRule reads "tool" or "tool(pattern)".
func ParseRule(text string) (Rule, error) {
	tool, rest, bracket := strings.Cut(strings.TrimSpace(text), "(")
	if tool == "" || bracket && !strings.HasSuffix(rest, ")") {
		return Rule{}, fmt.Errorf("rule %q: it is written tool or tool(pattern)", text)
	}
	r := Rule{text: text, tool: pattern(tool)}
	if bracket {
		r.subject = pattern(strings.TrimSuffix(rest, ")"))
	}
	return r, nil
}

// pattern turns * into anything; \* is a star.
func pattern(p string) *regexp.Regexp {
	var out strings.Builder
	out.WriteString(`(?s)\A`)
	tail := ""
	if head, ok := strings.CutSuffix(p, " *"); ok && !strings.HasSuffix(p, `\ *`) {
		p, tail = head, `( .*)?`
	}
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '\\' && i+1 < len(p):
			i++
			out.WriteString(regexp.QuoteMeta(p[i : i+1]))
		case p[i] == '*':
			out.WriteString(`.*`)
		default:
			out.WriteString(regexp.QuoteMeta(p[i : i+1]))
		}
	}
	out.WriteString(tail + `\z`)
	return regexp.MustCompile(out.String()) // quoted piece by piece: it always compiles
}

// exactly is the rule for one subject and no other.
func exactly(tool, subject string) Rule {
	escape := strings.NewReplacer(`\`, `\\`, `*`, `\*`)
	text := escape.Replace(tool) + "(" + escape.Replace(subject) + ")"
	return Rule{text: text, tool: pattern(escape.Replace(tool)), subject: pattern(escape.Replace(subject))}
}

func (r Rule) matches(tool, subject string) bool {
	return r.tool.MatchString(tool) && (r.subject == nil || r.subject.MatchString(subject))
}

// matchesAny is for deny: one part is enough, and so is the whole as written.
func (r Rule) matchesAny(tool string, p parts) bool {
	if r.matches(tool, p.whole) {
		return true
	}
	for _, s := range p.subjects {
		if r.matches(tool, s) {
			return true
		}
	}
	return false
}
