package permit

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator generates shell commands. Rules can allow most of them; the others
// are near misses.
type generator struct{ *rand.Rand }

// Names of stub programs. The rules of the fuzz test allow calls of the
// programs in judgedNames, and none of those in otherStubs.
var (
	judgedNames = strings.Fields("ok1 ok2 ok3 ok4 ok5 no1 ./ok6 bin/ok7")
	otherStubs  = strings.Fields("bad1 bad2 x sub y a b my dir date id [[ ]] let time function select coproc env xargs timeout nice nohup PATH X 22 2 do done fi")
	fuzzRules   = []string{
		"shell(ok1 *)", "shell(ok2)", "shell(ok2 sub *)", "shell(ok3 my\\ dir)", "shell(ok4 \\*)", "shell(ok5 *.go)", "shell(no1 *)", "shell(./ok6 *)", "shell(bin/ok7 *)",
		"shell(echo *)", "shell(cd *)", "shell(set *)", "shell(printf *)", "shell(test *)", "shell([ *)", "shell(true)", "shell(: *)",
		"shell(export *)", "shell(env *)", "shell(eval *)", "shell(read *)", "shell(alias *)", "shell(time *)", "shell(let *)", "shell(trap *)", "shell(command *)", "shell(exec *)",
	}
)

func (g generator) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g generator) chance(percent int) bool { return g.IntN(100) < percent }

