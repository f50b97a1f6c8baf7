package confine_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/proc"
)

// answering listens at an address, and answers each connection. It returns the number
// of connections.
func answering(t *testing.T, address, text string) (netip.AddrPort, *atomic.Int64) {
	t.Helper()
	network := "tcp4"
	if strings.HasPrefix(address, "[") {
		network = "tcp" // both, at [::]
	}
	listener, err := shared.Listen(t.Context(), network, address)
	if err != nil {
		t.Fatal(err)
	}
	var accepted atomic.Int64
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			accepted.Add(1)
			_, _ = conn.Write([]byte(text))
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close() })
	return netip.MustParseAddrPort(listener.Addr().String()), &accepted
}

// shared listens at addresses at which other processes of the user may listen.
var shared = net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
	var failed error
	err := c.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
	if err == nil {
		err = failed
	}
	return err
}}

func TestListening_Listeners_HaveTheAddressOfTheirOwn(t *testing.T) {
	t.Parallel()
	own := func(address string) (netip.AddrPort, []netip.AddrPort) {
		at, _ := answering(t, address, "")
		return at, slices.DeleteFunc(confine.Listening([]int{os.Getpid()}), func(a netip.AddrPort) bool { return a.Port() != at.Port() })
	}
	for address, want := range map[string]string{
		"127.0.0.1:0": "127.0.0.1", "127.9.8.7:0": "127.9.8.7", "0.0.0.0:0": "127.0.0.1", "[::1]:0": "::1", "[::]:0": "127.0.0.1",
	} {
		if at, found := own(address); len(found) == 0 || len(found) > 1 && address != "[::]:0" || found[0] != netip.AddrPortFrom(netip.MustParseAddr(want), at.Port()) {
			t.Errorf("%s: %v", address, found)
		}
	}
	if found := confine.Listening(nil); found != nil {
		t.Errorf("no process: %v", found)
	}
}

// With SO_REUSEPORT, the kernel distributes connections between the processes.
func TestListening_AddressSharedWithAnotherProcess_IsLeftOut(t *testing.T) {
	t.Parallel()
	const other = `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 9, ReusePort => 1, LocalAddr => "%s:%d") or die; $| = 1; print "listens\n"; <STDIN>'`
	for _, address := range []string{"127.0.0.1", "0.0.0.0"} {
		at, _ := answering(t, "127.0.0.1:0", "")
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "exec "+fmt.Sprintf(other, address, at.Port()))
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
		if n, err := out.Read(make([]byte, 9)); n == 0 {
			t.Fatalf("the other process does not listen: %v", err)
		}
		if found := confine.Listening([]int{os.Getpid()}); slices.Contains(found, at) {
			t.Errorf("%v beside another process at %s", at, address)
		}
		if found := confine.Listening([]int{os.Getpid(), cmd.Process.Pid}); !slices.Contains(found, at) {
			t.Errorf("both processes belong to the session: %v", found)
		}
		_ = in.Close()
		_ = cmd.Wait()
	}
}

// A service of the machine can get the port of a background command that has ended.
func TestRun_ServerEndsDuringTheCommand_ItsAddressIsNotReached(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bubblewrap", "namespaces"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, accepted := answering(t, "127.0.0.1:0", "hello\n")
			p, dir := newPolicy(t, levels[name]), t.TempDir()
			var ended atomic.Bool
			var out output
			connect := fmt.Sprintf(`perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new("127.0.0.1:%d") or die; print "got " . <$s> . "\n"'`, at.Port())
			script := connect + "; until [ -e second ]; do sleep 0.02; done; " + connect
			mark := func(data []byte) {
				out.add(data)
				if strings.Contains(out.String(), "got hello") && ended.CompareAndSwap(false, true) {
					_ = os.WriteFile(filepath.Join(dir, "second"), nil, 0o600)
				}
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			_, err := p.Run(ctx, confine.Command{
				Command: proc.Command{Args: []string{"/bin/sh", "-c", script}, Dir: dir, Output: mark}, Session: "s", Dirs: []string{dir},
				Servers: func() []netip.AddrPort {
					if ended.Load() {
						return nil
					}
					return []netip.AddrPort{at}
				},
			}, nil)
			if err != nil || strings.Count(out.String(), "got hello") != 1 || accepted.Load() != 1 {
				t.Errorf("%d connections, %v: %s", accepted.Load(), err, out.String())
			}
		})
	}
}
