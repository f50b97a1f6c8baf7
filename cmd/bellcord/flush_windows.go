package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// flushTyped discards what was typed on a terminal and has not been read yet.
// Other files are left alone.
func flushTyped(in *os.File) {
	_ = windows.FlushConsoleInputBuffer(windows.Handle(in.Fd()))
}
