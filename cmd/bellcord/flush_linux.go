package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// flushTyped discards the input of a terminal that has not been read yet. It does nothing for other
// files.
func flushTyped(in *os.File) {
	_ = unix.IoctlSetInt(int(in.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
