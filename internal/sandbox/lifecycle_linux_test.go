package sandbox_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/sandbox"
)

func TestWrap_CommandExits_PassesExitCodeAndStreams(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		dir := directory(t)
		p := sandbox.Profile{Write: []string{dir}}
		for script, want := range map[string]int{"exit 0": 0, "exit 3": 3, "kill -KILL $$": 137, "kill -TERM $$": 143} {
			_, code := run(t, b, p, dir, "sh", "-c", script)
			if code != want && (b.Level() != sandbox.Landlock || code != -1) { // Landlock's helper becomes the command
				t.Errorf("%s: exit code %d, want %d", script, code, want)
			}
		}
		if _, code := run(t, b, p, dir, dir+"/missing"); code != 127 {
			t.Errorf("missing command: exit code %d, want 127", code)
		}
		cmd, _ := command(t, b, p, dir, "sh", "-c", `cat; echo "$MARKER" >&2; pwd`)
		cmd.Stdin = strings.NewReader("from stdin\n")
		cmd.Env = append(cmd.Env, "MARKER=kept")
		out, code := finish(t, cmd)
		if want := "from stdin\nkept\n" + dir + "\n"; out != want || code != 0 {
			t.Errorf("output %q, exit code %d; want %q", out, code, want)
		}
	})
}

func TestWrap_CommandIsUnknown_ReturnsError(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		if w, err := b.Wrap(sandbox.Profile{}, []string{"no-such-command"}); err == nil {
			t.Errorf("got %q", w.Args)
		}
	})
}

func TestWrap_ProgramIsInTheHostsTmp_IsShownWithItsDirectoryUnlessItIsHidden(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("/tmp", "program")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program := filepath.Join(dir, "bin", "agent")
	write(t, filepath.Join(dir, "lib", "part"), "the rest\n")
	write(t, program, "#!/bin/sh\ncat \"${0%/bin/agent}/lib/part\"; echo x 2>/dev/null >\"$0.new\" || echo refused\n")
	if err := os.Chmod(program, 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	each(t, func(t *testing.T, b *sandbox.Box) {
		if out, code := run(t, b, sandbox.Profile{Show: []string{program}}, "/", program); out != "the rest\nrefused\n" || code != 0 {
			t.Errorf("exit code %d: %q", code, out)
		}
		if out, code := run(t, b, sandbox.Profile{Show: []string{"/bin/sh", program}}, "/", "/bin/sh", program); out != "the rest\nrefused\n" || code != 0 {
			t.Errorf("as an argument: exit code %d: %q", code, out)
		}
		if b.Level() != sandbox.Namespaces {
			return
		}
		if _, err := b.Wrap(sandbox.Profile{Hide: []string{dir}, Show: []string{program}}, []string{program}); err == nil || !strings.Contains(err.Error(), "the sandbox hides the program "+program) {
			t.Errorf("a hidden program: %v", err)
		}
	})
}

// pipe starts a command and returns a reader of its output.
func pipe(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	t.Cleanup(func() { _ = r.Close() })
	return bufio.NewReader(r)
}

func line(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	s, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("read the command's output: %v (%q)", err, s)
	}
	return strings.TrimSpace(s)
}

// members returns the processes of a session, without zombies.
func members(session int) []int {
	var all []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		b, _ := os.ReadFile(path)
		fields := strings.Fields(string(b[strings.LastIndex(string(b), ")")+1:]))
		if len(fields) > 3 && fields[3] == strconv.Itoa(session) && fields[0] != "Z" {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			all = append(all, pid)
		}
	}
	return all
}

func TestWrap_CommandLeavesProcess_ExitsAtOnceAndProcessDiesWithFirst(t *testing.T) {
	t.Parallel()
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		dir := directory(t)
		cmd, w := command(t, b, sandbox.Profile{Write: []string{dir}}, dir, "sh", "-c", `(trap "" TERM; echo left; read x < fifo) & exit 4`)
		if err := syscall.Mkfifo(dir+"/fifo", 0o600); err != nil {
			t.Fatal(err)
		}
		out := pipe(t, cmd)
		if got := line(t, out); got != "left" {
			t.Fatalf("output %q", got)
		}
		code := make([]byte, 1)
		if _, err := w.Status.Read(code); err != nil || code[0] != 4 {
			t.Errorf("exit code %d, want 4: %v", code[0], err)
		}
		first := 0
		for _, pid := range members(cmd.Process.Pid) {
			if inside(pid) == 1 {
				first = pid
			}
		}
		if first == 0 {
			t.Fatalf("process 1 of the namespace is not in the session: %v", members(cmd.Process.Pid))
		}
		if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if rest, err := io.ReadAll(out); err != nil || len(rest) != 0 { // ends when the last writer has died
			t.Errorf("output %q, error %v", rest, err)
		}
		_ = cmd.Wait()
	})
}

