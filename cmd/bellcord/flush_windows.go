package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// flushTyped discards the input of a terminal that has not been read yet. It does nothing for other
// files.
func flushTyped(in *os.File) {
	_ = windows.FlushConsoleInputBuffer(windows.Handle(in.Fd()))
}
