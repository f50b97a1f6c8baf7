//go:build linux || darwin

package proc

import "golang.org/x/sys/unix"

func terminateEach(list []process) bool {
	terminate(list)
	return true
}

func killThese(list []process) {
	for _, p := range list {
		signalProcess(p.ident, unix.SIGKILL)
	}
}
