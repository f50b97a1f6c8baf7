package stage

import (
	"os"
	"strconv"
	"syscall"
)

// mounter carries out the steps of a plan. Everything that stays visible is
// cloned before anything is covered: a workspace may be inside a hidden directory.
type mounter struct {
	clones map[string]int // unattached copies of what stays visible, by path
	sealed []int          // mounts that become read-only at the end
}

var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// Guarded are the paths of /proc through which root changes the system. A process
// with the user id 0 can write to them without any capability.
var Guarded = []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"}

func mountAll(p *Plan) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return failure("make the mounts private", err)
	}
	m := &mounter{clones: make(map[string]int)}
	for _, path := range devices {
		_ = m.clone(path, 0, 0) // a machine may lack one
	}
	everything := false
	for _, s := range p.Steps {
		if s.Kind == Write || s.Kind == ReadOnly {
			if err := m.clone(s.Path, s.Dev, s.Ino); err != nil && !isMissing(err) {
				return failure("open "+s.Path, err)
			}
		}
		if s.Kind == Bind {
			if err := m.clone(s.Source, 0, 0); err != nil {
				return failure("open "+s.Source, err)
			}
		}
		everything = everything || s.Kind == Write && s.Path == "/"
	}
	if !everything {
		root, err := openPath("/")
		if err == nil {
			err = restrictMount(root, mountAttrReadOnly|mountAttrNoSuid)
			closeFD(root)
		}
		if err != nil {
			return failure("make / read-only", err)
		}
	}
	for _, s := range p.Steps {
		if err := m.apply(s); err != nil {
			return failure("mount "+s.Path, err)
		}
	}
	return m.seal()
}

func (m *mounter) clone(path string, dev, ino uint64) error {
	fd, err := openTree(path, dev, ino)
	if err == nil {
		m.clones[path] = fd
	}
	return err
}

// openTree returns an unattached copy of the mounts at and below a path.
func openTree(path string, dev, ino uint64) (int, error) {
	at, err := openExact(path, dev, ino)
	if err != nil {
		return -1, err
	}
	defer closeFD(at)
	return cloneTree(at)
}

func (m *mounter) apply(s Step) error {
	switch s.Kind {
	case Write, ReadOnly:
		return m.bind(s)
	case Bind:
		return m.bindOther(s)
	case HideDir:
		return m.cover(s.Path, true, "size", "1m", "mode", "0755")
	case Private:
		return m.cover(s.Path, false, "size", strconv.FormatInt(s.Size, 10), "mode", "1777")
	case HideFile:
		return m.nullify(s.Path)
	case Devices:
		return m.devices(s)
	case Proc:
		return m.proc()
	}
	return syscall.EINVAL
}

// bind attaches the clone of a path at the path itself.
func (m *mounter) bind(s Step) error {
	fd, ok := m.clones[s.Path]
	if !ok || s.Path == "/" {
		return nil
	}
	if s.Kind == ReadOnly {
		if err := restrictMount(fd, mountAttrReadOnly); err != nil {
			return err
		}
	}
	return m.attach(fd, s.Path, s.Dev, s.Ino)
}

// bindOther attaches the clone of another directory.
func (m *mounter) bindOther(s Step) error {
	fd := m.clones[s.Source]
	if err := restrictMount(fd, mountAttrNoSuid|mountAttrNoDev); err != nil {
		return err
	}
	return m.attach(fd, s.Path, 0, 0)
}

// attach attaches a mount at a path, at which the given file must be. It creates the
// path if it is inside one of the empty directories.
func (m *mounter) attach(fd int, path string, dev, ino uint64) error {
	target, err := openExact(path, dev, ino)
	if isMissing(err) {
		if err = place(fd, path); err != nil {
			return err
		}
		target, err = openPath(path)
	}
	if err != nil {
		return err
	}
	defer closeFD(target)
	return moveMount(fd, target)
}

