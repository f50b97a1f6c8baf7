package permit_test

import (
	"slices"
	"testing"

	"github.com/bellcord/bellcord/internal/permit"
)

// everything allows every transparent command, so only opaque syntax requires
// approval.
var everything = []string{"shell(*)"}

// TestDecide_SyntaxThatShellsParseDifferently_RequiresApproval lists commands
// in which /bin/sh runs, or may run, something that the parser does not see as
// a simple command.
func TestDecide_SyntaxThatShellsParseDifferently_RequiresApproval(t *testing.T) {
	t.Parallel()
	p := policy(t, everything, nil)
	for _, command := range []string{
		"date; ((id))", "date; ((bin/evil))", "((date) | date)", "date; [[ x || sh -ef evil.sh ]]", "date; [[ a > truncated ]]", "[[ -v x ]]",
		"let x=1", "time date", "coproc date", "function f { date; }", "f() { date; }", "select x in a; do date; done", "date |& date",
		"date # comment\\\nid", "da\\\nte", "date 'a'\\\n", "echo \"a\\\nb\"", "date\r\nid", "date\rid", "date\x00id", "date\x01", "date\x7f", "\xffdate",
		"\u00a0date", "date \u00a0x", "date\u2028id", "echo \"\u4f60\\\"\"", "dat\\\u00e9",
		"date > f", "date >> f", "date >| f", "date <> f", "date < f", "date >&f", "date &> f", "date 22>/dev/null", "echo {PATH}>/dev/null", "{PATH}>/dev/null date",
		"date <<E\n$(id)\nE\n", "date <<'E'\nx\nE\n", "date <<<x", "date <(id)", "date >(id)", "> f", "2> f date", "date < /dev/tcp/127.0.0.1/1",
		"echo $(id)", "echo `id`", "echo \"$(id)\"", "echo $HOME", "echo ${x:-y}", "echo $((1))", "echo $'a'", "echo $\"a\"", "$date", "echo a$",
		"X=1 date", "X=1", "PATH=/tmp; date", "X+=1 date", "X[1]=2 date", "LD_PRELOAD=./x.so date", "IFS=x; date",
		"for PATH in /tmp; do date; done", "for x in a; do date; done", "case x in x) date;; esac",
		"eval date", ". ./x", "source x", "exec date", "command date", "builtin echo", "trap date EXIT", "alias date=id\ndate", "export PATH=/tmp", "readonly x=1",
		"unset PATH", "hash -p /tmp/x date", "enable -f x y", "read PATH", "getopts a PATH", "set -k", "set -- x", "set -o posix", "printf -v PATH x", "printf -vPATH x",
		"test -v 'a[$(id)]'", "[ -v 'a[$(id)]' ]", "mapfile -C id x", "jobs -x id", "wait -p x", "compgen -C id", "declare x=1", "typeset x", "local x",
		"env id", "/usr/bin/env id", "ENV id", "xargs id", "find . -exec id", "nohup id", "sudo id", "timeout 1 id", "busybox sh", "'sh' -c id", "s\\h x", "'if' x", "'time' id",
		"d* x", "./d? x", "[d]ate", "~/bin/x y", "%1", "-x", "a=b", "'a b' c", "'' x", "echo {a,b}", "echo {1..3}", "{date,x}", "ls [ab]*", "ls ~root", "ls a=~", "ls a:~/b",
		"", " ", "#", "date; if true", "date;;", "!", "! ! date", "{ date }", "()", "date & & date", "date && ", "date | ", "echo @(a|b)", "echo =(id)",
	} {
		if d := p.Decide(permit.Session{ID: "s"}, permit.Ask, shell(command)); d.Verdict != permit.Put {
			t.Errorf("%q: %s, want a question", command, d.Verdict)
		}
	}
}

func TestDecide_TransparentSyntax_IsAllowedByRules(t *testing.T) {
	t.Parallel()
	p := policy(t, everything, nil)
	for _, command := range []string{
		"date", "date -u; date", "date && date || date", "date | date", "(date)", "( date; date )", "{ date; date; }", "! date", "date &", "date & date",
		"if date; then date; elif date; then date; else date; fi", "while date; do date; done", "until date; do date; done",
		"date 2>&1", "date >/dev/null 2>&1", "date >>/dev/null", "date </dev/null", "date 2>&-", ">/dev/null date", "date # a comment", "# first\ndate\n",
		"git \\\n status", "git 'sta'\"tus\"", "echo \"a \\$ b\"", "echo '\u00e4 $(id)'", "echo \"\u00e4\"", "[ -f x ]", "test -f x", "set -eu; date", "printf %s x",
		"ls *.go", "ls ~", "ls ~/x", "git show HEAD~1", "git show stash@{0}", "echo a\\ b", "echo a=b", "bin/x", "/bin/x", "./x.sh", "g++ -c x", "cd x",
	} {
		if d := p.Decide(permit.Session{ID: "s"}, permit.Ask, shell(command)); d.Verdict != permit.Allow {
			t.Errorf("%q: %s, want it allowed", command, d.Verdict)
		}
	}
}

func TestDecide_RuleWithWords_MatchesWholeWordsOfCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, allowed, questioned string }{
		{`shell(rm my dir)`, `rm my dir`, `rm 'my dir'`},
		{`shell(rm my\ dir)`, `rm "my dir"`, `rm my dir`},
		{`shell(rm \*)`, `rm '*'`, `rm *`},
		{`shell(ls -d \~)`, `ls -d '~'`, `ls -d ~`},
		{`shell(rm build/*.o)`, `rm build/*.o`, `rm build/x`},
		{`shell(git log *)`, `git log`, `'git log'`},
		{`shell(rm)`, `rm 2>/dev/null`, `rm 22>/dev/null`},
	} {
		p := policy(t, []string{c.rule}, nil)
		if d := p.Decide(permit.Session{ID: "s"}, permit.Ask, shell(c.allowed)); d.Verdict != permit.Allow {
			t.Errorf("%s, %s: %s, want it allowed", c.rule, c.allowed, d.Verdict)
		}
		if d := p.Decide(permit.Session{ID: "s"}, permit.Ask, shell(c.questioned)); d.Verdict != permit.Put {
			t.Errorf("%s, %s: %s, want a question", c.rule, c.questioned, d.Verdict)
		}
	}
}

// TestDecide_DenyRule_HoldsInEverySyntax denies a command in every mode, also
// in syntax that only some shells support.
func TestDecide_DenyRule_HoldsInEverySyntax(t *testing.T) {
	t.Parallel()
	p := policy(t, everything, []string{"shell(git push *)"})
	for _, command := range []string{
		"git push", "echo <(git push)", "f() { git push; }; f", "[[ x || $(git push) ]]", "X=1 git push", "git push > f", "git   push", "for x in a; do git push; done",
		"git push &> f", "echo $(( $(git push) ))", "g\\it 'push' x", "date\r\ngit push",
	} {
		for _, mode := range slices.Backward(permit.Modes) {
			if d := p.Decide(permit.Session{ID: "s"}, mode, shell(command)); d.Verdict != permit.Deny {
				t.Errorf("%s, %q: %s, want it denied", mode, command, d.Verdict)
			}
		}
	}
}
