//go:build linux

package proc_test

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/proc"
)

// checkPeers acts as a server: it listens on the socket s in the directory and
// prints the result of CheckPeer for each connection. It exits at the end of
// its input.
func checkPeers(dir string) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"})
	if err != nil {
		fmt.Println(err)
		return
	}
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		_ = l.Close()
	}()
	fmt.Println("ready")
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return
		}
		err = proc.CheckPeer(conn, filepath.Join(dir, "ledger"))
		var turn *proc.TurnError
		switch {
		case errors.As(err, &turn):
			fmt.Printf("turn %s\n", turn.Turn)
		default:
			fmt.Printf("%v\n", err)
		}
		_ = conn.Close()
	}
}

// helper starts this test binary as another process that runs until the test
// ends, and returns its output after the line "ready".
func helper(t *testing.T, env ...string) *bufio.Scanner {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("the helper printed %q", lines.Text())
	}
	return lines
}

// The server and the keeper are different processes, as when bellcord serve and
// bellcord run use the same data directory. Each script removes another mark of
// its origin.
func TestCheckPeer_ProcessOfAnotherKeepersTurn_IsRefused(t *testing.T) {
	const dial = "/usr/bin/env PATH=/usr/local/bin:/usr/bin:/bin python3 DIR/dial.py DIR/s"
	scripts := map[string]string{
		"as it was started":             dial,
		"without its environment":       "env -i " + dial,
		"without environment and limit": "exec env -i prlimit --rttime=unlimited " + dial,
		"outside of its cgroup":         "for d in /sys/fs/cgroup /sys/fs/cgroup/unified; do echo $$ >$d/cgroup.procs; done 2>/dev/null; exec env -i prlimit --rttime=unlimited " + dial,
		"an orphan":                     "(setsid " + dial + " &); sleep 60",
		"an orphan without any sign":    "(env -i setsid prlimit --rttime=unlimited " + dial + " &); exec env -i prlimit --rttime=unlimited sleep 60",
	}
	for _, way := range ways {
		for name, script := range scripts {
			t.Run(way.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				dir, err := os.MkdirTemp("", "bc") // a socket path must be short
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = os.RemoveAll(dir) })
				client := "import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\ns.recv(1)\n"
				if err := os.WriteFile(dir+"/dial.py", []byte(client), 0o600); err != nil {
					t.Fatal(err)
				}
				answers := helper(t, "PROC_TEST_CHECK="+dir)
				env := []string{"PROC_TEST_LEDGER=" + filepath.Join(dir, "ledger"), "PROC_TEST_SCRIPTS=" + strings.ReplaceAll(script, "DIR", dir)}
				if way.opts.NoCgroup {
					env = append(env, "PROC_TEST_NO_CGROUP=1")
				}
				helper(t, env...)
				if !answers.Scan() || !strings.HasPrefix(answers.Text(), "turn ") {
					t.Errorf("CheckPeer returned %q, want a TurnError", answers.Text())
				}
			})
		}
	}
}

func TestCheckPeer_ProcessOfNoTurn_IsAccepted(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "bc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	answers := helper(t, "PROC_TEST_CHECK="+dir)
	helper(t, "PROC_TEST_LEDGER="+filepath.Join(dir, "ledger"), "PROC_TEST_SCRIPTS=sleep 60")
	conn, err := net.Dial("unix", dir+"/s")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if !answers.Scan() || answers.Text() != "<nil>" {
		t.Errorf("CheckPeer returned %q, want nil", answers.Text())
	}
}

// A child can hold the connection of a process that has exited, and the pid of
// that process may have been reused.
func TestCheckPeer_ProcessHasExited_IsRefused(t *testing.T) {
	t.Parallel()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	cmd := exec.Command("python3", "-c", "import socket, sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])", l.Addr().String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	conn, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := proc.CheckPeer(conn, ""); !errors.Is(err, proc.ErrNoPeer) {
		t.Errorf("CheckPeer returned %v, want ErrNoPeer", err)
	}
}

func TestOfATurn_OwnDescendant_ReturnsTurnError(t *testing.T) {
	t.Parallel()
	k := open(t, "", proc.Options{})
	r, err := k.Start(proc.Command{Args: []string{"/bin/sh", "-c", "echo up; read line"}, Owner: "turn-7"})
	if err != nil {
		t.Fatal(err)
	}
	// The marker is in the environment, and the system shows the environment of a
	// process only some time after its exec.
	if line, err := bufio.NewReader(r.Stdout).ReadString('\n'); err != nil {
		t.Fatalf("the command printed %q: %v", line, err)
	}
	var turn *proc.TurnError
	if err := proc.OfATurn(r.PID, ""); !errors.As(err, &turn) || turn.Turn != "turn-7" {
		t.Errorf("OfATurn returned %v, want one that names turn-7", err)
	}
	if err := proc.OfATurn(os.Getppid(), ""); err != nil {
		t.Errorf("OfATurn of the parent: %v", err)
	}
	closeOut(t, r)
}
