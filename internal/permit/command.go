package permit

import (
	"regexp"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// parts is a call split up for matching: the simple commands of a shell
// command, or the subject of any other call.
type parts struct {
	// subjects lists what rules must allow, each one separately. The words of a
	// command are separated by wordEnd.
	subjects []string
	// loose lists the texts that deny rules are matched against. It may include
	// commands that the shell would not run.
	loose  []string
	opaque bool // part of the command cannot be determined before it runs: no rule allows it
}

// Separators in subjects. A command that contains control characters is opaque,
// so neither can occur in a command.
const (
	wordEnd = "\x1f" // between two words
	expands = "\x01" // replaces an unquoted *, ? or ~; only a * in a rule matches it
)

func (c Call) parts() parts {
	if c.Effect != Executes {
		return parts{subjects: []string{c.Subject}, loose: append([]string{c.Subject}, c.Other...)}
	}
	p := takeApart(c.Subject, runtime.GOOS)
	p.loose = append(p.loose, c.Subject)
	for _, variant := range []syntax.LangVariant{syntax.LangPOSIX, syntax.LangBash} {
		p.loose = append(p.loose, everyCommand(c.Subject, variant)...)
	}
	return p
}

// takeApart lists the simple commands of a command line, so that a rule for
// "git status" does not allow "git status; rm -rf /".
//
// The line is parsed as POSIX shell, because sh or bash runs it, and only syntax
// that dash, bash and busybox parse the same way is transparent. All other
// syntax is opaque, including any kind of node that judge.stmt does not list.
func takeApart(command, system string) parts {
	if !readAlike(command) || system == "windows" && !plainWindows().MatchString(command) {
		return parts{opaque: true}
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(command), "")
	if err != nil {
		return parts{opaque: true}
	}
	var j judge
	j.stmts(file.Stmts)
	return parts{subjects: j.subjects, opaque: j.opaque || len(j.subjects) == 0}
}

// readAlike reports whether all shells agree on where the text's characters
// begin and which of them are blanks. A backslash at the end of a line is
// accepted only after a blank, and only if the text contains no #: the parser
// joins a comment with the next line, shells do not.
func readAlike(command string) bool {
	if !utf8.ValidString(command) {
		return false
	}
	for _, r := range command {
		if r < ' ' && r != '\t' && r != '\n' || r == 0x7f {
			return false
		}
	}
	for rest := command; ; {
		before, after, found := strings.Cut(rest, "\\\n")
		switch {
		case !found:
			return true
		case strings.Contains(command, "#") || !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "\t"):
			return false
		}
		rest = after
	}
}

// plainWindows matches commands that cmd.exe splits into the same words as the
// parser. cmd.exe interprets quotes and operators differently.
var plainWindows = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[A-Za-z0-9_./:+ -]+\z`) })

// judge collects the simple commands of transparent syntax.
type judge struct {
	subjects []string
	opaque   bool
}

func (j *judge) stmts(all []*syntax.Stmt) {
	for _, s := range all {
		j.stmt(s)
	}
}

func (j *judge) stmt(s *syntax.Stmt) {
	if s.Coprocess || s.Disown {
		j.opaque = true
	}
	for _, r := range s.Redirs {
		j.opaque = j.opaque || !harmless(r)
	}
	switch n := s.Cmd.(type) {
	case nil: // only redirections
	case *syntax.CallExpr:
		j.judgeCall(n)
	case *syntax.BinaryCmd:
		j.opaque = j.opaque || n.Op != syntax.AndStmt && n.Op != syntax.OrStmt && n.Op != syntax.Pipe
		j.stmt(n.X)
		j.stmt(n.Y)
	case *syntax.Block:
		j.stmts(n.Stmts)
	case *syntax.Subshell:
		// bash parses "((" as arithmetic.
		j.opaque = j.opaque || len(n.Stmts) == 0 || n.Stmts[0].Pos().Offset() == n.Lparen.Offset()+1 && beginsSubshell(n.Stmts[0])
		j.stmts(n.Stmts)
	case *syntax.IfClause:
		j.ifClause(n)
	case *syntax.WhileClause: // also until
		j.stmts(n.Cond)
		j.stmts(n.Do)
	default: // includes for and case: a loop assigns a variable, which may be PATH
		j.opaque = true
	}
}

// beginsSubshell reports whether a statement begins with a parenthesis.
func beginsSubshell(s *syntax.Stmt) bool {
	switch n := s.Cmd.(type) {
	case *syntax.Subshell:
		return true
	case *syntax.BinaryCmd:
		return beginsSubshell(n.X)
	}
	return false
}

func (j *judge) ifClause(n *syntax.IfClause) {
	j.stmts(n.Cond)
	j.stmts(n.Then)
	if n.Else != nil {
		j.ifClause(n.Else)
	}
}

// commandName matches a name that every shell takes for a program or a builtin,
// and never for an assignment, a pattern or a job.
var commandName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[A-Za-z0-9_./][A-Za-z0-9_./:@,+-]*\z`) })

func (j *judge) judgeCall(n *syntax.CallExpr) {
	if len(n.Assigns) > 0 || len(n.Args) == 0 { // such as PATH=… or LD_PRELOAD=…
		j.opaque = true
		return
	}
	words := make([]string, len(n.Args))
	for i, w := range n.Args {
		text, known := word(w)
		words[i] = text
		j.opaque = j.opaque || !known
	}
	j.subjects = append(j.subjects, strings.Join(words, wordEnd))
	if words[0] != "[" && !commandName().MatchString(words[0]) || runsOthers(words) {
		j.opaque = true
	}
}

// harmless reports whether a redirection opens no file other than /dev/null. A
// rule allows a command, not the files it is redirected to.
func harmless(r *syntax.Redirect) bool {
	if r.N != nil && !oneDigit(r.N.Value) {
		return false // dash parses 22> as the word 22 and a redirection
	}
	target, known := word(r.Word)
	if !known {
		return false
	}
	switch r.Op {
	case syntax.DplIn, syntax.DplOut: // 2>&1
		return target == "-" || oneDigit(target)
	case syntax.RdrIn, syntax.RdrOut, syntax.AppOut:
		return target == "/dev/null"
	}
	return false
}

func oneDigit(s string) bool { return len(s) == 1 && s[0] >= '0' && s[0] <= '9' }

// everyCommand lists all simple commands in a line for deny rules, including
// those in substitutions and functions. Computed words are replaced by "…".
func everyCommand(command string, variant syntax.LangVariant) []string {
	file, err := syntax.NewParser(syntax.Variant(variant)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	var all []string
	syntax.Walk(file, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			words := make([]string, len(call.Args))
			for i, w := range call.Args {
				words[i] = looseWord(w)
			}
			all = append(all, strings.Join(words, " "))
		}
		return true
	})
	return all
}
