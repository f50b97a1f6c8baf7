package proc

import "golang.org/x/sys/windows"

// terminateEach returns false: a console break is sent to a whole group, and the
// other processes in it must go on.
func terminateEach([]process) bool { return false }

func killThese(list []process) {
	for _, p := range list {
		process, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(p.pid))
		if err != nil {
			continue
		}
		_ = windows.TerminateProcess(process, 1)
		_ = windows.CloseHandle(process)
	}
}
