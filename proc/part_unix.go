//go:build linux || darwin

package proc

import "golang.org/x/sys/unix"

func askThese(list []process) bool {
	ask(list)
	return true
}

func killThese(list []process) {
	for _, p := range list {
		signalProcess(p.ident, unix.SIGKILL)
	}
}
