//go:build unix

package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// Without the variables, git opens an editor or asks for a password, and the
// command runs until its timeout.
func TestShell_ProgramsThatAsk_FailQuickly(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := lay(t, files{"a": "1\n"})
	const repo = "git init -q . && git config user.name x && git config user.email x@y && git add a && git commit -qm one && echo 2 > a && git commit -qam two && echo 3 > a && git add a"
	if r := call(t, t.Context(), aShell(t), dir, args{"command": repo}); r.Failed {
		t.Fatal(r.Text)
	}
	for name, command := range map[string]string{
		"a commit without a message": "git commit",
		"an amended commit":          "git commit --amend",
		"an interactive rebase":      "git stash -q; git rebase -i HEAD~1",
		"input from the terminal":    "read x < /dev/tty",
		"input":                      "read x",
	} {
		begin := time.Now()
		r := call(t, t.Context(), aShell(t), dir, args{"command": command, "timeout": 60})
		if !r.Failed || !strings.Contains(r.Text, "[exit code ") || time.Since(begin) > 30*time.Second {
			t.Errorf("%s: after %v: %+v", name, time.Since(begin), r)
		}
	}
	if r := call(t, t.Context(), aShell(t), dir, args{"command": "git log --oneline | wc -l; git log"}); r.Failed || !strings.HasPrefix(strings.TrimSpace(r.Text), "2\n") {
		t.Errorf("the log: %+v", r)
	}
}

func TestShell_Result_HasNotesForTheModel(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	dir := lay(t, files{"a": "one\n", "b": "two\n", "sub/c": ""})
	for _, test := range []struct {
		name   string
		args   args
		failed bool
		want   string // a regular expression
	}{
		{"the syntax of bash", args{"command": `x=(a b); [[ ${x[1]} == b ]] && echo "${x[@]^^}"`}, false, `^A B\n$`},
		{"a directory", args{"command": "ls", "workdir": "sub"}, false, `^c\n$`},
		{"a directory outside", args{"command": "ls", "workdir": ".."}, true, `^error: workdir: \.\. is outside`},
		{"a file as the directory", args{"command": "ls", "workdir": "a"}, true, `^error: workdir: a is not a directory`},
		{"cd", args{"command": "cd sub"}, false, `^\n\[this does not last: `},
		{"cd for one command", args{"command": "cd sub && ls"}, false, `^c\n$`},
		{"export", args{"command": "export A=b"}, false, `^\n\[this does not last: `},
		{"a search without a match", args{"command": "grep zwei a"}, false, `^\n\[exit code 1: no match, or a difference\]$`},
		{"a search at the end of a pipe", args{"command": "cat a | grep zwei"}, false, `exit code 1: no match`},
		{"a difference", args{"command": "diff a b"}, false, `exit code 1: no match, or a difference\]$`},
		{"a search that fails", args{"command": "grep x none"}, true, `\[exit code 2\]$`},
		{"another command before a search", args{"command": "false && grep one a"}, true, `^\n\[exit code 1\]$`},
		{"a patch for a program", args{"command": "apply_patch <<'EOF'\n*** Begin Patch\nEOF"}, true, `\[exit code 127\]\n\[apply_patch is a tool and not a program: `},
		{"processes that are left", args{"command": "sleep 100 & sleep 100 & echo started"}, false, `^started\n\n\[2 processes that the command left running were ended; set background to keep a command running\]$`},
		{"a timeout", args{"command": "echo x; sleep 100", "timeout": 1}, true, `^x\n\n\[ended after 1s: timeout; set a longer timeout .* waited for input: a command cannot get any\]$`},
		{"a timeout in milliseconds", args{"command": "sleep 100", "timeout": 3700}, true, `\[ended after 3\.7s: timeout;`},
		{"colours", args{"command": `printf '\033[1;31mred\033[0m \033]0;title\007plain \033(Bx\n'`}, false, `^red plain x\n$`},
		{"progress", args{"command": `printf '10%%\r20%%\r100%%\ndone\r\nab\bc'`}, false, `^100%\ndone\nac$`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := call(t, t.Context(), aShell(t), dir, test.args)
			if r.Failed != test.failed || !regexp.MustCompile(test.want).MatchString(r.Text) {
				t.Errorf("%+v", r)
			}
		})
	}
	for _, timeout := range []int{-1, 3_600_001} {
		if err := aShell(t).Check(json.RawMessage(fmt.Sprintf(`{"command":"ls","timeout":%d}`, timeout))); err == nil {
			t.Errorf("a timeout of %d is accepted", timeout)
		}
	}
}