// The command is stopped from outside in every other test. Here the process that
// has started it is killed.
func TestWrap_ServerIsKilled_NothingIsLeft(t *testing.T) {
	t.Parallel()
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		token := strconv.Itoa(70_000_000 + os.Getpid()*10 + len(b.Means()))
		server := exec.Command(os.Getenv(probeEnv), "server", b.Means(), token)
		server.Dir = directory(t)
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		awaitSleepers(t, token, 3)
		_ = server.Process.Kill()
		_ = server.Wait()
		awaitSleepers(t, token, 0)
	})
}

// serveUntilKilled starts a command whose processes ignore signals, leave its
// session, or both.
func serveUntilKilled(means, token string) error {
	b, err := sandbox.Open(context.Background(), sandbox.Require, sandbox.Options{Level: sandbox.Namespaces, Means: means})
	if err != nil {
		return err
	}
	script := strings.ReplaceAll(`trap "" TERM HUP; setsid sleep T & nohup sleep T & sleep T & wait`, "T", token)
	w, err := b.Wrap(sandbox.Profile{}, []string{"sh", "-c", script})
	if err != nil {
		return err
	}
	cmd := exec.Command(w.Args[0], w.Args[1:]...)
	cmd.ExtraFiles = w.Files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Run()
}

// awaitSleepers waits until a number of processes with an argument lives.
func awaitSleepers(t *testing.T, token string, n int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for bound := time.Now().Add(30 * time.Second); ; <-tick.C {
		var alive []string
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline") // a zombie has no command line
		for _, path := range lines {
			if b, _ := os.ReadFile(path); string(b) == "sleep\x00"+token+"\x00" {
				alive = append(alive, path)
			}
		}
		if len(alive) == n {
			return
		}
		if time.Now().After(bound) {
			t.Fatalf("%v live, want %d", alive, n)
		}
	}
}

// inside returns the pid of a process in its innermost namespace.
func inside(pid int) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for _, line := range strings.Split(string(b), "\n") {
		if rest, ok := strings.CutPrefix(line, "NSpid:"); ok {
			fields := strings.Fields(rest)
			n, _ := strconv.Atoi(fields[len(fields)-1])
			return n
		}
	}
	return 0
}

func TestWrap_AllProcessesGetSIGTERM_CommandCleansUp(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *sandbox.Box) {
		dir := directory(t)
		cmd, _ := command(t, b, sandbox.Profile{Write: []string{dir}}, dir, "sh", "-c",
			`trap 'kill -9 $!; echo cleaned; exit 7' TERM; echo ready; while :; do sleep 600 & wait; done`)
		out := pipe(t, cmd)
		line(t, out)
		for _, pid := range members(cmd.Process.Pid) {
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
		if got := line(t, out); got != "cleaned" {
			t.Errorf("output %q", got)
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 7 && b.Means() != sandbox.Bubblewrap { // its outer process has no handler
			t.Errorf("exit code %d, want 7", code)
		}
	})
}

func TestWrap_OuterHelperIsKilled_RestStaysInSession(t *testing.T) {
	t.Parallel()
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		dir := directory(t)
		cmd, _ := command(t, b, sandbox.Profile{Write: []string{dir}}, dir, "sh", "-c", `echo ready; exec sleep 600`)
		cmd.Env = append(cmd.Env, "MARKER=kept")
		out := pipe(t, cmd)
		line(t, out)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		rest := members(cmd.Process.Pid)
		marked := 0
		for _, pid := range rest {
			if env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); strings.Contains(string(env), "MARKER=kept") {
				marked++
			}
		}
		if len(rest) < 2 || marked == 0 {
			t.Errorf("%d processes in the session, %d with the marker", len(rest), marked)
		}
		for _, pid := range rest {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_, _ = io.ReadAll(out)
	})
}

