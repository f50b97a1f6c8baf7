package proc

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// container contains the processes of one command in a job object, which no process
// can leave. When the job is closed, even by a crash of this process, the
// system ends all of them, so Windows needs no ledger.
type container struct {
	job       windows.Handle
	leader    uint32
	breakSent bool // the console break was sent

	elaborate bool // always false: there is only one way to start
}

func newContainer(Command, string, bool) *container { return &container{} }

// start starts the process suspended, so that it is in the job before it can
// start another process. The new process group shields it from a Ctrl-C for
// this process.
func (p *container) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED,
		CmdLine:       shellLine(cmd.Args),
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err := p.enter(uint32(cmd.Process.Pid))
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	return err
}

// shellLine returns the command line for "cmd /c SCRIPT", or "" for any other
// program. cmd.exe does not understand the escaped quotes that os/exec writes
// for other programs. With /s it removes only the first and the last quote, so
// it reads the script unchanged.
func shellLine(args []string) string {
	if len(args) != 3 || !strings.EqualFold(args[1], "/c") {
		return ""
	}
	name := strings.ToLower(filepath.Base(args[0]))
	if name != "cmd" && name != "cmd.exe" {
		return ""
	}
	return syscall.EscapeArg(args[0]) + ` /s /c "` + args[2] + `"`
}

func (p *container) enter(leader uint32) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	p.job, p.leader = job, leader
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return err
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, p.leader)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(process) }()
	if err := windows.AssignProcessToJobObject(job, process); err != nil {
		return err
	}
	return wake(p.leader)
}

// wake resumes a process that was started suspended. It has one thread.
func wake(pid uint32) error {
	list, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(list) }()
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(list, &entry); err == nil; err = windows.Thread32Next(list, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		defer func() { _ = windows.CloseHandle(thread) }()
		_, err = windows.ResumeThread(thread)
		return err
	}
	return err
}

func (p *container) entry() entry { return entry{} }

func (p *container) reaped() {}

func (p *container) proof() string { return "job_object" }

func (p *container) partProof() string { return p.proof() }

func (p *container) tend() {}

// scan returns the processes that the job lists.
func (p *container) scan() []process {
	const most = 4096
	var list struct {
		assigned, listed uint32
		pids             [most]uintptr
	}
	err := windows.QueryInformationJobObject(p.job, windows.JobObjectBasicProcessIdList,
		uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), nil)
	if err != nil && !errors.Is(err, windows.ERROR_MORE_DATA) { // an unreadable list does not mean an empty job
		leader, _ := look(p.leader)
		return []process{leader}
	}
	var all []process
	for _, pid := range list.pids[:min(list.listed, most)] {
		if one, gone := look(uint32(pid)); !gone {
			all = append(all, one)
		}
	}
	return all
}

// look returns the identity and the program of a process. Windows reuses pids
// soon, so the time of its creation is part of the identity. A process that
// exists and cannot be opened has only a pid.
func look(pid uint32) (p process, gone bool) {
	p.pid = int(pid)
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return p, errors.Is(err, windows.ERROR_INVALID_PARAMETER) // that is how Windows reports an unknown pid
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	p.start = created(handle)
	var name [windows.MAX_PATH]uint16
	size := uint32(len(name))
	if windows.QueryFullProcessImageName(handle, 0, &name[0], &size) == nil {
		p.name = shorten(windows.UTF16ToString(name[:size]))
	}
	return p, false
}

// created returns the time at which a process was created, 0 if it is unknown.
func created(process windows.Handle) uint64 {
	var creation, exit, kernel, user windows.Filetime
	if windows.GetProcessTimes(process, &creation, &exit, &kernel, &user) != nil {
		return 0
	}
	return uint64(creation.HighDateTime)<<32 | uint64(creation.LowDateTime)
}

func (p *container) empty() bool { return len(p.scan()) == 0 }

// terminate sends a console break to the process group, once. It reaches only
// processes that share this console. If it fails, terminate returns false, and the
// ladder kills the processes without a grace period.
func (p *container) terminate([]process) bool {
	if p.breakSent {
		return true
	}
	p.breakSent = true
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, p.leader) == nil
}

// rouse does nothing: signals do not stop processes on Windows.
func rouse([]process) {}

func (p *container) kill() []process {
	all := p.scan()
	_ = windows.TerminateJobObject(p.job, 1)
	return all
}

func (p *container) leave() {
	if p.job != 0 {
		_ = windows.CloseHandle(p.job)
		p.job = 0
	}
}
