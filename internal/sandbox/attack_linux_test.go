package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord/internal/sandbox"
)

// attack does one forbidden thing. It returns nil if that worked.
func attack(name string, args []string) error {
	runtime.LockOSThread()
	switch name {
	case "read":
		f, err := os.Open(args[0])
		if err != nil {
			return err
		}
		b, err := io.ReadAll(io.LimitReader(f, 64))
		if err == nil && len(b) == 0 {
			err = errors.New("empty")
		}
		return err
	case "open":
		_, err := os.Open(args[0])
		return err
	case "list":
		entries, err := os.ReadDir(args[0])
		if err == nil && len(entries) == 0 {
			err = errors.New("empty")
		}
		return err
	case "write":
		return os.WriteFile(args[0], []byte("changed"), 0o600)
	case "remove":
		return os.Remove(args[0])
	case "rename":
		return os.Rename(args[0], args[1])
	case "signal":
		return syscall.Kill(number(args[0]), syscall.SIGCONT)
	case "ptrace":
		return unix.PtraceAttach(number(args[0]))
	case "dial":
		conn, err := net.DialTimeout(args[0], args[1], 5*time.Second)
		if err == nil && args[0] == "udp" {
			_, err = conn.Write([]byte("x"))
			_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			if err == nil {
				_, err = conn.Read(make([]byte, 1))
			}
		}
		return err
	case "fastopen":
		return fastOpen(number(args[0]))
	case "umount":
		return unix.Unmount(args[0], unix.MNT_DETACH)
	case "remount":
		return unix.Mount("", args[0], "", unix.MS_REMOUNT|unix.MS_BIND, "")
	case "nested":
		return nested(args)
	case "sysctl":
		f, err := os.OpenFile("/proc/sys/kernel/core_pattern", os.O_WRONLY, 0)
		if err == nil {
			err = f.Close()
		}
		return err
	case "tiocsti":
		return typeKey()
	case "keyring":
		_, err := unix.KeyctlInt(unix.KEYCTL_GET_KEYRING_ID, -4, 0, 0, 0)
		return err
	case "i386":
		return i386()
	case "serve":
		return serve()
	case "capabilities":
		return capabilities()
	case "limit":
		return unix.Prlimit(number(args[0]), unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1, Max: 1}, nil)
	case "affinity":
		return unix.SchedSetaffinity(number(args[0]), &unix.CPUSet{1})
	case "priority":
		return unix.Setpriority(number(args[0]), number(args[1]), 19)
	case "listen":
		return listenUnbound()
	case "pair":
		_, err := unix.Socketpair(unix.AF_UNIX, number(args[0]), 0)
		return err
	case "socket":
		_, err := unix.Socket(number(args[0]), unix.SOCK_STREAM, 0)
		return err
	case "read-terminal":
		return readTerminal(args[0])
	case "attach":
		_, err := unix.SysvShmAttach(number(args[0]), 0, 0)
		return err
	case "queue":
		return openQueue(args[0], 0)
	}
	return fmt.Errorf("unknown attack %q", name)
}

// openQueue opens a POSIX message queue, which the flags can create.
func openQueue(name string, flags int) error {
	path, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	fd, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(path)), uintptr(unix.O_RDWR|flags), 0o600, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return unix.Close(int(fd))
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// nested runs an attack in a further user and mount namespace, with all
// capabilities there.
func nested(args []string) error {
	cmd := exec.Command("/proc/self/exe", append([]string{"probe"}, args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	return cmd.Run()
}

// fastOpen connects without connect(2).
func fastOpen(port int) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	err = unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	return err
}

// typeKey types into a new terminal, of which this process is the leader.
func typeKey() error {
	_, _ = unix.Setsid()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		return err
	}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	key := byte('y')
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, slave.Fd(), unix.TIOCSTI, uintptr(unsafe.Pointer(&key)))
	if errno != 0 {
		return errno
	}
	return nil
}

// serve uses every level, as a server does that hides its memory.
func serve() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return err
	}
	for _, v := range variants {
		b, err := sandbox.Open(context.Background(), sandbox.Require, v.Options)
		if err != nil {
			return err
		}
		fmt.Println(b.Level(), b.Means())
	}
	return nil
}

// listenUnbound lets the kernel choose a port, without bind(2).
func listenUnbound() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	return unix.Listen(fd, 1)
}

// readTerminal opens a terminal of another session.
func readTerminal(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// capabilities returns an error if this process has none and can get none.
func capabilities() error {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	var effective, permitted, bounding uint64
	var fresh int
	for _, field := range []struct {
		format string
		value  any
	}{{"CapEff:\t%x", &effective}, {"CapPrm:\t%x", &permitted}, {"CapBnd:\t%x", &bounding}, {"NoNewPrivs:\t%d", &fresh}} {
		for _, line := range splitLines(string(b)) {
			_, _ = fmt.Sscanf(line, field.format, field.value)
		}
	}
	if effective|permitted == 0 && fresh == 1 {
		return fmt.Errorf("none, bounding %x", bounding)
	}
	return nil
}

func splitLines(s string) []string {
	var all []string
	start := 0
	for i := range len(s) {
		if s[i] == '\n' {
			all = append(all, s[start:i])
			start = i + 1
		}
	}
	return all
}

// i386 makes a system call of another architecture.
func i386() error {
	if runtime.GOARCH != "amd64" {
		return errors.New("this machine has no i386")
	}
	page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	copy(page, []byte{0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3}) // mov eax, getpid; int 0x80; ret
	code := unsafe.Pointer(&page)                           // a slice begins with its address, as a function value does
	if n := int32((*(*func() int)(unsafe.Pointer(&code)))()); n < 0 {
		return syscall.Errno(-n)
	}
	return nil
}
