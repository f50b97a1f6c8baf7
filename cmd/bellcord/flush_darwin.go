package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// flushTyped discards what was typed on a terminal and has not been read yet.
// Other files are left alone.
func flushTyped(in *os.File) {
	const read = 1 // FREAD
	_ = unix.IoctlSetPointerInt(int(in.Fd()), unix.TIOCFLUSH, read)
}
