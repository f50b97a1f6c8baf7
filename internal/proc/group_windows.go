//go:build windows

package proc

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps our own Ctrl-C away from the process.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// askGroup has no gentle way here that reaches a process without a console.
func askGroup(cmd *exec.Cmd) { killGroup(cmd) }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
