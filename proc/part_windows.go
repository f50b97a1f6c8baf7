package proc

import "golang.org/x/sys/windows"

// terminateEach returns false: a console break is sent to a whole group, and the
// other processes in it must go on.
func terminateEach([]process) bool { return false }

// killThese ends the processes. A pid that now belongs to another process is
// left alone.
func killThese(list []process) {
	for _, p := range list {
		const rights = windows.PROCESS_TERMINATE | windows.PROCESS_QUERY_LIMITED_INFORMATION
		process, err := windows.OpenProcess(rights, false, uint32(p.pid))
		if err != nil {
			continue
		}
		if created(process) == p.start {
			_ = windows.TerminateProcess(process, 1)
		}
		_ = windows.CloseHandle(process)
	}
}