func TestShell_Workdir_IsShownAndNotAllowedByRules(t *testing.T) {
	t.Parallel()
	policy, err := permit.NewPolicy([]string{"shell(make)"}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	of := aShell(t)
	for text, want := range map[string]permit.Verdict{`{"command":"make"}`: permit.Allow, `{"command":"make","workdir":"sub"}`: permit.Put} {
		if d := policy.Decide(permit.Session{}, permit.Ask, of.Permission("/x", json.RawMessage(text))); d.Verdict != want {
			t.Errorf("%s: %+v", text, d)
		}
	}
	if got := of.Question(json.RawMessage(`{"command":"make","workdir":"sub"}`)); got != "Run in sub: `make`?" {
		t.Errorf("the question is %q", got)
	}
}

// The outputs are in Bellcord's data directory, which file tools refuse.
func TestReadFileAndGrep_OutputsOfTheSession_CanBeRead(t *testing.T) {
	t.Parallel()
	keeper, resources := ownKeeper(t)
	put(t, filepath.Join(resources.Dir, "s1", "secret.txt"), "secret\n")
	put(t, filepath.Join(resources.Dir, "store"), "secret\n")
	dir := lay(t, nil)
	tools := map[string]tool.Tool{}
	private := workspace.Private{Paths: []string{resources.Dir}}
	for _, of := range tool.KeepOut(private, tool.Builtin(keeper, resources)) {
		tools[of.Name] = of
	}
	run := func(session bellcord.SessionID, name string, a args) tool.Result {
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		return tools[name].Run(context.Background(), tool.Call{Session: session, Dir: dir, Args: text, Output: func(string) {}})
	}
	long := run("s1", "shell", args{"command": "seq 20000"})
	where := regexp.MustCompile(`the complete output is in (.*)\]`).FindStringSubmatch(long.Text)
	if where == nil {
		t.Fatalf("%.300s", long.Text)
	}
	background := run("s1", "shell", args{"command": "echo ready; sleep 100", "background": true})
	t.Cleanup(func() { resources.End("s1") })
	log := regexp.MustCompile(`output in (.*)\]`).FindStringSubmatch(background.Text)
	if log == nil {
		t.Fatal(background.Text)
	}
	if r := run("s1", "read_file", args{"path": where[1], "offset": 10000, "limit": 1}); r.Failed || !strings.HasPrefix(r.Text, "10000→10000\n[lines 10000-10000 of 20000;") {
		t.Errorf("%+v", r)
	}
	if r := run("s1", "grep", args{"path": where[1], "pattern": "^12345$"}); r.Failed || !strings.HasSuffix(r.Text, ":12345:12345\n") {
		t.Errorf("%+v", r)
	}
	if r := run("s1", "read_file", args{"path": log[1]}); r.Failed {
		t.Errorf("%+v", r)
	}
	for _, path := range []string{"s1/secret.txt", "store", "s1", "."} {
		if r := run("s1", "read_file", args{"path": filepath.Join(resources.Dir, path)}); !r.Failed || strings.Contains(r.Text, "secret\n") {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if r := run("s2", "read_file", args{"path": where[1]}); !r.Failed {
		t.Errorf("another session: %+v", r)
	}
	if r := run("s1", "edit_file", args{"path": where[1], "old": "1\n2\n", "new": "x"}); !r.Failed {
		t.Errorf("a change: %+v", r)
	}
	if err := os.Remove(where[1]); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(resources.Dir, "store"), where[1]); err != nil {
		t.Fatal(err)
	}
	if r := run("s1", "read_file", args{"path": where[1]}); !r.Failed {
		t.Errorf("a link in its place: %+v", r)
	}
}