// place creates an empty directory or file at which fd can be attached.
func place(fd int, path string) error {
	for i := 1; i < len(path); i++ {
		if path[i] == '/' {
			if err := syscall.Mkdir(path[:i], 0o755); err != nil && err != syscall.EEXIST && err != syscall.EROFS { //nolint:errorlint // a plain errno
				return err
			}
		}
	}
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil {
		return err
	}
	if info.Mode&syscall.S_IFMT == syscall.S_IFDIR {
		return syscall.Mkdir(path, 0o755)
	}
	file, err := syscall.Open(path, syscall.O_CREAT|syscall.O_EXCL|syscall.O_WRONLY|syscall.O_CLOEXEC, 0o444)
	if err == nil {
		closeFD(file)
	}
	return err
}

// cover attaches an empty file system at a path, if the path exists.
func (m *mounter) cover(path string, sealed bool, options ...string) error {
	target, err := openPath(path)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer closeFD(target)
	fd, err := newFS("tmpfs", mountAttrNoSuid|mountAttrNoDev, options...)
	if err != nil {
		return err
	}
	if sealed {
		m.sealed = append(m.sealed, fd)
	}
	return moveMount(fd, target)
}

func (m *mounter) nullify(path string) error {
	target, err := openPath(path)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer closeFD(target)
	fd, err := openTree("/dev/null", 0, 0)
	if err != nil {
		return err
	}
	defer closeFD(fd)
	return moveMount(fd, target)
}

func (m *mounter) devices(s Step) error {
	if err := m.cover("/dev", true, "size", "1m", "mode", "0755"); err != nil {
		return err
	}
	for _, path := range devices {
		if fd, ok := m.clones[path]; ok {
			if err := m.attach(fd, path, 0, 0); err != nil {
				return err
			}
		}
	}
	for _, link := range [][2]string{
		{"/proc/self/fd", "/dev/fd"},
		{"/proc/self/fd/0", "/dev/stdin"},
		{"/proc/self/fd/1", "/dev/stdout"},
		{"/proc/self/fd/2", "/dev/stderr"},
		{"pts/ptmx", "/dev/ptmx"},
	} {
		if err := os.Symlink(link[0], link[1]); err != nil {
			return err
		}
	}
	if err := syscall.Mkdir("/dev/shm", 0o755); err != nil {
		return err
	}
	if err := m.cover("/dev/shm", false, "size", strconv.FormatInt(s.Size, 10), "mode", "1777"); err != nil {
		return err
	}
	if err := syscall.Mkdir("/dev/pts", 0o755); err != nil {
		return err
	}
	pts, err := newFS("devpts", mountAttrNoSuid|mountAttrNoExec, "newinstance", "", "ptmxmode", "0666", "mode", "0620")
	if err != nil {
		return nil // commands work without terminals
	}
	return m.attach(pts, "/dev/pts", 0, 0)
}

func (m *mounter) proc() error {
	fd, err := newFS("proc", mountAttrNoSuid|mountAttrNoDev|mountAttrNoExec)
	if err != nil {
		return err
	}
	if err := m.attach(fd, "/proc", 0, 0); err != nil {
		return err
	}
	for _, path := range Guarded {
		clone, err := openTree(path, 0, 0)
		if isMissing(err) {
			continue
		}
		if err == nil {
			err = restrictMount(clone, mountAttrReadOnly)
		}
		if err == nil {
			err = m.attach(clone, path, 0, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// seal makes the empty directories read-only, and closes all mounts: the
// command must not inherit them.
func (m *mounter) seal() error {
	for _, fd := range m.sealed {
		if err := sealMount(fd); err != nil {
			return failure("make an empty directory read-only", err)
		}
		closeFD(fd)
	}
	for _, fd := range m.clones {
		closeFD(fd)
	}
	return nil
}

func isMissing(err error) bool {
	return err == syscall.ENOENT || err == syscall.ENOTDIR //nolint:errorlint // a plain errno
}
