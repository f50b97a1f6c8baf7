package tty

import (
	"os"
	"sync/atomic"

	"github.com/bellcord/bellcord/internal/front/line"
)

// terminal is a line.Output with the file of the terminal, for its size and
// modes.
type terminal struct {
	*line.Output
	file    *os.File
	resized atomic.Bool // the window was resized since the last write
}

// wholeWindow makes the whole window scroll and keeps the cursor position.
const wholeWindow = "\x1b7\x1b[r\x1b8"

// Write implements io.Writer. The library scrolls a part of the window and then
// resets the scroll region to the height that it has stored. If the window grew
// before the library was notified, the region would keep the old height and
// lines below it would be lost, so the first write after a resize resets it.
func (t *terminal) Write(p []byte) (int, error) {
	if t.resized.Swap(false) {
		if _, err := t.Output.Write([]byte(wholeWindow)); err != nil {
			return 0, err
		}
	}
	return t.Output.Write(p)
}

// Fd returns the file descriptor of the terminal.
func (t *terminal) Fd() uintptr { return t.file.Fd() }

// Read implements io.Reader.
func (t *terminal) Read(p []byte) (int, error) { return t.file.Read(p) }

// Close implements io.Closer.
func (t *terminal) Close() error { return t.file.Close() }
