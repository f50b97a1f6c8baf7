//go:build linux && amd64

// Command witness measures a mechanism that Bellcord does not have: a filter
// (seccomp user notification) that announces each system call with which a command
// can change a file, before it happens. It could tell the writes of a command from
// those of a person at the same time. docs/undo.md states why it is left out.
//
//	go run ./tools/witness                  # cost and failures, with and without it
//	go run ./tools/witness -runs 0 -kills 0 # the failures alone, without git
//
// To run other programs under it, such as an agent below bellcord probe, start a
// supervisor, and put the launcher in front of the program. The launcher becomes
// the program, so the process tree does not change.
//
//	witness -supervise SOCKET -record FILE
//	witness -socket SOCKET -- COMMAND…
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

func main() {
	supervised := flag.String("supervise", "", "run a supervisor that listens at this `socket`")
	recorded := flag.String("record", "", "with -supervise: `file` for the announced calls")
	socket := flag.String("socket", "", "run a command under the supervisor at this `socket`")
	runs := flag.Int("runs", 7, "runs of each measurement, with and without the filter")
	kills := flag.Int("kills", 20, "supervisors that are killed while git commits")
	flag.Parse()
	var err error
	switch {
	case *supervised != "":
		err = listen(*supervised, *recorded)
	case *socket != "":
		err = launch(*socket, flag.Args())
	default:
		err = measure(*runs, *kills)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "witness:", err)
		os.Exit(125)
	}
}

// launch installs the filter, passes the listener to the supervisor, and becomes
// the command.
func launch(socket string, args []string) error {
	if len(args) == 0 {
		return errors.New("no command")
	}
	program, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	to, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := unix.Connect(to, &unix.SockaddrUnix{Name: socket}); err != nil {
		return fmt.Errorf("connect to the supervisor: %w", err)
	}
	listener, err := install()
	if err != nil {
		return err
	}
	if err := unix.Sendmsg(to, []byte{0}, unix.UnixRights(listener), nil, 0); err != nil {
		return err
	}
	_ = unix.Close(listener) // the command must not inherit it
	return syscall.Exec(program, args, os.Environ())
}

// listen supervises every command whose launcher connects.
func listen(socket, recorded string) error {
	record, err := recorder(recorded)
	if err != nil {
		return err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return err
	}
	if err := os.Chmod(socket, 0o777); err != nil { //nolint:gosec // for commands of other users, in a measurement
		return err
	}
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return err
		}
		go func() {
			fd, err := receive(conn)
			if err == nil {
				err = supervise(fd, record)
			}
			if err != nil && !errors.Is(err, io.EOF) { // the launcher failed, and has printed the reason
				fmt.Fprintln(os.Stderr, "witness:", err)
			}
		}()
	}
}

// recorder returns the function that writes a line for each call.
func recorder(name string) (func(pid uint32, call string, paths []string), error) {
	if name == "" {
		return func(uint32, string, []string) {}, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	return func(pid uint32, call string, paths []string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(f, "%d %s %q\n", pid, call, paths)
	}, nil
}

// receive returns the listener that a launcher passes.
func receive(c *net.UnixConn) (int, error) {
	defer func() { _ = c.Close() }()
	data, control := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := c.ReadMsgUnix(data, control)
	if err != nil {
		return -1, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil || len(messages) != 1 {
		return -1, errors.Join(err, errors.New("the launcher passed no listener"))
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return -1, err
	}
	return fds[0], nil
}
