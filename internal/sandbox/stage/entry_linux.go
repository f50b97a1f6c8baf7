package stage

import (
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// init takes over when this process is a helper; see the package comment.
func init() {
	if len(os.Args) < 3 || os.Args[1] != Word {
		return
	}
	runtime.LockOSThread() // restrictions belong to a thread, and the command inherits them from it
	var err error
	switch os.Args[2] {
	case Namespaces:
		err = outer()
	case Inner:
		err = inner()
	case Inside:
		err = inside()
	case Landlock:
		err = landlocked()
	default:
		err = syscall.EINVAL
	}
	complain(err)
	os.Exit(exitCode(err))
}

// failed is an error with its context. Package fmt would initialise too late.
type failed struct {
	what string
	err  error
}

func (f *failed) Error() string { return f.what + ": " + f.err.Error() }

func (f *failed) Unwrap() error { return f.err }

func failure(what string, err error) error { return &failed{what, err} }

// notStarted is the error of a command that could not be started.
type notStarted struct{ failed }

func complain(err error) {
	if err != nil {
		_, _ = os.Stderr.WriteString("bellcord: sandbox: " + err.Error() + "\n")
	}
}

func exitCode(err error) int {
	if e, ok := err.(*notStarted); ok { //nolint:errorlint // never wrapped
		if isMissing(e.err) {
			return NotFound
		}
		return NotExecutable
	}
	return Failed
}

func readPlan() (*Plan, error) {
	var info syscall.Stat_t
	if err := syscall.Fstat(PlanFD, &info); err != nil {
		return nil, failure("read the plan", err)
	}
	b := make([]byte, info.Size)
	n, err := syscall.Pread(PlanFD, b, 0)
	if err != nil {
		return nil, failure("read the plan", err)
	}
	return Decode(b[:n])
}

// ignoreSignals makes the helper survive the signals that ask a command to end.
// It returns a channel with those that have arrived. The signals are not set to
// ignored: the command would inherit that.
func ignoreSignals() <-chan os.Signal {
	arrived := make(chan os.Signal, 8)
	signal.Notify(arrived, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	return arrived
}

func signalled(arrived <-chan os.Signal) (syscall.Signal, bool) {
	select {
	case s := <-arrived:
		n, _ := s.(syscall.Signal)
		return n, true
	default:
		return 0, false
	}
}

// inside finishes a sandbox that bubblewrap has created.
func inside() error {
	return first(func(p *Plan) error {
		if err := checkMounts(p.Mounts); err != nil {
			return err
		}
		if p.ListenPort != 0 {
			if err := sendListener(p); err != nil {
				return err
			}
		}
		if err := hideMemory(); err != nil {
			return err
		}
		return confine(p)
	})
}

// landlocked restricts this process with Landlock and a filter of system calls.
func landlocked() error {
	p, err := readPlan()
	if err == nil {
		err = confine(p)
	}
	if err != nil {
		return err
	}
	return become(p)
}

// become replaces the helper with the command.
func become(p *Plan) error {
	if p.Check != "" {
		return check(p.Check)
	}
	syscall.CloseOnExec(PlanFD)
	path, err := lookup(os.Args[3])
	if err == nil {
		err = syscall.Exec(path, os.Args[3:], os.Environ()) //nolint:gosec // running commands is the purpose
	}
	return &notStarted{failed{os.Args[3], err}}
}

// lookup returns the path of a command. Package sandbox has resolved it unless
// it is relative to the working directory.
func lookup(name string) (string, error) {
	for i := range len(name) {
		if name[i] == '/' {
			return name, nil
		}
	}
	return "", syscall.ENOENT
}

// check exits with 0 if the restrictions of this process hold.
func check(dir string) error {
	if fd, err := syscall.Open(dir+"/hidden/file", syscall.O_RDONLY|syscall.O_CLOEXEC, 0); err == nil {
		closeFD(fd)
		return failure("a hidden file can be read", syscall.EEXIST)
	}
	flags := syscall.O_CREAT | syscall.O_WRONLY | syscall.O_CLOEXEC
	if fd, err := syscall.Open(dir+"/outside", flags, 0o600); err == nil {
		closeFD(fd)
		if syscall.Access(dir+"/readable", 0) == nil {
			return failure("a read-only directory can be written to", syscall.EEXIST)
		}
	}
	fd, err := syscall.Open(dir+"/write/file", flags, 0o600)
	if err != nil {
		return failure("the workspace cannot be written to", err)
	}
	closeFD(fd)
	os.Exit(0)
	return nil
}
