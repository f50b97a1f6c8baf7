package hostile_test

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// probeWord is the first argument of this binary as the program that attacks from
// inside the sandbox. The second one is its plan.
const probeWord = "hostile-probe"

// step is one thing that a command does. Steps that fail are ignored: the observer
// outside decides.
type step []string

const (
	stepEnd  = "\x1e"
	fieldEnd = "\x1f"
)

func encode(plan []step) string {
	lines := make([]string, 0, len(plan))
	for _, s := range plan {
		lines = append(lines, strings.Join(s, fieldEnd))
	}
	return strings.Join(lines, stepEnd)
}

func probe(plan string) {
	for plan != "" {
		var line string
		line, plan, _ = strings.Cut(plan, stepEnd)
		s := append(strings.Split(line, fieldEnd), "", "", "", "")
		switch s[0] {
		case "nested": // the other steps have all capabilities in new namespaces
			again(plan, &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
				UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
			}, true)
			return
		case "leave": // the other steps run when the command has exited
			again(plan, &syscall.SysProcAttr{Setsid: true}, false)
			return
		default:
			do(s)
		}
	}
}

// again runs the rest of a plan in another process.
func again(plan string, how *syscall.SysProcAttr, wait bool) {
	cmd := exec.Command("/proc/self/exe", probeWord, plan)
	cmd.SysProcAttr = how
	if wait {
		cmd.Stdout = os.Stdout
	}
	if cmd.Start() == nil && wait {
		_ = cmd.Wait()
	}
}

func do(s step) {
	switch s[0] {
	case "mkdir":
		_ = os.MkdirAll(s[1], 0o755)
	case "file":
		_ = os.MkdirAll(filepath.Dir(s[1]), 0o755)
		overwrite(s[1], s[2], os.O_TRUNC)
	case "append":
		overwrite(s[1], s[2], os.O_APPEND)
	case "link":
		_ = os.MkdirAll(filepath.Dir(s[2]), 0o755)
		_ = os.Symlink(s[1], s[2])
	case "hard":
		_ = os.Link(s[1], s[2])
	case "fifo":
		_ = os.MkdirAll(filepath.Dir(s[1]), 0o755)
		_ = unix.Mkfifo(s[1], 0o644)
	case "socket":
		_, _ = net.Listen("unix", s[1])
	case "rename":
		_ = os.Rename(s[1], s[2])
	case "remove":
		_ = os.RemoveAll(s[1])
	case "copy":
		_ = os.CopyFS(s[2], os.DirFS(s[1]))
	case "exchange":
		_ = exchange(s[1], s[2])
	case "spin":
		spin(s[1], s[2])
	case "pause":
		<-time.After(time.Duration(number(s[1])) * time.Millisecond)
	case "mount":
		_ = unix.Mount(s[1], s[2], s[3], uintptr(number(s[4])), s[5])
	case "umount":
		_ = unix.Unmount(s[1], unix.MNT_DETACH)
	case "git":
		_ = exec.Command("git", slices.DeleteFunc(s[1:], func(a string) bool { return a == "" })...).Run()
	case "read":
		read(s[1])
	case "sweep":
		sweep(s[1], s[2])
	case "dial":
		dial(s[1], s[2])
	case "processes":
		processes()
	case "descriptors":
		descriptors()
	default:
		fmt.Println("unknown step", s[0])
	}
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func overwrite(path, text string, how int) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK|how, 0o755)
	if err != nil {
		return
	}
	_, _ = f.WriteString(text)
	_ = f.Close()
}

func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// spin exchanges two files until the process is ended.
func spin(a, b string) {
	fmt.Println("spinning")
	for i := 0; ; i++ {
		_ = exchange(a, b)
		for j := range i % 7 * 1000 { // 0 to some microseconds
			_ = j
		}
	}
}

// read prints the start of a file or the names in a directory.
func read(path string) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer f.Close()
	_ = f.SetReadDeadline(time.Now().Add(100 * time.Millisecond)) // a link can lead to a terminal of the sandbox, which has nothing to read
	b := make([]byte, 4096)
	if n, err := f.Read(b); err == nil {
		fmt.Printf("%q: %s\n", path, b[:n])
		return
	}
	names, _ := f.Readdirnames(100)
	if len(names) > 0 {
		fmt.Printf("%q: %q\n", path, names)
	}
}

// sweep reads what is in a directory, follows each link there, and writes through it.
func sweep(dir, pwned string) {
	const most = 400
	seen := 0
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if seen++; seen > most {
			return fs.SkipAll
		}
		if err != nil || e.IsDir() && e.Name() == "objects" {
			return fs.SkipDir
		}
		if e.Type()&fs.ModeSymlink == 0 {
			if e.Type().IsRegular() {
				read(path)
			}
			return nil
		}
		read(path)
		for _, name := range secretNames {
			read(filepath.Join(path, name))
		}
		overwrite(filepath.Join(path, "PWNED"), pwned, os.O_APPEND)
		overwrite(path+"/.bashrc", pwned, os.O_APPEND)
		return nil
	})
}

func dial(network, address string) {
	conn, err := net.DialTimeout(network, address, time.Second)
	if err != nil {
		return
	}
	_, _ = io.WriteString(conn, "PWNED")
	_ = conn.Close()
}

// processes prints what other processes show of themselves.
func processes() {
	own := strconv.Itoa(os.Getpid())
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if number(e.Name()) == 0 || e.Name() == own {
			continue
		}
		dir := "/proc/" + e.Name()
		read(dir + "/environ")
		for _, root := range []string{dir + "/root", dir + "/cwd"} {
			for _, secret := range strings.Split(os.Getenv("SECRETS"), ":") {
				read(root + secret)
			}
		}
	}
}

// descriptors prints the files that the command has inherited.
func descriptors() {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		own := slices.ContainsFunc([]string{"/proc/", "/dev/", "/sys/fs/cgroup/"}, func(of string) bool { return strings.HasPrefix(target, of) }) // of Go
		if err == nil && number(e.Name()) > 2 && strings.HasPrefix(target, "/") && !own {
			fmt.Printf("INHERITED %s: %s\n", e.Name(), target)
			read("/proc/self/fd/" + e.Name())
			read("/proc/self/fd/" + e.Name() + "/..")
		}
	}
}