// command returns a whole command line, sometimes with mutations.
func (g generator) command() string {
	text := g.list(3)
	if g.chance(10) {
		text += g.pick(" # note", "\n# note\n", " #note\\\n"+g.simple(), "\n", ";", " &")
	}
	for g.chance(18) {
		at := g.IntN(len(text) + 1)
		text = text[:at] + g.pick(";", "|", "&", "(", ")", "<", ">", "{", "}", "[", "]", "$", `"`, "'", "`", `\`, "\n", "\t", " ", "#", "!", "*", "?", "~", "=", "2", ",",
			"((", "))", "[[ ", " ]]", "\\\n", "\r", "\u00a0", "\u00e4", "\x01", "&&", ";;", "$(", ">|", "<<", "<(") + text[at:]
	}
	return text
}

func (g generator) list(depth int) string {
	text := g.pipeline(depth)
	for g.chance(35) {
		text += g.pick("; ", " && ", " || ", " & ", "\n", ";") + g.pipeline(depth)
	}
	return text
}

func (g generator) pipeline(depth int) string {
	text := ""
	if g.chance(6) {
		text = "! "
	}
	text += g.compound(depth)
	for g.chance(12) {
		text += g.pick(" | ", "|", " |\n") + g.compound(depth)
	}
	return text
}

func (g generator) compound(depth int) string {
	if depth == 0 || g.chance(72) {
		return g.simple()
	}
	l := func() string { return g.list(depth - 1) }
	never := g.pick("no1", "no1 x", "! ok1", "no1; no1")
	var text string
	switch g.IntN(17) {
	case 0, 1:
		text = "(" + l() + ")"
	case 2, 3:
		text = "{ " + l() + "; }"
	case 4, 5:
		text = "if " + l() + "; then " + l() + g.pick("", "; else "+l(), "; elif "+l()+"; then "+l()) + "; fi"
	case 6:
		text = "while " + never + "; do " + l() + "; done"
	case 7:
		text = "until ok1; do " + l() + "; done"
	case 8:
		text = "for " + g.pick("x", "PATH", "IFS") + " in " + g.word() + "; do " + l() + "; done"
	case 9:
		text = "case " + g.word() + " in " + g.word() + ") " + l() + ";; esac"
	case 10:
		text = g.pick("((", "((", "( (") + g.pick(l(), "id", "bad1", "bin/bad1", "ok1") + g.pick("))", "))", ") )")
	case 11:
		text = "[[ " + g.word() + g.pick(" || ", " && ", " > ", " < ", " = ") + g.pick(g.word(), g.simple()) + " ]]"
	case 12:
		text = g.pick("ok1", "f") + "() { " + l() + "; }"
	case 13:
		text = g.simple() + " <<" + g.pick("E", "'E'", "-E") + "\n" + g.pick("text", "$("+g.simple()+")", "`bad1`") + "\nE\n"
	case 14:
		text = g.pick("time ", "coproc ", "function f ", "let ", "select x in a; do ") + g.simple()
	case 15:
		text = g.pick("PATH=bin", "X=1", "X+=1", "X[1]=2", "IFS=o") + g.pick(" ", "; ") + g.simple()
	default:
		text = g.pick("alias ok1=bad1\n", "export PATH=bin; ", "trap bad1 EXIT; ", "eval bad1; ", "set -k; ", "unset PATH; ", "exec ", "command ", "env ", "echo x | read PATH; ") + g.simple()
	}
	return text + g.redirection(10)
}

func (g generator) simple() string {
	var text string
	switch n := g.IntN(100); {
	case n < 50:
		text = g.pick("ok1", "no1", "./ok6", "bin/ok7", "ok1", "ok1", "'ok1'", `o\k1`, `"ok1"`, "o'k'1")
	case n < 62:
		return g.pick("ok2", "ok2 sub", "ok3 'my dir'", `ok3 my\ dir`, `ok4 '*'`, `ok4 \*`, "ok5 *.go", "ok5 a.go", "ok3 my dir", "ok4 *", "ok2 x") + g.redirection(12)
	case n < 78:
		text = g.pick("echo", "cd sub", "cd", "set -e", "printf %s", "test -f", "[ x =", "true", ":")
		if strings.HasPrefix(text, "[") {
			return text + " " + g.word() + " ]" + g.redirection(8)
		}
		if text == "true" {
			return text
		}
	case n < 86:
		text = otherStubs[g.IntN(len(otherStubs))]
	default:
		text = judgedNames[g.IntN(len(judgedNames))]
	}
	for g.chance(45) {
		text += g.pick(" ", " ", " ", "  ", "\t", " \\\n") + g.word()
	}
	return text + g.redirection(14)
}

func (g generator) redirection(percent int) string {
	if !g.chance(percent) {
		return ""
	}
	if g.chance(70) {
		return g.pick(" >/dev/null", " 2>&1", " 2>/dev/null", " </dev/null", ">/dev/null", " >>/dev/null", " 2>&-", " >&2")
	}
	return g.pick(" > out", " >> out", " >| out", " <> out", " < a.go", " >&out", " &> out", " 22>/dev/null", " {PATH}>/dev/null", " <<<x", " <(bad1)", " >(bad1)", " 2>out", ">out")
}

func (g generator) word() string {
	switch n := g.IntN(100); {
	case n < 40:
		return g.pick("x", "sub", "-a", "--b=c", "my", "a.go", "HEAD~1", "stash@{0}", "1", "a:b", "./x", "..", "]", "{}", "if", "done", "!", "a=b")
	case n < 60:
		quote := g.pick("'", `"`)
		return quote + "q" + g.pick("", " z", "\u00e4", "*", ";", "&", "#") + quote
	case n < 72:
		return g.pick(`'a b'`, `"a b"`, `'$(bad1)'`, `"\$x"`, `a\ b`, `\;`, `\$x`, `'\u00e4'`, `"a;bad1"`, `'a
b'`, `""`, `''`, `"a'b"`, `a"b"'c'`, `\\`, `"\\"`, `'a'\''b'`)
	case n < 82:
		return g.pick("*", "*.go", "?", "~", "~/x", "a*", "[ab]", "~root")
	case n < 90:
		return g.pick("$X", "${X}", "${X:-bad1}", "$(bad1)", "`bad1`", `"$(bad1)"`, "$((1))", "$((X=1))", "${X:=$(bad1)}", "$@", "$$", "$'a'", `$"a"`)
	default:
		return g.pick("{a,b}", "{1..3}", "\u00e4", "a\u00a0b", "@(a|b)", "=x", "%1", "-v", "a[1]", "x\rb", fmt.Sprintf("%c", 1+g.IntN(31)), "!x")
	}
}
