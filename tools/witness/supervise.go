//go:build linux && amd64

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The requests and flags of the interface are in linux/seccomp.h.
const (
	ioctlReceive  = 0xc0502100
	ioctlSend     = 0xc0182101
	ioctlValid    = 0x40082102
	ioctlSetFlags = 0x40082104
	flagContinue  = 1
	flagSyncWake  = 1
)

// notification is struct seccomp_notif.
type notification struct {
	id         uint64
	pid, flags uint32
	number     int32
	arch       uint32
	ip         uint64
	args       [6]uint64
}

// response is struct seccomp_notif_resp.
type response struct {
	id    uint64
	value int64
	err   int32
	flags uint32
}

// supervise answers the notifications of a listener until its last process has
// ended. record is called before the system call continues.
func supervise(fd int, record func(pid uint32, call string, paths []string)) error {
	defer func() { _ = unix.Close(fd) }()
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(fd), ioctlSetFlags, flagSyncWake)
	buffer := make([]byte, unix.PathMax)
	for {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); err != nil {
			if errors.Is(err, unix.EINTR) {
				continue
			}
			return err
		}
		if ready[0].Revents&unix.POLLIN == 0 {
			return nil // no process is left
		}
		var n notification
		if errno := ioctl(fd, ioctlReceive, unsafe.Pointer(&n)); errno == unix.EINTR || errno == unix.ENOENT { //nolint:gosec // the kernel fills the structure
			continue // the process was killed meanwhile
		} else if errno != 0 {
			return fmt.Errorf("receive: %w", errno)
		}
		paths := readPaths(&n, buffer)
		if ioctl(fd, ioctlValid, unsafe.Pointer(&n.id)) != 0 { //nolint:gosec // the kernel reads the number
			continue // it was killed, and its memory may belong to another process
		}
		record(n.pid, calls[n.number].name, paths)
		r := response{id: n.id, flags: flagContinue}
		if errno := ioctl(fd, ioctlSend, unsafe.Pointer(&r)); errno != 0 && errno != unix.ENOENT { //nolint:gosec // the kernel reads the structure
			return fmt.Errorf("send: %w", errno)
		}
	}
}

func ioctl(fd int, request uintptr, argument unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(argument))
	return errno
}

// readPaths returns the paths of a call. In the place of one that cannot be read
// is the reason.
func readPaths(n *notification, buffer []byte) []string {
	var paths []string
	for _, p := range calls[n.number].paths {
		text, err := readPath(n, p, buffer)
		if err != nil {
			text = "?" + err.Error()
		}
		paths = append(paths, text)
	}
	return paths
}

// readPath returns the absolute path of an argument. Links are not resolved.
func readPath(n *notification, p path, buffer []byte) (string, error) {
	text, err := readText(int(n.pid), uintptr(n.args[p.arg]), buffer)
	if err != nil || filepath.IsAbs(text) {
		return text, err
	}
	link := fmt.Sprintf("/proc/%d/cwd", n.pid)
	if p.dir >= 0 && int32(n.args[p.dir]) != unix.AT_FDCWD {
		link = fmt.Sprintf("/proc/%d/fd/%d", n.pid, int32(n.args[p.dir]))
	}
	count, err := unix.Readlink(link, buffer)
	if err != nil {
		return "", err
	}
	return filepath.Join(string(buffer[:count]), text), nil
}

// readText reads a text from another process. It reads page by page, because the
// page after the text may not exist.
func readText(pid int, at uintptr, buffer []byte) (string, error) {
	for have := 0; have < len(buffer); {
		size := min(4096-int(at+uintptr(have))%4096, len(buffer)-have)
		local := []unix.Iovec{{Base: &buffer[have], Len: uint64(size)}}
		count, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: at + uintptr(have), Len: size}}, 0)
		if err != nil {
			return "", err
		}
		for i := have; i < have+count; i++ {
			if buffer[i] == 0 {
				return string(buffer[:i]), nil
			}
		}
		have += count
	}
	return "", unix.ENAMETOOLONG
}
