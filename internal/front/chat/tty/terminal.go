package tty

import (
	"os"

	"github.com/bellcord/bellcord/internal/front/line"
)

// terminal is a line.Output with the file of the terminal, for its size and
// modes.
type terminal struct {
	*line.Output
	file *os.File
}

// Fd returns the file descriptor of the terminal.
func (t *terminal) Fd() uintptr { return t.file.Fd() }

// Read implements io.Reader.
func (t *terminal) Read(p []byte) (int, error) { return t.file.Read(p) }

// Close implements io.Closer.
func (t *terminal) Close() error { return t.file.Close() }