func TestWrap_NetworkIsProxy_ListenerServesCommandAlone(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, b *sandbox.Box) {
		s := newScene(t)
		s.profile.Network = sandbox.Proxy
		cmd, w := command(t, b, s.profile, s.workspace, "sh", "-c", `curl -sS -m 60 http://example.test/path; "$@"`, "sh", os.Getenv(probeEnv), "probe", "dial", "tcp", s.tcp)
		out := pipe(t, cmd)
		for _, f := range w.Files {
			_ = f.Close()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		l, err := w.Listener(ctx)
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if w.ProxyPassword != "" && r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte("bellcord:"+w.ProxyPassword)) {
				rw.WriteHeader(http.StatusProxyAuthRequired)
			}
			_, _ = fmt.Fprintf(rw, "proxied %s\n", r.URL)
		})}
		go func() { _ = server.Serve(l) }()
		defer server.Close()
		if got := line(t, out); got != "proxied http://example.test/path" {
			t.Errorf("output %q", got)
		}
		if got := line(t, out); !strings.HasPrefix(got, "refused:") {
			t.Errorf("another port: %q", got)
		}
		_ = cmd.Wait()
		if (w.ProxyPassword == "") != (b.Level() == sandbox.Namespaces) {
			t.Errorf("password %q at the level %s", w.ProxyPassword, b.Level())
		}
	})
}

func TestListener_SandboxNeverExists_ReturnsError(t *testing.T) {
	t.Parallel()
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		w, err := b.Wrap(sandbox.Profile{Network: sandbox.Proxy}, []string{"true"})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range w.Files {
			_ = f.Close()
		}
		if _, err := w.Listener(t.Context()); err == nil {
			t.Error("a listener without a sandbox")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := w.Listener(ctx); err == nil {
			t.Error("a listener after the end of the context")
		}
		w.Close()
	})
}

func TestOpen_SandboxIsRequiredAndMissing_ReturnsReasons(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := sandbox.Open(t.Context(), sandbox.Require, sandbox.Options{Level: sandbox.Namespaces, Means: sandbox.Bubblewrap})
	if err == nil || !strings.Contains(err.Error(), "bwrap is not installed") || !strings.Contains(err.Error(), "Install bubblewrap") {
		t.Errorf("error %v", err)
	}
	b, err := sandbox.Open(t.Context(), sandbox.Auto, sandbox.Options{Level: sandbox.Namespaces, Means: sandbox.Bubblewrap})
	if err != nil || b.Level() != sandbox.None || len(b.Missing()) != 1 {
		t.Errorf("error %v, missing %q", err, b.Missing())
	}
}

func TestOpen_ServerIsNotDumpable_FindsEveryLevel(t *testing.T) {
	t.Parallel()
	for _, v := range variants {
		open(t, v) // fails or skips if the machine does not have it
	}
	args := probe("serve")
	out, code := finish(t, exec.CommandContext(t.Context(), args[0], args[1:]...))
	if want := "namespaces bubblewrap\nnamespaces bellcord\nlandlock \n"; out != want || code != 0 {
		t.Errorf("exit code %d: %s", code, out)
	}
}

func TestWrap_FirstProcessIsKilled_CommandCountsAsKilled(t *testing.T) {
	t.Parallel()
	b := open(t, variants[1])
	dir := directory(t)
	cmd, _ := command(t, b, sandbox.Profile{Write: []string{dir}}, dir, "sh", "-c", "echo ready; exec sleep 600")
	out := pipe(t, cmd)
	line(t, out)
	for _, pid := range members(cmd.Process.Pid) {
		if inside(pid) == 1 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 137 {
		t.Errorf("exit code %d, want 137", code)
	}
}

// A file beyond the size of /tmp fails instead of filling the memory.
func TestWrap_TmpIsFull_WriteFails(t *testing.T) {
	t.Parallel()
	eachNamespace(t, func(t *testing.T, b *sandbox.Box) {
		dir := directory(t)
		p := sandbox.Profile{Write: []string{dir}, TmpBytes: 1 << 20}
		out, code := run(t, b, p, dir, "sh", "-c", `echo "$TMPDIR"; head -c 100000 /dev/zero > /tmp/small && head -c 2000000 /dev/zero > /tmp/large`)
		if code == 0 || !strings.HasPrefix(out, "/tmp\n") || !strings.Contains(out, "No space left") {
			t.Errorf("exit code %d: %s", code, out)
		}
	})
}
