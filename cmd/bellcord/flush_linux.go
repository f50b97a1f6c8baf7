package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// flushTyped discards what was typed on a terminal and has not been read yet.
// Other files are left alone.
func flushTyped(in *os.File) {
	_ = unix.IoctlSetInt(int(in.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
