package permit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

var (
	fuzzCommands = flag.Int("commands", 200, "how many commands TestFuzzVerdict generates")
	fuzzSeed     = flag.Uint64("seed", 0, "of the generator; 0 for one by chance")
)

const runnerEnv = "BELLCORD_FUZZ_RUNNER"

// TestMain also serves as the program that runs the allowed commands under
// strace.
func TestMain(m *testing.M) {
	if file := os.Getenv(runnerEnv); file != "" {
		runCommands(file)
		return
	}
	os.Exit(m.Run())
}

// runCommands runs the commands one after the other, each as the shell tool
// does: with bash if it is installed, and with sh. The shells of command N are
// named bash#N and sh#N in the trace.
func runCommands(file string) {
	var commands []string
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &commands)
	}
	if err != nil {
		os.Exit(2)
	}
	base := filepath.Dir(file)
	bash, noBash := exec.LookPath("bash")
	for i, command := range commands {
		err := runCommand("/bin/sh", base, "sh#"+strconv.Itoa(i), command)
		if err == nil && noBash == nil {
			err = runCommand(bash, base, "bash#"+strconv.Itoa(i), command)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
}

// runCommand returns when every process of the command has ended: each of them
// holds the write end of a pipe. Processes that have not ended after 300 ms are
// killed.
func runCommand(shell, base, name, command string) error {
	alive, held, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = alive.Close() }()
	c := exec.Command(shell, "-c", command)
	c.Args[0], c.ExtraFiles = name, []*os.File{held}
	c.Dir, c.Env = filepath.Join(base, "work"), []string{"PATH=" + filepath.Join(base, "stubs"), "HOME=" + filepath.Join(base, "work")}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = errors.Join(c.Start(), held.Close())
	if err != nil {
		return err
	}
	timer := time.AfterFunc(300*time.Millisecond, func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	_, _ = io.Copy(io.Discard, alive)
	_ = c.Wait() // the exit status does not matter: the trace is checked
	return nil
}

// stage creates a directory with stub programs, and files for patterns to
// match.
func stage(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	for _, dir := range []string{"stubs", "work", "work/bin", "work/sub", "work/sub/bin"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	stub := func(dir, name, program string) {
		if err := os.Symlink(program, filepath.Join(base, dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Concat(judgedNames, otherStubs) {
		if strings.Contains(name, "/") {
			continue
		}
		program := "/bin/true"
		if name == "no1" {
			program = "/bin/false"
		}
		stub("stubs", name, program)
		stub("work/bin", name, program)
	}
	for _, dir := range []string{"work", "work/sub"} {
		stub(dir, "ok6", "/bin/true")
		stub(dir+"/bin", "ok7", "/bin/true")
		for _, name := range []string{"a.go", "b.go", "push", "my dir", "--evil"} {
			if err := os.WriteFile(filepath.Join(base, dir, name), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return base
}

// traced lists the system calls that start a program, change a file or connect.
const traced = "execve,execveat,open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,truncate,ftruncate," +
	"mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,mknod,mknodat,chmod,fchmod,fchmodat,chown,fchownat,connect"

// trace runs the commands in a namespace that has no network and can write only
// to base, and returns the log of strace.
func trace(t *testing.T, base string, commands []string) []byte {
	t.Helper()
	text, err := json.Marshal(commands)
	if err != nil {
		t.Fatal(err)
	}
	file, log := filepath.Join(base, "commands.json"), filepath.Join(base, "trace.log")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--bind", base, base, "--unshare-net", "--unshare-pid", "--unshare-ipc",
		"--proc", "/proc", "--die-with-parent", "--chdir", base, "--setenv", runnerEnv, file, "--",
		"strace", "-f", "-qq", "-xx", "-s", "65536", "--seccomp-bpf", "-e", "trace="+traced, "-e", "signal=none", "-o", log, self)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("running the commands: %v: %s", err, out)
	}
	all, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var (
	quotedText = regexp.MustCompile(`"(?:\\x[0-9a-f]{2})*"`)
	execLine   = regexp.MustCompile(`^\d+ +execve\(("[^"]*"), \[([^\]]*)\]`)
	openLine   = regexp.MustCompile(`^\d+ +open(?:at|at2)?\(`)
	writeFlags = regexp.MustCompile(`O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND`)
)

// violations returns everything in a trace that no rule allows, each with the
// command that was running, and the number of commands that were run.
func violations(t *testing.T, log []byte, commands []string, rules []Rule) (found []string, ran int) {
	t.Helper()
	current, first := "", true
	lines := bufio.NewScanner(bytes.NewReader(log))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		line := lines.Text()
		if _, rest, _ := strings.Cut(line, " "); strings.HasPrefix(strings.TrimSpace(rest), "<...") {
			continue // the call's beginning was handled before
		} else if strings.HasPrefix(strings.TrimSpace(rest), "???(") {
			continue // the process was killed before the call began
		}
		var texts []string
		for _, q := range quotedText.FindAllString(line, -1) {
			text, err := strconv.Unquote(q)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
		switch {
		case execLine.MatchString(line):
			argv := texts[1 : 1+len(quotedText.FindAllString(execLine.FindStringSubmatch(line)[2], -1))]
			if first { // strace starts the runner
				first = false
				continue
			}
			if shell, number, ok := strings.Cut(argv[0], "#"); ok && len(argv) == 3 && (shell == "sh" || shell == "bash") {
				n, err := strconv.Atoi(number)
				if err != nil || commands[n] != argv[2] {
					t.Fatalf("another command was run: %q", argv)
				}
				if current = argv[2]; shell == "sh" {
					ran++
				}
				continue
			}
			part := strings.Join(argv, wordEnd)
			if !slices.ContainsFunc(rules, func(r Rule) bool { return r.allows(Call{Tool: "shell", Effect: Executes}, part) }) {
				found = append(found, strconv.Quote(current)+" ran "+strconv.Quote(strings.Join(argv, " ")))
			}
		case openLine.MatchString(line):
			if writeFlags.MatchString(line) && !slices.Contains([]string{"/dev/null", "/dev/tty"}, texts[0]) {
				found = append(found, strconv.Quote(current)+" opened "+strconv.Quote(texts[0]))
			}
		case len(texts) == 1 && texts[0] == "/var/run/nscd/socket": // bash looks up the user when it starts
		default:
			found = append(found, strconv.Quote(current)+": "+line)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return found, ran
}

// fuzz generates n commands, runs those that allowed accepts, and returns
// everything they did that no rule allows.
func fuzz(t *testing.T, n int, seed uint64, allowed func(string) bool) []string {
	t.Helper()
	for _, program := range []string{"strace", "bwrap"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is missing", program)
			}
			t.Skipf("%s is missing", program)
		}
	}
	if seed == 0 {
		seed = rand.Uint64()
	}
	g := generator{rand.New(rand.NewPCG(seed, 1))}
	rules := make([]Rule, len(fuzzRules))
	for i, text := range fuzzRules {
		rule, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		rules[i] = rule
	}
	base := stage(t)
	var batch, found []string
	ran, accepted := 0, 0
	flush := func() {
		if len(batch) > 0 {
			bad, did := violations(t, trace(t, base, batch), batch, rules)
			found, ran, batch = append(found, bad...), ran+did, batch[:0]
		}
	}
	for range n {
		if command := g.command(); !strings.Contains(command, "\x00") && allowed(command) {
			accepted++
			batch = append(batch, command)
		}
		if len(batch) == 500 {
			flush()
		}
	}
	flush()
	t.Logf("%d commands generated, %d allowed, %d run, %d violations (seed %d)", n, accepted, ran, len(found), seed)
	if ran != accepted || accepted < n/10 {
		t.Errorf("of %d commands %d were allowed and %d run: too few to prove anything", n, accepted, ran)
	}
	return found
}

// TestFuzzVerdict_AllowedCommand_StartsOnlyAllowedPrograms runs every generated
// command that the rules allow with the real shell: a rule must allow each
// program that it starts, and it must change no file.
func TestFuzzVerdict_AllowedCommand_StartsOnlyAllowedPrograms(t *testing.T) {
	t.Parallel()
	p, err := NewPolicy(fuzzRules, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, violation := range fuzz(t, *fuzzCommands, *fuzzSeed, func(command string) bool {
		return p.Decide(Session{}, Ask, Call{Tool: "shell", Effect: Executes, Subject: command}).Verdict == Allow
	}) {
		t.Error(violation)
	}
}

// TestFuzzVerdict_WithParserOfAnotherShell_FindsViolations proves that the test
// above can fail: it decides on the syntax tree of bash.
func TestFuzzVerdict_WithParserOfAnotherShell_FindsViolations(t *testing.T) {
	t.Parallel()
	p, err := NewPolicy(fuzzRules, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := fuzz(t, 1000, 16, func(command string) bool {
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
		if err != nil {
			return false
		}
		allowed, commands := true, 0
		syntax.Walk(file, func(node syntax.Node) bool {
			switch n := node.(type) {
			case *syntax.CallExpr:
				if len(n.Assigns) > 0 || len(n.Args) == 0 {
					allowed = false
					return true
				}
				words := make([]string, len(n.Args))
				for i, w := range n.Args {
					words[i], _ = word(w)
				}
				commands++
				allowed = allowed && !runsOthers(words) && p.allows(Call{Tool: "shell", Effect: Executes}, parts{subjects: []string{strings.Join(words, wordEnd)}})
			case *syntax.Redirect:
				allowed = allowed && harmless(n)
			case *syntax.FuncDecl, *syntax.CoprocClause, *syntax.DeclClause, *syntax.CmdSubst, *syntax.ParamExp, *syntax.ProcSubst, *syntax.ForClause:
				allowed = false
			}
			return true
		})
		return allowed && commands > 0
	})
	arithmetic := slices.ContainsFunc(found, func(v string) bool { return strings.Contains(v, "((") })
	tests := slices.ContainsFunc(found, func(v string) bool { return strings.Contains(v, "[[") })
	t.Logf("for example: %q", found[:min(len(found), 3)])
	if !arithmetic || !tests {
		t.Errorf("%d violations found, with (( %t, with [[ %t", len(found), arithmetic, tests)
	}
}
