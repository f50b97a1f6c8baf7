package tty

import (
	"os"
	"sync/atomic"

	"github.com/bellcord/bellcord/internal/front/line"
)

// terminal is an output that still has a size and modes.
type terminal struct {
	*line.Output
	file    *os.File
	resized atomic.Bool // since the last write
}

// wholeWindow has the whole window scroll, and leaves the cursor where it is.
const wholeWindow = "\x1b7\x1b[r\x1b8"

// Write implements io.Writer. The library scrolls a part of the window, and then
// the whole of it again by the height that it knows. Where the window grew before
// the library was told, only the old height would scroll from then on, and what is
// drawn below would be lost.
func (t *terminal) Write(p []byte) (int, error) {
	if t.resized.Swap(false) {
		if _, err := t.Output.Write([]byte(wholeWindow)); err != nil {
			return 0, err
		}
	}
	return t.Output.Write(p)
}

// Fd is the terminal's.
func (t *terminal) Fd() uintptr { return t.file.Fd() }

// Read implements io.Reader.
func (t *terminal) Read(p []byte) (int, error) { return t.file.Read(p) }

// Close implements io.Closer.
func (t *terminal) Close() error { return t.file.Close() }
