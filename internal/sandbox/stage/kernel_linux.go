package stage

import (
	"runtime"
	"syscall"
	"unsafe"
)

// Numbers of the kernel that package syscall does not have. System calls above
// 423 have the same number on every architecture that Bellcord is built for.
const (
	sysOpenTree              = 428
	sysMoveMount             = 429
	sysFsopen                = 430
	sysFsconfig              = 431
	sysFsmount               = 432
	sysOpenat2               = 437
	sysMountSetattr          = 442
	sysLandlockCreateRuleset = 444
	sysLandlockAddRule       = 445
	sysLandlockRestrictSelf  = 446

	atFDCWD     = -0x64
	atEmptyPath = 0x1000
	atRecursive = 0x8000
	oPath       = 0x200000

	openTreeClone        = 0x1
	moveMountFEmptyPath  = 0x4
	moveMountTEmptyPath  = 0x40
	fsopenCloexec        = 0x1
	fsconfigSetFlag      = 0x0
	fsconfigSetString    = 0x1
	fsconfigCmdCreate    = 0x6
	fsmountCloexec       = 0x1
	mountAttrReadOnly    = 0x1
	mountAttrNoSuid      = 0x2
	mountAttrNoDev       = 0x4
	mountAttrNoExec      = 0x8
	resolveNoMagiclinks  = 0x2
	resolveNoSymlinks    = 0x4
	prSetDumpable        = 0x4
	prSetSeccomp         = 0x16
	prCapbsetDrop        = 0x18
	prSetSecurebits      = 0x1c
	prSetNoNewPrivs      = 0x26
	prCapAmbient         = 0x2f
	prCapAmbientClearAll = 0x4
	seccompModeFilter    = 0x2
	linuxCapability3     = 0x20080522
	capSetpcap           = 8
	capNetAdmin          = 12
	capSysAdmin          = 21

	// securebits: root is an ordinary user; locked, and without ambient capabilities.
	secbits = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<5 | 1<<6 | 1<<7
)

type mountAttr struct {
	set, clear, propagation, userns uint64
}

type openHow struct {
	flags, mode, resolve uint64
}

func bytePtr(s string) unsafe.Pointer {
	p, err := syscall.BytePtrFromString(s)
	if err != nil {
		p = new(byte) // a path with a zero byte does not exist, nor does the empty one
	}
	return unsafe.Pointer(p) //nolint:gosec // for a system call
}

func result(r uintptr, errno syscall.Errno) (int, error) {
	if errno != 0 {
		return -1, errno
	}
	return int(r), nil
}

// cloneTree returns an unattached copy of the mounts at and below an open file.
func cloneTree(fd int) (int, error) {
	flags := uintptr(openTreeClone | syscall.O_CLOEXEC | atRecursive | atEmptyPath)
	r, _, errno := syscall.Syscall(sysOpenTree, uintptr(fd), uintptr(bytePtr("")), flags)
	return result(r, errno)
}

func moveMount(from, to int) error {
	empty := bytePtr("")
	_, _, errno := syscall.Syscall6(sysMoveMount, uintptr(from), uintptr(empty), uintptr(to), uintptr(empty),
		moveMountFEmptyPath|moveMountTEmptyPath, 0)
	_, err := result(0, errno)
	return err
}

// restrictMount adds attributes to the mount of fd, and to all below it.
func restrictMount(fd int, attributes uint64) error {
	a := mountAttr{set: attributes}
	_, _, errno := syscall.Syscall6(sysMountSetattr, uintptr(fd), uintptr(bytePtr("")), atEmptyPath|atRecursive,
		uintptr(unsafe.Pointer(&a)), unsafe.Sizeof(a), 0) //nolint:gosec // for a system call
	_, err := result(0, errno)
	return err
}

// openPath opens a path that must not contain symbolic links.
func openPath(path string) (int, error) {
	how := openHow{flags: oPath | syscall.O_CLOEXEC, resolve: resolveNoSymlinks | resolveNoMagiclinks}
	r, _, errno := syscall.Syscall6(sysOpenat2, cwd(), uintptr(bytePtr(path)), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0) //nolint:gosec // for a system call
	return result(r, errno)
}

// openExact opens a path that must not contain symbolic links, and returns an error
// if another file is there. An inode of 0 means any file.
func openExact(path string, dev, ino uint64) (int, error) {
	fd, err := openPath(path)
	if err != nil || ino == 0 {
		return fd, err
	}
	var info syscall.Stat_t
	if err = syscall.Fstat(fd, &info); err == nil && (info.Dev != dev || info.Ino != ino) {
		err = errReplaced
	}
	if err != nil {
		closeFD(fd)
		return -1, err
	}
	return fd, nil
}

// errReplaced means that another file has taken the place of the one that the command
// may use.
var errReplaced error = &failed{"another file is there now", syscall.ESTALE}

// newFS returns a new, unattached file system. Options alternate between names
// and values; an empty value is a flag.
func newFS(kind string, attributes uintptr, options ...string) (int, error) {
	r, _, errno := syscall.Syscall(sysFsopen, uintptr(bytePtr(kind)), fsopenCloexec, 0)
	context, err := result(r, errno)
	if err != nil {
		return -1, err
	}
	defer closeFD(context)
	for i := 0; i+1 < len(options); i += 2 {
		command, value := uintptr(fsconfigSetString), uintptr(0)
		text := bytePtr(options[i+1])
		if options[i+1] == "" {
			command = fsconfigSetFlag
		} else {
			value = uintptr(text)
		}
		_, _, errno = syscall.Syscall6(sysFsconfig, uintptr(context), command, uintptr(bytePtr(options[i])), value, 0, 0)
		runtime.KeepAlive(text)
		if errno != 0 {
			return -1, errno
		}
	}
	if _, _, errno = syscall.Syscall6(sysFsconfig, uintptr(context), fsconfigCmdCreate, 0, 0, 0, 0); errno != 0 {
		return -1, errno
	}
	r, _, errno = syscall.Syscall(sysFsmount, uintptr(context), fsmountCloexec, attributes)
	return result(r, errno)
}

func prctl(option, argument uintptr) error {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, option, argument, 0, 0, 0, 0)
	_, err := result(0, errno)
	return err
}

func cwd() uintptr {
	at := atFDCWD
	return uintptr(at)
}

func closeFD(fd int) { _ = syscall.Close(fd) }

// sealMount makes the mount of fd read-only, and none below it.
func sealMount(fd int) error {
	a := mountAttr{set: mountAttrReadOnly}
	_, _, errno := syscall.Syscall6(sysMountSetattr, uintptr(fd), uintptr(bytePtr("")), atEmptyPath,
		uintptr(unsafe.Pointer(&a)), unsafe.Sizeof(a), 0) //nolint:gosec // for a system call
	_, err := result(0, errno)
	return err
}
