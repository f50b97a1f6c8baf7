package permit

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parts is a call taken apart: for a command, the simple commands it consists
// of; else its one subject.
type parts struct {
	whole    string
	subjects []string
	opaque   bool // something in it cannot be known before it runs: no rule allows it
}

func (c Call) parts() parts {
	if c.Effect != Executes {
		return parts{whole: c.Subject, subjects: []string{c.Subject}}
	}
	return takeApart(c.Subject)
}

// takeApart lists the simple commands in a shell command, wherever they stand:
// in pipes, lists, subshells, substitutions, functions. A rule for "git status"
// must not allow "git status; rm -rf /". Redirections into files, words that
// are computed and text that is no shell are opaque.
func takeApart(command string) parts {
	p := parts{whole: command}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		p.opaque = true
		p.subjects = []string{command}
		return p
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.CallExpr:
			p.call(n)
		case *syntax.Redirect:
			p.opaque = p.opaque || writes(n)
		case *syntax.FuncDecl, *syntax.CoprocClause, *syntax.DeclClause:
			p.opaque = true
		}
		return true
	})
	if len(p.subjects) == 0 {
		p.subjects = []string{command}
		p.opaque = true
	}
	return p
}

func (p *parts) call(n *syntax.CallExpr) {
	if len(n.Assigns) > 0 { // such as PATH=… or LD_PRELOAD=… in front
		p.opaque = true
	}
	if len(n.Args) == 0 {
		return
	}
	words := make([]string, len(n.Args))
	for i, w := range n.Args {
		text, plain := literal(w)
		words[i] = text
		p.opaque = p.opaque || !plain
	}
	p.subjects = append(p.subjects, strings.Join(words, " "))
	if runsOthers(words[0]) {
		p.opaque = true
	}
}

// runsOthers names commands that run what their arguments say, so that a rule
// for the name would allow anything.
func runsOthers(name string) bool {
	switch name[strings.LastIndex(name, "/")+1:] {
	case "eval", "exec", "source", ".", "sh", "bash", "zsh", "dash", "ksh", "env", "xargs", "sudo", "su", "nohup", "setsid",
		"command", "builtin", "trap", "time", "timeout", "nice", "find", "ssh":
		return true
	}
	return false
}

// literal returns a word as it will be, and whether that is known.
func literal(w *syntax.Word) (string, bool) {
	var out strings.Builder
	plain := true
	var add func([]syntax.WordPart)
	add = func(wordParts []syntax.WordPart) {
		for _, part := range wordParts {
			switch x := part.(type) {
			case *syntax.Lit:
				out.WriteString(strings.ReplaceAll(x.Value, `\`, ""))
			case *syntax.SglQuoted:
				plain = plain && !x.Dollar
				out.WriteString(x.Value)
			case *syntax.DblQuoted:
				add(x.Parts)
			default:
				plain = false
				out.WriteString("…")
			}
		}
	}
	add(w.Parts)
	return out.String(), plain
}

// writes reports whether a redirection can change a file.
func writes(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplIn:
		return false
	case syntax.DplOut: // 2>&1
		text, plain := literal(r.Word)
		return !plain || strings.Trim(text, "0123456789-") != ""
	case syntax.RdrOut, syntax.RdrAll:
		text, plain := literal(r.Word)
		return !plain || text != "/dev/null"
	}
	return true
}
