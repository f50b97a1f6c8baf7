package publicnet_test

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord/internal/publicnet"
)

// inNamespace runs a test again in a network namespace of its own, and reports whether
// this is that run. Its addresses belong to nobody else.
func inNamespace(t *testing.T) bool {
	t.Helper()
	const mark = "BELLCORD_TEST_NAMESPACE=1"
	if os.Getenv(strings.TrimSuffix(mark, "=1")) != "" {
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), mark)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Skipf("this machine makes no namespaces: %v", err)
	}
	if err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("in the namespace: %v\n%s", err, out)
	}
	return false
}

// give adds an address to the loopback interface, which it starts.
func give(t *testing.T, ip netip.Addr) {
	t.Helper()
	family := map[bool]int{true: unix.AF_INET, false: unix.AF_INET6}[ip.Is4()]
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(fd) }()
	if ip.Is4() {
		request, err := unix.NewIfreq("lo")
		if err == nil {
			err = request.SetInet4Addr(ip.AsSlice())
		}
		if err == nil {
			err = unix.IoctlIfreq(fd, unix.SIOCSIFADDR, request)
		}
		request.SetUint16(unix.IFF_UP)
		if err := errors.Join(err, unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)); err != nil {
			t.Fatal(err)
		}
		return
	}
	lo, err := net.InterfaceByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	request := struct {
		addr   [16]byte
		prefix uint32
		index  int32
	}{ip.As16(), 128, int32(lo.Index)}
	if _, _, code := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCSIFADDR, uintptr(unsafe.Pointer(&request))); code != 0 {
		t.Fatal(code)
	}
}

// eventually calls a function until it succeeds.
func eventually(t *testing.T, try func() error) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); ; <-tick.C {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// A machine can have a public address, also one that it got after the start.
func TestDial_PublicAddressOfThisMachine_IsRefused(t *testing.T) {
	t.Parallel()
	if !inNamespace(t) {
		return
	}
	for _, address := range []string{"1.1.1.1", "2606:4700::1111"} {
		ip := netip.MustParseAddr(address)
		if err := publicnet.Refuse(ip, false); err != nil {
			t.Fatalf("before it belongs to this machine: %v", err)
		}
		give(t, ip)
		var listener net.Listener
		eventually(t, func() (err error) { // the kernel checks a new IPv6 address first
			listener, err = net.Listen("tcp", net.JoinHostPort(address, "0"))
			return err
		})
		defer func() { _ = listener.Close() }()
		check := func(private bool) error {
			dialer := publicnet.Dialer{Check: func(ip netip.Addr) error { return publicnet.Refuse(ip, private) }}
			conn, err := dialer.Dial(t.Context(), "tcp", listener.Addr().String())
			if err == nil {
				_ = conn.Close()
			}
			return err
		}
		eventually(t, func() error {
			if err := check(false); !errors.Is(err, publicnet.ErrNotPublic) {
				return fmt.Errorf("%s was reached: %w", address, err)
			}
			return nil
		})
		if err := publicnet.Refuse(netip.MustParseAddr("8.8.8.8"), false); err != nil {
			t.Errorf("an address of another machine: %v", err)
		}
		if err := check(true); err != nil {
			t.Errorf("%s, when private addresses are allowed: %v", address, err)
		}
	}
}
